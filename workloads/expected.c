/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/expected.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

/* The experts of one place (a rank, or all ranks of a group), rising, and the share of each that is elsewhere. */
struct place_list {
    int *ids;
    double *keep;
    int n;
};

static void list_place(const struct placement *p, const double *share, int first, int end, struct place_list *list) {
    list->n = 0;
    for (int i = 0; i < p->experts; i++) {
        double here = 0;
        for (int h = p->home_start[i]; h < p->home_start[i + 1]; h++)
            here += p->home[h] >= first && p->home[h] < end ? share[h] : 0;
        if (here > 0) {
            list->ids[list->n] = i;
            list->keep[list->n++] = fmax(1 - here, 0);
        }
    }
}

void expected_token(const struct choice *c, const double *inclusion, struct rows *rows) {
    const struct placement *p = rows->placement;
    const double *share = replicas_shares(rows->replicas);
    size_t n = (size_t)p->experts;
    struct place_list list = {mem_alloc(n, sizeof *list.ids), mem_alloc(n, sizeof *list.keep), 0};
    replicas_load(rows->replicas, inclusion, rows->sent.rank_rows);
    for (int r = 0; r < rows->ranks; r++) {
        list_place(p, share, r, r + 1, &list);
        rows->sent.rank_tokens[r] = 1 - choice_miss(c, list.ids, list.keep, list.n);
    }
    for (int cut = 0; cut < rows->platform->n_tiers - 1; cut++) {
        const struct plat_domains *groups = &rows->platform->domains[cut];
        for (int g = 0; g < groups->n; g++) {
            list_place(p, share, groups->first[g], groups->first[g + 1], &list);
            rows->sent.group_tokens[cut][g] = 1 - choice_miss(c, list.ids, list.keep, list.n);
        }
    }
    free(list.ids);
    free(list.keep);
}

void expected_shared(const struct rows *rows, int src, double tokens, struct sent *sent) {
    const struct platform *p = rows->platform;
    for (int r = 0; r < rows->ranks; r++) {
        double share = shared_share(rows->shared, src, r, r + 1);
        sent->rank_rows[r] += tokens * share;
        sent->rank_tokens[r] += (tokens - sent->rank_tokens[r]) * share;
    }
    for (int cut = 0; cut < p->n_tiers - 1; cut++)
        for (int g = 0; g < p->domains[cut].n; g++) {
            double *reach = &sent->group_tokens[cut][g];
            *reach += (tokens - *reach) *
                      shared_share(rows->shared, src, p->domains[cut].first[g], p->domains[cut].first[g + 1]);
        }
}
