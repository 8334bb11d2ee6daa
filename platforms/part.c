/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/part.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* Fills in the domains that a part has of a tier: those of the whole, without the empty ones. */
static void take_domains(const struct plat_domains *whole, const int *ranks, int n, struct plat_domains *d) {
    *d = (struct plat_domains){.first = mem_alloc((size_t)n + 1, sizeof *d->first),
                               .of_rank = mem_alloc((size_t)n, sizeof *d->of_rank)};
    for (int i = 0; i < n; i++) {
        if (i == 0 || whole->of_rank[ranks[i]] != whole->of_rank[ranks[i - 1]])
            d->first[d->n++] = i;
        d->of_rank[i] = d->n - 1;
    }
    d->first[d->n] = n;
}

/* Returns the most domains of the tier below, or ranks, in one domain. */
static int most_ends(const struct plat_domains *d, const struct plat_domains *below) {
    int most = 0;
    for (int i = 0; i < d->n; i++) {
        int first = d->first[i], last = d->first[i + 1] - 1;
        int ends = 1 + (below ? below->of_rank[last] - below->of_rank[first] : last - first);
        most = ends > most ? ends : most;
    }
    return most;
}

struct platform *plat_part(const struct platform *whole, const int *ranks, int n) {
    struct platform *p = mem_alloc(1, sizeof *p);
    *p = *whole;
    for (int t = 0; t < p->n_tiers; t++) {
        take_domains(&whole->domains[t], ranks, n, &p->domains[t]);
        p->domains[t].ends = most_ends(&p->domains[t], t ? &p->domains[t - 1] : NULL);
    }
    p->groups = p->domains[TIER_FAST].n;
    p->ranks_per_group = p->domains[TIER_FAST].ends;
    p->group_sizes = NULL;
    p->used_groups = 0;
    return p;
}

void plat_part_free(struct platform *part) {
    if (!part)
        return;
    for (int t = 0; t < part->n_tiers; t++) {
        free(part->domains[t].first);
        free(part->domains[t].of_rank);
    }
    free(part);
}

bool plat_same_shape(const struct platform *a, const struct platform *b) {
    for (int t = 0; t < a->n_tiers; t++) {
        const struct plat_domains *x = &a->domains[t], *y = &b->domains[t];
        if (x->n != y->n || memcmp(x->first, y->first, ((size_t)x->n + 1) * sizeof *x->first) != 0)
            return false;
    }
    return true;
}

int plat_used_groups(const struct platform *p, int *into) {
    int n = p->used_groups ? (int)p->used_groups : (int)p->groups;
    for (int i = 0; i < n; i++)
        into[i] = p->used_layout == LAYOUT_SPREAD ? (int)(i * p->groups / n) : i;
    return n;
}
