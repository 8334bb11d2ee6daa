/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a calibration leaves: platform, corpus of what was held back, gate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/platform.h"
#include "validation/calibrate.h"
#include "validation/corpus.h"
#include "validation/gate_file.h"

/* --- values -------------------------------------------------------------------------------------- */

struct unit {
    const char *name;
    double si;
};
static const struct unit rate = {"GBps", 1e9}, time_unit = {"us", 1e-6}, number = {"", 1};

static void write_constant(const struct fitted *k, const struct unit *u, struct buf *out) {
    buf_printf(out, "{value: %.6g%s, status: %s, source: \"%s\", interval: [%.6g%s, %.6g%s]}", k->value / u->si,
               u->name, status_name(k->status), k->source, k->low / u->si, u->name, k->high / u->si, u->name);
}

/* Text in double quotes of YAML. */
static void write_text(const char *text, struct buf *out) {
    buf_text(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_text(out, "\\");
        if ((unsigned char)*text >= ' ')
            buf_add(out, text, 1);
    }
    buf_text(out, "\"");
}

/* A node of a skeleton as flow YAML on one line. */
static void write_node(const struct yaml_node *node, struct buf *out) {
    if (node->type == YAML_SCALAR) {
        if (node->plain)
            buf_text(out, node->text);
        else
            write_text(node->text, out);
        return;
    }
    buf_text(out, node->type == YAML_MAP ? "{" : "[");
    for (size_t i = 0; i < node->n; i++) {
        buf_text(out, i ? ", " : "");
        if (node->type == YAML_MAP)
            buf_printf(out, "%s: ", node->keys[i]);
        write_node(node->items[i], out);
    }
    buf_text(out, node->type == YAML_MAP ? "}" : "]");
}

/* --- one map of the file -------------------------------------------------------------------------- */

/* A key with its constant, or with what the skeleton says, or nothing. */
static void write_key(const char *key, const struct fitted *k, const struct unit *u,
                      const struct yaml_node *skeleton, struct buf *out) {
    const struct yaml_node *kept = skeleton ? yaml_get(skeleton, key) : NULL;
    if (!k->known && !kept)
        return;
    buf_printf(out, "  %s: ", key);
    if (k->known)
        write_constant(k, u, out);
    else
        write_node(kept, out);
    buf_text(out, "\n");
}

static bool is_one_of(const char *key, const char *const *names) {
    for (; *names; names++)
        if (!strcmp(*names, key))
            return true;
    return false;
}

/* Keys of the skeleton that are not measured here. */
static void keep_others(const struct yaml_node *map, const char *const *ours, const char *indent, struct buf *out) {
    for (size_t i = 0; map && i < map->n; i++) {
        if (is_one_of(map->keys[i], ours))
            continue;
        buf_printf(out, "%s%s: ", indent, map->keys[i]);
        write_node(map->items[i], out);
        buf_text(out, "\n");
    }
}

static void write_tier(const struct calibration *c, int span, const struct yaml_node *skeleton, struct buf *out) {
    static const char *const names[] = {"fast", "slow"};
    static const char *const ours[] = {"bandwidth", "latency", "message_cost", "x_half", "oversubscription", NULL};
    const struct calibrated_tier *t = &c->tier[span];
    const struct yaml_node *kept = skeleton ? yaml_get(skeleton, names[span]) : NULL;
    bool has_rate = t->bandwidth_Bps.known || (kept && yaml_get(kept, "bandwidth"));
    struct fitted other = has_rate ? t->bandwidth_Bps : c->tier[!span].bandwidth_Bps;
    if (!has_rate) { // nothing goes this way, or nobody looked
        if (!other.known)
            other = c->collective_Bps;
        other.status = STATUS_ASSUMED;
        snprintf(other.source, sizeof other.source, "not measured: the rate of what was");
    }
    buf_printf(out, "%s:\n", names[span]);
    write_key("bandwidth", &other, &rate, kept, out);
    write_key("latency", &t->latency_s, &time_unit, kept, out);
    write_key("message_cost", &t->message_cost_s, &time_unit, kept, out);
    if (kept && !t->message_cost_s.known && yaml_get(kept, "x_half"))
        write_key("x_half", &t->message_cost_s, &time_unit, kept, out);
    if (span == SPANS_SLOW)
        write_key("oversubscription", &c->oversubscription, &number, kept, out);
    keep_others(kept, ours, "  ", out);
}

/* --- alpha ------------------------------------------------------------------------------------------ */

static bool has_alpha(const struct calibration *c, int regime) {
    for (size_t i = 0; i < c->n_alpha; i++)
        if (c->alpha[i].regime == regime)
            return true;
    return false;
}

static void write_entries(const struct calibration *c, int regime, struct buf *out) {
    buf_text(out, "    entries:\n");
    for (size_t i = 0; i < c->n_alpha; i++) {
        const struct calibrated_alpha *a = &c->alpha[i];
        if (a->regime != regime)
            continue;
        buf_printf(out, "      - {world: %lld, span: %s, time: ", (long long)a->world,
                   a->span == SPANS_SLOW ? "slow" : "fast");
        write_constant(&a->time_s, &time_unit, out);
        buf_text(out, "}\n");
    }
}

static void write_alpha(const struct calibration *c, struct buf *out) {
    if (!c->n_alpha) {
        buf_text(out, "alpha_treatments:\n  - name: none\n");
        return;
    }
    buf_text(out, "alpha:\n");
    for (int regime = 0; regime < 2; regime++) {
        if (!has_alpha(c, regime))
            continue;
        buf_text(out, "  - implementation: ");
        write_text(c->samples->implementation, out);
        buf_printf(out, "\n    regime: %s\n    includes: [latency]\n"
               "    note: contains launch and synchronisation of one collective too\n",
                   regime_name((enum regime)regime));
        write_entries(c, regime, out);
    }
    buf_text(out, "alpha_treatments:\n  - name: none\n  - name: measured\n");
    write_entries(c, has_alpha(c, REGIME_OBSERVED) ? REGIME_OBSERVED : REGIME_AHEAD, out);
}

/* --- files ------------------------------------------------------------------------------------------- */

static void write_comments(const char *head, const char *lines, struct buf *out) {
    for (const char *at = lines; at && *at;) {
        size_t n = strcspn(at, "\n");
        buf_printf(out, "# %s%.*s\n", head, (int)n, at);
        at += n + (at[n] == '\n');
    }
}

void calibration_platform(const struct calibration *c, const struct yaml_node *skeleton, const char *verdict,
                          struct buf *out) {
    static const char *const ours[] = {"schema", "name", "description", "implementation", "groups", "ranks_per_group",
                                       "fast", "slow", "ratio", "collective_bandwidth", "alpha", "alpha_treatments",
                                       NULL};
    const struct samples *s = c->samples;
    buf_printf(out, "# Written by moesim calibrate from samples with sha256 %.12s..\n", s->sha256);
    write_comments("", verdict, out);
    write_comments("flag: ", c->flags.text, out);
    buf_printf(out, "schema: %s\nname: ", PLATFORM_SCHEMA);
    write_text(s->machine, out);
    buf_text(out, "\ndescription: ");
    char *description = mem_printf("measured %s, %zu samples, %s", s->started ? s->started : "on a day not stated",
                                   s->n, s->mpi ? s->mpi : "by the benchmark whose log was read");
    write_text(description, out);
    buf_text(out, "\nimplementation: ");
    write_text(s->implementation, out);
    buf_printf(out, "\ngroups: %lld\nranks_per_group: %lld\n", (long long)s->groups, (long long)s->ranks_per_group);
    write_tier(c, SPANS_FAST, skeleton, out);
    write_tier(c, SPANS_SLOW, skeleton, out);
    if (c->collective_Bps.known) {
        buf_text(out, "collective_bandwidth: ");
        write_constant(&c->collective_Bps, &rate, out);
        buf_text(out, "\n");
    }
    keep_others(skeleton, ours, "", out);
    write_alpha(c, out);
    free(description);
}

/* Held-back even calls of all ranks, and of one group, that run ahead: the estimand of the gate is one of those. */
static bool is_in_corpus(const struct calibration *c, size_t i) {
    const struct sample *s = c->points.items[i].of;
    int64_t ranks = c->samples->groups * c->samples->ranks_per_group;
    bool whole = s->world == ranks || (s->span == SPANS_FAST && s->world == c->samples->ranks_per_group);
    return c->held[i] && s->quantity != SAMPLED_REPLAY && s->regime == REGIME_AHEAD && whole;
}

bool calibration_corpus(const struct calibration *c, struct buf *out) {
    const struct samples *s = c->samples;
    size_t n = 0;
    buf_printf(out, "schema: %s\nname: held-back\nmachine: ", CORPUS_SCHEMA);
    write_text(s->machine, out);
    buf_text(out, "\nimplementation: ");
    write_text(s->implementation, out);
    buf_text(out, "\nkind: test\nsupports: the all-to-all law at sizes that no constant has seen\nconditions: ");
    write_text(s->mpi ? s->mpi : "as the log says", out);
    buf_text(out, "\norigin: ");
    write_text(s->started ? s->started : "a log without a date", out);
    buf_text(out, "\nlicence: facts\ncolumns:\n  - {name: world, unit: count}\n  - {name: total_bytes, unit: B}\n"
                  "  - {name: time, unit: s}\nrows:\n");
    for (size_t i = 0; i < c->points.n; i++)
        if (is_in_corpus(c, i)) {
            const struct sample_point *p = &c->points.items[i];
            buf_printf(out, "  - [%lld, %.17g, %.9g]\n", (long long)p->of->world, p->of->send_bytes,
                       p->median_s / (double)p->of->calls);
            n++;
        }
    return n > 0;
}

/* Smallest and largest of what the corpus holds. */
static void corpus_range(const struct calibration *c, int64_t world[2], double bytes[2]) {
    world[0] = INT64_MAX;
    world[1] = 0;
    bytes[0] = INFINITY;
    bytes[1] = 0;
    for (size_t i = 0; i < c->points.n; i++) {
        const struct sample *s = c->points.items[i].of;
        if (!is_in_corpus(c, i))
            continue;
        world[0] = s->world < world[0] ? s->world : world[0];
        world[1] = s->world > world[1] ? s->world : world[1];
        bytes[0] = fmin(bytes[0], s->send_bytes);
        bytes[1] = fmax(bytes[1], s->send_bytes);
    }
}

void calibration_gate(const struct calibration *c, const char *corpus_sha256, const char *platform_file,
                      struct buf *out) {
    int64_t world[2];
    double bytes[2];
    corpus_range(c, world, bytes);
    buf_printf(out, "schema: %s\nid: held-back\nkind: test\nclaim: all-to-alls of this machine at sizes held back\n"
               "estimand: all-to-all\ncorpus: held-back\nsha256: %s\nplatform: %s\nmachine: ", GATE_SCHEMA,
               corpus_sha256, platform_file);
    write_text(c->samples->machine, out);
    buf_text(out, "\nregistration: thresholds are part of the program, sizes are held back by their rank\n"
                  "withdraws: call_time absolute_time\nscope: {implementation: ");
    write_text(c->samples->implementation, out);
    buf_printf(out, ", strategy: one-hop, world_min: %lld, world_max: %lld,\n        bytes_min: %.17gB, "
               "bytes_max: %.17gB}\nlimits:\n  - {metric: median_abs_error, at_most: 0.12}\n"
               "  - {metric: median_signed_error, magnitude: 0.08}\n", (long long)world[0], (long long)world[1],
               bytes[0], bytes[1]);
}
