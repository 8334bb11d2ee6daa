/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimands on corpora of packet-level times: the wire time against their fluid time, the bound against every time, and
 * the allowance on rows that its constants did not see. */
#include "validation/estimand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound.h"
#include "platforms/base/mem.h"
#include "validation/packet_call.h"
#include "validation/packet_fit.h"

/* Half of the last digit that a corpus prints, three of a microsecond. */
#define HALF_DIGIT_S 0.5e-9

/* Returns the relative difference as far as it lies beyond the digits of the numbers compared, of which `rounded` are
 * rounded. */
static double beyond_digits(double answer_s, double stated_us, double rounded) {
    return fmax(0, fabs(answer_s - stated_us * 1e-6) - rounded * HALF_DIGIT_S) / (stated_us * 1e-6);
}

/* --- wire and bound ---------------------------------------------------------------------------- */

/* What the cases showed. */
struct found {
    double worst_wire, worst_bound, least_time;
    size_t cases, times;
};

/* Simulates a case; *bound_s (NULL: not asked for) receives its bound. */
static enum rc play_case(const struct estimand_input *in, const struct packet_case *c, bool costs, double *wire_s,
                         double *bound_s, struct err *e) {
    struct bench b;
    struct costs wire;
    enum rc rc = packet_call_open(c, costs, &b, e);
    if (rc)
        return rc;
    costs_wire(&b.call, &wire);
    rc = simulate_time(in->tools.simulator, &b.call, &wire, wire_s, e);
    if (bound_s)
        *bound_s = bound_call_s(&b.call, &wire);
    bench_close(&b);
    return rc;
}

static enum rc look_at_case(const struct estimand_input *in, const struct packet_case *c, struct found *f,
                            struct gate_evidence *x, struct err *e) {
    const bool waits = c->stop_and_wait_us.given;
    double wire_s = 0, bound_s = 0, waiting_s = 0;
    enum rc rc = play_case(in, c, false, &wire_s, &bound_s, e);
    if (!rc && waits)
        rc = play_case(in, c, true, &waiting_s, NULL, e);
    if (rc)
        return rc;
    f->worst_wire = fmax(f->worst_wire, beyond_digits(wire_s, c->fluid_us.value, 1));
    f->worst_bound = fmax(f->worst_bound, beyond_digits(bound_s, c->bound_us.value, 1));
    f->cases++;
    gate_add_point(x, true, wire_s, c->fluid_us.value * 1e-6, "%.47s", c->id);
    if (!waits)
        return RC_OK;
    f->worst_wire = fmax(f->worst_wire, beyond_digits(waiting_s, c->stop_and_wait_us.value, 1));
    gate_add_point(x, true, waiting_s, c->stop_and_wait_us.value * 1e-6, "waits, %.40s", c->id);
    return RC_OK;
}

static void look_at_row(const struct packet_row *r, struct found *f) {
    f->least_time = fmin(f->least_time, r->first_s / (r->bound_s + r->rtt_short_s));
    f->times++;
}

/* Checks fluid times under a service time of the simulator's own: they follow from those at the link rate. */
static void look_at_service(const struct packet_case *c, struct found *f) {
    const struct packet_result *all = c->results.items;
    for (size_t i = 0; i < c->results.n; i++)
        if (all[i].fluid_us.given)
            f->worst_wire =
                fmax(f->worst_wire, beyond_digits(c->fluid_us.value * 1e-6 * all[i].slowed, all[i].fluid_us.value, 2));
}

/* --- the allowance ----------------------------------------------------------------------------- */

static double share(struct packet_score s) {
    return s.rows ? (double)s.kept / (double)s.rows : NAN;
}

static void allowance_metrics(const struct estimand_input *in, const struct packet_row *rows, size_t n,
                              struct gate_evidence *x) {
    double *high_s = mem_alloc(n + 1, sizeof *high_s);
    struct packet_score held_out =
        in->gate->own ? packet_committed(rows, n, high_s) : packet_leave_case(rows, n, high_s);
    for (size_t i = 0; i < n; i++) // those that are not kept
        if (high_s[i] > 0 && rows[i].last_s > high_s[i])
            gate_add_point(x, false, high_s[i], rows[i].last_s, "%.13s, %.32s", rows[i].transport, rows[i].of->id);
    free(high_s);
    gate_add_metric(x, "held_out_share", METRIC_SHARE, share(held_out));
    gate_add_metric(x, "held_out_rows", METRIC_COUNT, (double)held_out.rows);
    static const char *const names[TRANSPORT_COUNT] = {[TRANSPORT_SPRAYED] = "other_sprayed",
                                                       [TRANSPORT_ONE_PATH] = "other_one_path",
                                                       [TRANSPORT_DROPS] = "other_drops"};
    for (int class = 0; class < TRANSPORT_COUNT; class ++) {
        struct packet_score other = packet_leave_transport(rows, n, class);
        if (names[class] && other.rows)
            gate_add_metric(x, names[class], METRIC_SHARE, share(other));
    }
}

enum rc estimand_packet(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    const struct packet_case *cases = in->packet->cases.items;
    struct found f = {.least_time = INFINITY};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < in->packet->cases.n && !rc; i++) {
        rc = look_at_case(in, &cases[i], &f, x, e);
        look_at_service(&cases[i], &f);
    }
    if (rc)
        return rc;
    size_t n;
    struct packet_row *rows = packet_rows(in->packet, &n);
    for (size_t i = 0; i < n; i++)
        look_at_row(&rows[i], &f);
    gate_add_metric(x, "worst_wire_difference", METRIC_NUMBER, f.worst_wire);
    gate_add_metric(x, "worst_bound_difference", METRIC_NUMBER, f.worst_bound);
    gate_add_metric(x, "least_time_over_bound", METRIC_NUMBER, f.least_time);
    gate_add_metric(x, "cases", METRIC_COUNT, (double)f.cases);
    gate_add_metric(x, "rows", METRIC_COUNT, (double)f.times);
    allowance_metrics(in, rows, n, x);
    free(rows);
    return RC_OK;
}

enum rc estimand_packet_allowance(const struct estimand_input *in, struct gate_evidence *x, struct err *e) {
    (void)e;
    size_t n;
    struct packet_row *rows = packet_rows(in->packet, &n);
    allowance_metrics(in, rows, n, x);
    gate_add_metric(x, "constants_off", METRIC_NUMBER, packet_constants_off(rows, n));
    free(rows);
    return RC_OK;
}
