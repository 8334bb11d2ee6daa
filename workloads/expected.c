/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/expected.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

/* Which experts each rank holds, rising: expert[i] for start[rank] <= i < start[rank + 1], one entry a replica. */
struct held {
    int *start, *expert;
};

static void list_held(const struct placement *p, struct held *held) {
    held->start = mem_alloc((size_t)p->ranks + 2, sizeof *held->start);
    held->expert = mem_alloc((size_t)p->slots, sizeof *held->expert);
    int *next = held->start + 1; // where the next expert of a rank goes; its end when all are there
    for (int h = 0; h < p->home_start[p->experts]; h++)
        next[p->home[h] + 1]++;
    for (int rank = 0; rank < p->ranks; rank++)
        next[rank + 1] += next[rank];
    for (int i = 0; i < p->experts; i++)
        for (int h = p->home_start[i]; h < p->home_start[i + 1]; h++)
            held->expert[next[p->home[h]]++] = i;
}

/* The experts of one place (a rank, or all ranks of a group) and how much of each is elsewhere. */
struct place_list {
    int *ids;
    double *keep;
    int n;
};

static int compare_ids(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void list_place(const struct placement *p, const struct held *held, const double *share, int first, int end,
                       struct place_list *list) {
    bool rising = true;
    int from = held->start[first], n = held->start[end] - from;
    for (int i = 0; i < n; i++) {
        list->ids[i] = held->expert[from + i];
        rising = rising && (i == 0 || list->ids[i - 1] < list->ids[i]);
    }
    if (!rising)
        qsort(list->ids, (size_t)n, sizeof *list->ids, compare_ids);
    list->n = 0;
    for (int i = 0, last = -1; i < n; i++) {
        int expert = list->ids[i];
        double here = 0;
        for (int h = p->home_start[expert]; h < p->home_start[expert + 1] && expert != last; h++)
            here += p->home[h] >= first && p->home[h] < end ? share[h] : 0;
        last = expert;
        if (here > 0) {
            list->ids[list->n] = expert;
            list->keep[list->n++] = fmax(1 - here, 0);
        }
    }
}

void expected_token(const struct choice *c, const double *inclusion, struct rows *rows) {
    const struct placement *p = rows->placement;
    const double *share = replicas_shares(rows->replicas);
    size_t n = (size_t)p->slots; // a group may hold several replicas of an expert
    struct held held;
    struct place_list list = {mem_alloc(n, sizeof *list.ids), mem_alloc(n, sizeof *list.keep), 0};
    list_held(p, &held);
    replicas_load(rows->replicas, inclusion, rows->sent.rank_rows);
    for (int r = 0; r < rows->ranks; r++) {
        list_place(p, &held, share, r, r + 1, &list);
        rows->sent.rank_tokens[r] = 1 - choice_miss(c, list.ids, list.keep, list.n);
    }
    for (int cut = 0; cut < rows->platform->n_tiers - 1; cut++) {
        const struct plat_domains *groups = &rows->platform->domains[cut];
        for (int g = 0; g < groups->n; g++) {
            list_place(p, &held, share, groups->first[g], groups->first[g + 1], &list);
            rows->sent.group_tokens[cut][g] = 1 - choice_miss(c, list.ids, list.keep, list.n);
        }
    }
    free(list.ids);
    free(list.keep);
    free(held.start);
    free(held.expert);
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
