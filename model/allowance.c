/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/allowance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* Ports of the largest switch of the corpus. */
enum { SWITCH_RANKS = 64 };

/* Range of the corpus' times over its wire times with window 1, one round trip a message, tuned transports. */
#define WINDOW_1_RANGE "0.98 to 1.80 times wire and round trips with window 1"

const struct allowance_fit allowance_fits[TRANSPORT_COUNT][ALLOWANCE_CLASSES] = {
    // e, k, smallest messages in bandwidth-delay products, cases, rows
    [TRANSPORT_SPRAYED] = {[ALLOWANCE_SWITCH] = {0.0301244, 0.160511, 0.6382, 23, 45},
                           [ALLOWANCE_FULL] = {0.00407288, 5.9119, 0.3129, 7, 14},
                           [ALLOWANCE_OVERSUBSCRIBED] = {0.058816, 5.5333, 0.3129, 5, 9}},
    [TRANSPORT_ONE_PATH] = {[ALLOWANCE_SWITCH] = {0.109061, 0, 0.6382, 23, 44},
                            [ALLOWANCE_FULL] = {1.95005, 0, 0.3129, 7, 14},
                            [ALLOWANCE_OVERSUBSCRIBED] = {0.53919, 0, 0.3129, 5, 9}},
    [TRANSPORT_DROPS] = {[ALLOWANCE_SWITCH] = {0.30498, 0, 10.2, 15, 15},
                         [ALLOWANCE_FULL] = {0.00432754, 27.1052, 5.006, 4, 4},
                         [ALLOWANCE_OVERSUBSCRIBED] = {0.0136241, 24.231, 5.006, 2, 2}}};

const char *allowance_class_name(enum allowance_class c) {
    static const char *const names[] = {"one switch", "a 1:1 tree", "an oversubscribed tree"};
    return names[c];
}

double allowance_high_s(const struct allowance_fit *fit, double wire_s, double rtt_s) {
    return (wire_s + rtt_s) * (1 + ALLOWANCE_MARGIN * fit->e) + ALLOWANCE_MARGIN * fit->k * rtt_s;
}

/* --- what is claimed --------------------------------------------------------------------------- */

/* Writes that there is no claim, and why; returns false, the answer of window_allows(). */
static bool refuse(struct allowance *a, const char *why) {
    *a = (struct allowance){.claimed = false};
    snprintf(a->basis, sizeof a->basis, "no claim: %s", why);
    return false;
}

/* Returns whether the window of messages in flight, not a link, decides the wire time: it lies above its bound, and
 * transports may take more or less than it. */
static bool allowance_is_loose(const struct allowance_ask *ask) {
    return ask->window && !(ask->wire_s <= ask->bound_s * ALLOWANCE_SLACK);
}

/* Returns whether transports only add to the wire time; where windows and the order of messages decide it, writes that
 * there is no claim. */
static bool window_allows(const struct allowance_ask *ask, struct allowance *a) {
    if (allowance_is_loose(ask))
        return refuse(a, "the window, not a link, decides the wire time, which bounds packets neither way: "
                         "the corpus has " WINDOW_1_RANGE);
    if (ask->window == 1)
        return refuse(a, "with window 1 each message waits for a round trip that is not in the wire time");
    if (ask->window && (double)ask->window * ask->message_bytes < ask->rate_Bps * ask->rtt_s)
        return refuse(a, "a window of less than one bandwidth-delay product waits for round trips");
    return true;
}

static bool is_claimed(const struct allowance_ask *ask, int transport, double bdp) {
    const struct allowance_fit *fit = &allowance_fits[transport][ask->class];
    return fit->cases >= ALLOWANCE_LEAST_CASES && bdp >= fit->least_bdp &&
           (transport != TRANSPORT_DROPS || bdp >= ALLOWANCE_DROPS_BDP);
}

/* Fills in the highest high end of the transports that may be meant; returns how many of them have a claim. */
static int find_high(const struct allowance_ask *ask, double rtt_s, double bdp, struct allowance *a) {
    int first = ask->transport < 0 ? TRANSPORT_SPRAYED : ask->transport, claims = 0;
    int last = ask->transport < 0 ? TRANSPORT_DROPS : ask->transport;
    struct buf names = {0};
    for (int t = first; t <= last; t++)
        if (is_claimed(ask, t, bdp)) {
            a->hi_s = fmax(a->hi_s, allowance_high_s(&allowance_fits[t][ask->class], ask->wire_s, rtt_s));
            buf_printf(&names, "%s%s", claims++ ? ", " : "", fabric_transports[t]);
        }
    snprintf(a->basis, sizeof a->basis, "%s%s on %s, messages of %.3g bandwidth-delay products, round trip %s%.3g us",
             ask->transport < 0 ? "transport not stated, the widest of " : "", names.n ? names.text : "",
             allowance_class_name((enum allowance_class)ask->class), bdp, ask->rtt_s > 0 ? "" : "assumed at ",
             rtt_s * 1e6);
    buf_clear(&names);
    return claims;
}

void allowance_find(const struct allowance_ask *ask, struct allowance *a) {
    double rtt_s = ask->rtt_s > 0 ? ask->rtt_s : ALLOWANCE_RTT_S;
    *a = (struct allowance){.claimed = false};
    if (!(ask->wire_s > 0)) {
        refuse(a, "nothing is sent");
        return;
    }
    if (ask->transport == TRANSPORT_IDEAL) {
        *a = (struct allowance){true, ask->bound_s, ask->wire_s, "ideal, as the platform states"};
        return;
    }
    if (ask->class == ALLOWANCE_NO_CLASS) {
        refuse(a, "the corpus has switches and trees only");
        return;
    }
    if (!window_allows(ask, a))
        return;
    double bdp = ask->message_bytes / (ask->rate_Bps * rtt_s);
    if (!find_high(ask, rtt_s, bdp, a)) {
        char why[200];
        snprintf(why, sizeof why,
                 "the corpus supports none for %s on %s with messages of %.3g bandwidth-delay products",
                 ask->transport < 0 ? "any transport" : fabric_transports[ask->transport],
                 allowance_class_name((enum allowance_class)ask->class), bdp);
        refuse(a, why);
        return;
    }
    a->claimed = true;
    a->lo_s = ask->bound_s + ask->rtt_short_s;
    a->hi_s = fmax(a->hi_s, a->lo_s);
}

/* --- of a call --------------------------------------------------------------------------------- */

static int class_of(const struct platform *p, enum tier tier) {
    const struct plat_fabric *f = &p->tier[tier].fabric;
    const double over = p->tier[tier].oversubscription.value;
    switch ((enum fabric_kind)f->kind) {
    case FABRIC_SWITCH:
        if (over > 1 || f->capacity_Bps.given)
            return ALLOWANCE_OVERSUBSCRIBED;
        // hashed: a tree, whatever its kind; the fit knows what hashing costs there, so hi is too wide, not too low
        return plat_span(p, tier) <= SWITCH_RANKS && f->paths != PATHS_HASHED ? ALLOWANCE_SWITCH : ALLOWANCE_FULL;
    case FABRIC_FAT_TREE:
        return f->levels == 1 ? ALLOWANCE_SWITCH : over > 1 ? ALLOWANCE_OVERSUBSCRIBED : ALLOWANCE_FULL;
    case FABRIC_RAIL:
    case FABRIC_MULTI_PLANE:
        return over > 1 ? ALLOWANCE_OVERSUBSCRIBED : f->ports ? ALLOWANCE_FULL : ALLOWANCE_SWITCH;
    default:
        return ALLOWANCE_NO_CLASS;
    }
}

/* Returns the widest tier that carries anything, -1 when none does. */
static int find_widest(const struct allowance_call *known) {
    int tier = TIER_MAX - 1;
    while (tier >= 0 && !(known->tier_messages[tier] > 0))
        tier--;
    return tier;
}

const char *allowance_transport(const struct call *call, const struct allowance_call *known) {
    int widest = find_widest(known);
    const struct plat_fabric *f = widest < 0 ? NULL : &call->platform->tier[widest].fabric;
    return f && f->transport_stated ? fabric_transports[f->transport] : NULL;
}

/* Fills in a stage whose bytes are the acknowledgements of a stage of the call, on the reverse ways; returns false
 * where no tier has any. matrix_clear() releases the bytes in either case. */
static bool find_acks(const struct call *call, int stage, struct stage *acks) {
    bool any = false;
    struct route route;
    struct matrix *m = &acks->bytes;
    *acks = call->stages[stage];
    matrix_transpose(&call->stages[stage].bytes, m);
    for (int rank = 0; rank < m->ranks; rank++)
        for (size_t i = m->start[rank]; i < m->start[rank + 1]; i++) {
            if (m->dst[i] == rank || m->value[i] <= 0)
                continue;
            enum tier tier = call_way(call, m->dst[i], rank, &route).tier;
            m->value[i] *= call->platform->tier[tier].fabric.ack_share.value;
            any = any || m->value[i] > 0;
        }
    return any;
}

double allowance_bound_s(const struct call *call) {
    size_t n_links = (size_t)call->topology->n_links;
    double *bytes = mem_alloc(n_links, sizeof *bytes), bound_s = 0;
    for (int stage = 0; stage < call->n_stages; stage++) {
        struct stage acks;
        struct call back = *call;
        back.stages = &acks;
        back.n_stages = 1;
        call_link_load(call, stage, bytes, NULL);
        if (find_acks(call, stage, &acks))
            call_link_load(&back, 0, bytes, NULL);
        matrix_clear(&acks.bytes);
    }
    for (size_t l = 0; l < n_links; l++)
        bound_s = fmax(bound_s, bytes[l] / call->topology->links[l].capacity_Bps);
    free(bytes);
    return bound_s;
}

static bool has_acks(const struct platform *p) {
    bool any = false;
    for (int tier = 0; tier < p->n_tiers; tier++)
        any = any || p->tier[tier].fabric.ack_share.value > 0;
    return any;
}

void allowance_of_call(const struct call *call, const struct allowance_call *known, struct allowance *a) {
    double least_s = INFINITY;
    int widest = find_widest(known);
    if (widest < 0) {
        refuse(a, "nothing is sent");
        return;
    }
    for (int tier = 0; tier < TIER_MAX; tier++)
        if (known->tier_messages[tier] > 0)
            least_s = fmin(least_s, call->platform->tier[tier].latency_s.value);
    const struct plat_tier *tier = &call->platform->tier[widest];
    const struct allowance_ask ask = {
        .transport = tier->fabric.transport_stated ? tier->fabric.transport : -1,
        .class = class_of(call->platform, (enum tier)widest),
        .wire_s = known->wire_s,
        .bound_s = has_acks(call->platform) ? fmax(known->bound_s, allowance_bound_s(call)) : known->bound_s,
        .rtt_short_s = 2 * least_s,
        .rtt_s = 2 * tier->latency_s.value,
        .message_bytes = known->tier_bytes[widest] / known->tier_messages[widest],
        .rate_Bps = call_bandwidth_Bps(call, (enum tier)widest),
        .window = call->implementation->window};
    allowance_find(&ask, a);
}
