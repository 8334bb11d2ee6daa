/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/constants.h"

static bool same_constant(const struct quantity *a, const struct quantity *b) {
    return a->value == b->value && a->low == b->low && a->high == b->high && a->source && b->source &&
           strcmp(a->source, b->source) == 0;
}

/* Returns the number of the constant that a quantity is, or -1. */
static int find(const struct intervals *all, const struct quantity *q) {
    for (int i = 0; i < all->n; i++)
        if (same_constant(&all->as_stated[i], q))
            return i;
    return -1;
}

static bool uncertain(const struct constant *c) {
    return !c->derived && c->q->low < c->q->high;
}

/* Makes room for one more constant. */
static void grow(struct intervals *all) {
    if (all->n < all->room)
        return;
    all->room = all->room ? 2 * all->room : 16;
    all->inputs = mem_resize(all->inputs, (size_t)all->room, sizeof *all->inputs);
    all->names = mem_resize(all->names, (size_t)all->room, sizeof *all->names);
    all->as_stated = mem_resize(all->as_stated, (size_t)all->room, sizeof *all->as_stated);
}

/* Adds a constant that has an interval; where one with the same value, interval and source is there, adds its name to
 * that one. */
static void collect(const struct constant *c, void *context) {
    struct intervals *all = context;
    const struct quantity *q = c->q;
    if (!uncertain(c))
        return;
    int i = find(all, q);
    if (i >= 0) {
        buf_printf(&all->names[i], ", %s", c->name);
        return;
    }
    grow(all);
    i = all->n++;
    all->names[i] = (struct buf){0};
    buf_text(&all->names[i], c->name);
    all->as_stated[i] = *q;
    all->inputs[i] = (struct uncertain){NULL, q->low, q->high, q->value};
}

void intervals_find(const struct platform *p, struct intervals *found) {
    *found = (struct intervals){0};
    struct platform copy = *p; // the walk only reads here
    constants_visit(&copy, collect, found);
    for (int i = 0; i < found->n; i++)
        found->inputs[i].name = found->names[i].text;
}

void intervals_clear(struct intervals *found) {
    for (int i = 0; i < found->n; i++)
        buf_clear(&found->names[i]);
    free(found->inputs);
    free(found->names);
    free(found->as_stated);
    *found = (struct intervals){0};
}

struct replacement {
    const struct intervals *all;
    const double *values;
};

static void replace(const struct constant *c, void *context) {
    const struct replacement *r = context;
    int i = uncertain(c) ? find(r->all, c->q) : -1;
    if (i >= 0)
        c->q->value = r->values[i];
}

struct platform *intervals_apply(const struct platform *p, const struct intervals *found,
                                 const double *values) {
    struct platform *copy = constants_copy(p);
    struct replacement r = {found, values};
    constants_visit(copy, replace, &r);
    plat_settle(copy);
    return copy;
}

void intervals_free(struct platform *copy) {
    constants_copy_free(copy);
}
