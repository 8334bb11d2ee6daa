/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/platform.h"

#include <stdlib.h>
#include <string.h>

void plat_free(struct platform *p) {
    if (!p)
        return;
    yaml_doc_free(p->doc);
    free(p);
}

void plat_settle(struct platform *p) {
    if (p->ratio.given)
        p->tier[plat_slow(p)].bandwidth_Bps.value = p->tier[TIER_FAST].bandwidth_Bps.value / p->ratio.value;
}

void plat_shape(const struct platform *p, struct buf *out) {
    for (int tier = p->n_tiers - 2; tier > 0; tier--)
        buf_printf(out, "%d %ss x ", plat_ends(p, (enum tier)(tier + 1)), p->tier[tier].name);
    buf_printf(out, "%d groups ", plat_ends(p, (enum tier)1));
    if (plat_is_even(p))
        buf_printf(out, "x %lld ranks", (long long)p->ranks_per_group);
    else
        buf_printf(out, "of ranks %s", p->group_sizes);
}

double plat_message_cost_s(const struct platform *p, enum tier tier) {
    const struct plat_tier *t = &p->tier[tier];
    bool set = t->x_half_bytes.set && !t->message_cost_s.set; // the file's cost gives way
    if (t->message_cost_s.given && !set)
        return t->message_cost_s.value;
    return t->x_half_bytes.value / t->bandwidth_Bps.value;
}

enum tier plat_widest_in(const struct platform *p, enum tier tier) {
    int t = (int)tier;
    while (t > 0 && plat_ends(p, (enum tier)t) < 2)
        t--;
    return (enum tier)t;
}

enum tier plat_widest(const struct platform *p) {
    return plat_widest_in(p, plat_slow(p));
}

double plat_collective_bandwidth_Bps(const struct platform *p) {
    if (p->collective_bandwidth_Bps.given)
        return p->collective_bandwidth_Bps.value;
    return p->tier[plat_widest(p)].bandwidth_Bps.value;
}

/* Returns whether a name of a degraded or loaded link, or a pattern of names, may mean links of the fast tier. */
static bool is_fast(const struct platform *p, const char *link) {
    static const char *const words[] = {"fast", "rank", "group"};
    const struct key_list *shared = &p->tier[TIER_FAST].fabric.shared;
    const struct plat_shared *blocks = shared->items;
    size_t n = sizeof words / sizeof *words;
    for (size_t i = 0; i < n + shared->n; i++) {
        const char *word = i < n ? words[i] : blocks[i - n].name;
        size_t literal = strcspn(link, "*?[");
        if (link[literal] && strncmp(link, word, literal < strlen(word) ? literal : strlen(word)) == 0)
            return true;
        if (strncmp(link, word, strlen(word)) == 0 && link[strlen(word)] == '-')
            return true;
    }
    return false;
}

const char *plat_no_ratio(const struct platform *p) {
    if (p->groups < 2 || p->ranks_per_group < 2)
        return "a hierarchy needs 2 groups of 2 ranks or more";
    if (plat_widest(p) != plat_slow(p))
        return "the slow tier joins nothing: a domain inside it holds all groups";
    int kind = p->tier[TIER_FAST].fabric.kind;
    if (kind == FABRIC_RING || kind == FABRIC_TORUS || p->tier[TIER_FAST].fabric.links.n)
        return "the fast domain is not uniform: what a rank reaches depends on the peer";
    const struct plat_degraded *slowed = p->degraded.items;
    const struct plat_background *loaded = p->background.items;
    if (!plat_is_even(p))
        return "the fast domains are not uniform: groups differ in size";
    for (size_t i = 0; i < p->degraded.n; i++)
        if (is_fast(p, slowed[i].link))
            return "the fast domains are not uniform: links of some are slowed";
    for (size_t i = 0; i < p->background.n; i++)
        if (is_fast(p, loaded[i].link))
            return "the fast domains are not uniform: links of some have background traffic";
    return NULL;
}

double plat_hierarchy_ratio(const struct platform *p) {
    if (plat_no_ratio(p))
        return -1;
    return p->tier[TIER_FAST].bandwidth_Bps.value / p->tier[plat_slow(p)].bandwidth_Bps.value;
}
