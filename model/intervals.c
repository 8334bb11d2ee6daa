/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/intervals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/alpha.h"
#include "platforms/base/mem.h"

static bool same_source(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_constant(const struct quantity *a, const struct quantity *b) {
    return a->value == b->value && a->low == b->low && a->high == b->high && a->source &&
           same_source(a->source, b->source);
}

typedef void (*visit_f)(const char *name, struct quantity *q, void *context);

/* Every constant of a platform, always in the same order. */
static void visit(struct platform *p, visit_f f, void *context) {
    char name[48];
    for (int tier = 0; tier < p->n_tiers; tier++) {
        struct plat_tier *t = &p->tier[tier];
        const struct {
            const char *key;
            struct quantity *q;
        } all[] = {{"bandwidth", &t->bandwidth_Bps},
                   {"latency", &t->latency_s},
                   {"x_half", &t->x_half_bytes},
                   {"message_cost", &t->message_cost_s},
                   {"oversubscription", &t->oversubscription}};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            snprintf(name, sizeof name, "%s.%s", p->tier[tier].name, all[i].key);
            f(name, all[i].q, context);
        }
        char key[FABRIC_CONSTANT], full[FABRIC_CONSTANT + 8];
        struct quantity *q;
        // lists are not: copies of a platform share them
        for (size_t i = 0; (q = fabric_constant(&t->fabric, i, key)) && !strchr(key, '.'); i++) {
            snprintf(full, sizeof full, "%s.%s", p->tier[tier].name, key);
            f(full, q, context);
        }
    }
    f("ratio", &p->ratio, context);
    f("port_bandwidth", &p->port_bandwidth_Bps, context);
    f("collective_bandwidth", &p->collective_bandwidth_Bps, context);
    f("splits_sync", &p->splits_sync_s, context);
    struct plat_alpha *tables = p->alpha.items;
    for (size_t i = 0; i < p->alpha.n; i++) {
        struct plat_alpha_entry *entries = tables[i].entries.items;
        for (size_t k = 0; k < tables[i].entries.n; k++) {
            snprintf(name, sizeof name, "alpha(%lld)", (long long)entries[k].world);
            f(name, &entries[k].time_s, context);
        }
    }
}

static int find(const struct intervals *all, const struct quantity *q) {
    for (int i = 0; i < all->n; i++)
        if (same_constant(&all->as_stated[i], q))
            return i;
    return -1;
}

static bool uncertain(const struct quantity *q) {
    return q->given && q->low < q->high;
}

static void collect(const char *name, struct quantity *q, void *context) {
    struct intervals *all = context;
    if (!uncertain(q))
        return;
    int i = find(all, q);
    if (i >= 0) {
        size_t used = strlen(all->names[i]);
        snprintf(all->names[i] + used, INTERVALS_NAME - used, ", %s", name);
        return;
    }
    if (all->n == INTERVALS_MAX)
        return;
    i = all->n++;
    snprintf(all->names[i], INTERVALS_NAME, "%s", name);
    all->as_stated[i] = *q;
    all->inputs[i] = (struct uncertain){all->names[i], q->low, q->high, q->value};
}

void intervals_find(const struct platform *p, struct intervals *found) {
    *found = (struct intervals){0};
    struct platform copy = *p; // the lists are only read
    visit(&copy, collect, found);
}

struct replacement {
    const struct intervals *all;
    const double *values;
};

static void replace(const char *name, struct quantity *q, void *context) {
    (void)name;
    const struct replacement *r = context;
    int i = uncertain(q) ? find(r->all, q) : -1;
    if (i >= 0)
        q->value = r->values[i];
}

static void *copy_items(const void *items, size_t n, size_t size) {
    void *copy = mem_alloc(n + 1, size);
    if (n)
        memcpy(copy, items, n * size);
    return copy;
}

struct platform *intervals_apply(const struct platform *p, const struct intervals *found,
                                 const double *values) {
    struct platform *copy = copy_items(p, 1, sizeof *p);
    struct plat_alpha *tables = copy_items(p->alpha.items, p->alpha.n, sizeof *tables);
    copy->alpha.items = tables;
    for (size_t i = 0; i < p->alpha.n; i++)
        tables[i].entries.items = copy_items(tables[i].entries.items, tables[i].entries.n,
                                             sizeof(struct plat_alpha_entry));
    struct replacement r = {found, values};
    visit(copy, replace, &r);
    if (copy->ratio.given) // the slow bandwidth is what follows from the ratio
        copy->tier[plat_slow(copy)].bandwidth_Bps.value =
            copy->tier[TIER_FAST].bandwidth_Bps.value / copy->ratio.value;
    return copy;
}

void intervals_free(struct platform *copy) {
    if (!copy)
        return;
    struct plat_alpha *tables = copy->alpha.items;
    for (size_t i = 0; i < copy->alpha.n; i++)
        free(tables[i].entries.items);
    free(tables);
    free(copy);
}
