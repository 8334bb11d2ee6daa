/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/domains.h"

#include <stdlib.h>
#include <string.h>

/* Reads the next entry of group_sizes, "2x8" for two groups of 8 or "8" for one, and moves text behind it. Returns
 * false for anything else. */
static bool next_sizes(const char **text, long *groups, long *ranks) {
    char *end;
    if (**text < '1' || **text > '9')
        return false;
    *ranks = strtol(*text, &end, 10);
    *groups = 1;
    if (*end == 'x' && end[1] >= '1' && end[1] <= '9') {
        *groups = *ranks;
        *ranks = strtol(end + 1, &end, 10);
    }
    *text = end + strspn(end, " ");
    return (*end == ' ' || !*end) && *groups <= RANKS_MAX && *ranks <= RANKS_MAX;
}

/* Reads the number of ranks of each group. */
static enum rc read_sizes(const struct platform *p, int *sizes, struct err *e) {
    const struct yaml_node *node = yaml_get(p->doc->root, "group_sizes");
    long many = 1, ranks = p->ranks_per_group, largest = 0;
    int64_t n = 0;
    for (const char *text = p->group_sizes; *text;) {
        if (!next_sizes(&text, &many, &ranks))
            return err_at(e, RC_SCHEMA, &node->at, "group_sizes: '%.40s' found, expected sizes such as '2x8 1x4'",
                          p->group_sizes);
        largest = ranks > largest ? ranks : largest;
        for (; many > 0 && n < p->groups; many--)
            sizes[n++] = (int)ranks;
        n += many;
    }
    if (n != p->groups || largest != p->ranks_per_group)
        return err_at(e, RC_RANGE, &node->at,
                      "group_sizes: %lld groups of at most %ld ranks, but groups is %lld and ranks_per_group %lld",
                      (long long)n, largest, (long long)p->groups, (long long)p->ranks_per_group);
    return RC_OK;
}

/* Fills the domains of a tier, each of `joins` consecutive ones of the tier below. */
static void join_domains(struct platform *p, enum tier tier, int joins) {
    const struct plat_domains *below = &p->domains[tier - 1];
    struct plat_domains *d = &p->domains[tier];
    int ranks = below->first[below->n];
    d->n = below->n / joins;
    d->ends = joins;
    d->first = arena_alloc(&p->doc->arena, (size_t)d->n + 1, sizeof *d->first);
    d->of_rank = arena_alloc(&p->doc->arena, (size_t)ranks, sizeof *d->of_rank);
    for (int i = 0; i <= d->n; i++)
        d->first[i] = below->first[i * joins];
    for (int rank = 0; rank < ranks; rank++)
        d->of_rank[rank] = below->of_rank[rank] / joins;
}

const struct yaml_node *plat_tier_node(const struct platform *p, enum tier tier) {
    bool between = tier != TIER_FAST && tier != plat_slow(p);
    if (between)
        return yaml_get(p->doc->root, "middle")->items[tier - 1];
    return yaml_get(p->doc->root, tier == TIER_FAST ? "fast" : "slow");
}

int plat_find_tier(const struct platform *p, const char *name) {
    for (int t = 0; t < p->n_tiers; t++)
        if (strcmp(p->tier[t].name, name) == 0)
            return t;
    return -1;
}

enum rc domains_build(struct platform *p, struct err *e) {
    int *sizes = arena_alloc(&p->doc->arena, (size_t)p->groups, sizeof *sizes);
    for (int64_t g = 0; g < p->groups; g++)
        sizes[g] = (int)p->ranks_per_group;
    enum rc rc = p->group_sizes ? read_sizes(p, sizes, e) : RC_OK;
    if (rc)
        return rc;
    struct plat_domains *d = &p->domains[TIER_FAST];
    d->n = (int)p->groups;
    d->ends = (int)p->ranks_per_group;
    d->first = arena_alloc(&p->doc->arena, (size_t)d->n + 1, sizeof *d->first);
    for (int g = 0; g < d->n; g++)
        d->first[g + 1] = d->first[g] + sizes[g];
    d->of_rank = arena_alloc(&p->doc->arena, (size_t)d->first[d->n], sizeof *d->of_rank);
    for (int g = 0; g < d->n; g++)
        for (int rank = d->first[g]; rank < d->first[g + 1]; rank++)
            d->of_rank[rank] = g;
    for (int t = 1; t < p->n_tiers; t++) {
        int below = p->domains[t - 1].n, joins = t == (int)plat_slow(p) ? below : (int)p->tier[t].joins;
        if (below % joins)
            return err_at(e, RC_RANGE, &plat_tier_node(p, (enum tier)t)->at,
                          "middle: '%s' joins %d, which does not divide %d %ss", p->tier[t].name, joins, below,
                          t > 1 ? p->tier[t - 1].name : "group");
        join_domains(p, (enum tier)t, joins);
    }
    return RC_OK;
}

enum tier plat_slow(const struct platform *p) {
    return (enum tier)(p->n_tiers - 1);
}

int plat_ranks(const struct platform *p) {
    return p->domains[TIER_FAST].first[p->domains[TIER_FAST].n];
}

int plat_group_of(const struct platform *p, int rank) {
    return p->domains[TIER_FAST].of_rank[rank];
}

int plat_local_of(const struct platform *p, int rank) {
    return plat_index(p, TIER_FAST, rank);
}

bool plat_is_even(const struct platform *p) {
    return plat_ranks(p) == p->groups * p->ranks_per_group;
}

int plat_span(const struct platform *p, enum tier tier) {
    const struct plat_domains *d = &p->domains[tier];
    int most = 0;
    for (int i = 0; i < d->n; i++)
        most = d->first[i + 1] - d->first[i] > most ? d->first[i + 1] - d->first[i] : most;
    return most;
}

int plat_index(const struct platform *p, enum tier tier, int rank) {
    const struct plat_domains *d = &p->domains[tier];
    return rank - d->first[d->of_rank[rank]];
}

int plat_peer(const struct platform *p, enum tier tier, int domain, int rank) {
    const struct plat_domains *d = &p->domains[tier];
    int first = d->first[domain];
    return first + plat_index(p, tier, rank) % (d->first[domain + 1] - first);
}

int plat_groups_in(const struct platform *p, enum tier tier) {
    return p->domains[TIER_FAST].n / p->domains[tier].n;
}

int plat_group_in(const struct platform *p, enum tier tier, int rank) {
    return plat_group_of(p, rank) % plat_groups_in(p, tier);
}

int plat_ends(const struct platform *p, enum tier tier) {
    return p->domains[tier].ends;
}

int plat_end_of(const struct platform *p, enum tier tier, int rank, bool all) {
    const struct plat_domains *d = &p->domains[tier];
    int first = all ? 0 : d->first[d->of_rank[rank]];
    if (tier == TIER_FAST)
        return rank - first;
    const int *below = p->domains[tier - 1].of_rank;
    return below[rank] - below[first];
}
