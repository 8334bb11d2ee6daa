/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/alpha.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

const char *const regime_names[] = {"ahead", "observed", NULL};

const char *regime_name(enum regime regime) {
    return regime_names[regime];
}

/* --- loading ------------------------------------------------------------------------------------ */

static int by_span_and_world(const void *a, const void *b) {
    const struct plat_alpha_entry *x = a, *y = b;
    if (x->span != y->span)
        return x->span < y->span ? -1 : 1;
    return x->world < y->world ? -1 : x->world > y->world;
}

/* Finds the tier that a span names; `at` is the place of the name. */
static enum rc find_span(const struct platform *p, const char *name, const struct place *at, int *span, struct err *e) {
    const char *names[TIER_MAX + 1] = {"any"};
    struct buf expected = {0};
    *span = strcmp(name, "any") == 0 ? SPAN_ANY : plat_find_tier(p, name);
    if (*span != SPAN_ANY || strcmp(name, "any") == 0)
        return RC_OK;
    for (int t = 0; t < p->n_tiers; t++) {
        names[1 + t] = p->tier[t].name;
        buf_printf(&expected, "%s%s", t + 1 < p->n_tiers ? ", " : " or ", p->tier[t].name);
    }
    enum rc rc = err_at(e, RC_SCHEMA, at, "span: '%.40s' found, expected any%s%s", name, expected.text,
                        err_hint("; ", name, names, (size_t)p->n_tiers + 1).text);
    buf_clear(&expected);
    return rc;
}

/* Finds the tiers that entries belong to, and puts them in order. `node` is their list in the file; NULL where they
 * are borrowed. */
static enum rc sort_entries(const struct platform *p, const struct yaml_node *node, struct key_list *list,
                            struct err *e) {
    struct plat_alpha_entry *entries = list->items;
    for (size_t i = 0; i < list->n; i++) {
        const struct yaml_node *span = node ? yaml_get(node->items[i], "span") : NULL;
        enum rc rc = find_span(p, entries[i].span_name, span ? &span->at : &entries[i].time_s.at, &entries[i].span, e);
        if (rc)
            return rc;
    }
    if (list->n)
        qsort(entries, list->n, sizeof *entries, by_span_and_world);
    for (size_t i = 1; i < list->n; i++)
        if (entries[i].world == entries[i - 1].world && entries[i].span == entries[i - 1].span)
            return err_at(e, RC_SCHEMA, &entries[i].time_s.at, "alpha: world %lld appears twice",
                          (long long)entries[i].world);
    return RC_OK;
}

/* Finds the table to borrow from a platform: of those with entries of its own the one of the same library, host regime
 * and direction, else the first table of the file; NULL where that has none. */
static const struct plat_alpha *find_lender(const struct platform *from, const struct plat_alpha *into) {
    const struct plat_alpha *tables = from->alpha.items;
    for (size_t i = 0; i < from->alpha.n; i++)
        if (tables[i].entries.n && into->implementation &&
            strcmp(tables[i].implementation, into->implementation) == 0 && tables[i].regime == into->regime &&
            tables[i].phase == into->phase)
            return &tables[i];
    return from->alpha.n && tables->entries.n ? tables : NULL;
}

/* Copies the alpha table that another platform has of its own, with what its times contain unless `into` says
 * that itself; what was measured there is borrowed here. Tables that are borrowed themselves are not passed on, so
 * that no circle can form. */
static enum rc borrow_table(struct platform *p, alpha_load load, const struct place *at, struct plat_alpha *into,
                            struct err *e) {
    const char *from = into->borrow;
    if (into->entries.n)
        return err_at(e, RC_SCHEMA, at, "'borrow' and 'entries' are both given; give one of them");
    struct platform *other;
    enum rc rc = load(from, &other, e);
    if (rc) {
        err_prefix(e, "%.120s:%d:%d: borrow", at->file, at->line, at->column);
        return rc;
    }
    manifest_add_all(&p->doc->files, &other->doc->files, "borrowed platform");
    const struct plat_alpha *table = find_lender(other, into);
    if (!table) {
        rc = err_at(e, RC_SCHEMA, at, "borrow: platform '%.60s' has no alpha table of its own", from);
    } else {
        size_t n = table->entries.n;
        struct plat_alpha_entry *copy = arena_alloc(&p->doc->arena, n, sizeof *copy);
        memcpy(copy, table->entries.items, n * sizeof *copy);
        for (size_t i = 0; i < n; i++) {
            struct quantity *q = &copy[i].time_s;
            if (status_weakness(q->status) < status_weakness(STATUS_BORROWED))
                q->status = STATUS_BORROWED;
            copy[i].span_name = arena_copy(&p->doc->arena, copy[i].span_name);
            q->source = arena_printf(&p->doc->arena, "platform %s", from);
            q->at = *at;
        }
        into->entries = (struct key_list){copy, n};
        into->includes = into->includes_given ? into->includes : table->includes;
    }
    plat_free(other);
    return rc;
}

/* Returns the place of a key of item i of a list at the top of the file; where the key is missing, that of the item. */
static const struct place *place_in(const struct platform *p, const char *list, size_t i,
                                    const char *key) {
    const struct yaml_node *item = yaml_get(p->doc->root, list)->items[i], *node = yaml_get(item, key);
    return node ? &node->at : &item->at;
}

/* Borrows the entries of item i of a list of the file where it says so, and puts them in order. */
static enum rc fill_table(struct platform *p, alpha_load load, const char *list, size_t i, struct plat_alpha *table,
                          struct err *e) {
    enum rc rc = RC_OK;
    if (table->borrow)
        rc = borrow_table(p, load, place_in(p, list, i, "borrow"), table, e);
    return rc ? rc : sort_entries(p, yaml_get(yaml_get(p->doc->root, list)->items[i], "entries"), &table->entries, e);
}

enum rc alpha_resolve(struct platform *p, alpha_load load, struct err *e) {
    enum rc rc = RC_OK;
    struct plat_alpha *tables = p->alpha.items;
    for (size_t i = 0; i < p->alpha.n && !rc; i++) {
        rc = fill_table(p, load, "alpha", i, &tables[i], e);
        for (size_t k = 0; k < i && !rc; k++)
            if (strcmp(tables[k].implementation, tables[i].implementation) == 0 &&
                tables[k].regime == tables[i].regime && tables[k].phase == tables[i].phase)
                rc = err_at(e, RC_SCHEMA, place_in(p, "alpha", i, "implementation"),
                            "alpha: two tables for implementation '%.60s' and host regime %s",
                            tables[i].implementation, regime_name((enum regime)tables[i].regime));
    }
    struct plat_treatment *treatments = p->alpha_treatments.items;
    for (size_t i = 0; i < p->alpha_treatments.n && !rc; i++) {
        struct plat_alpha table = {.borrow = treatments[i].borrow, .entries = treatments[i].entries};
        rc = fill_table(p, load, "alpha_treatments", i, &table, e);
        treatments[i].entries = table.entries;
    }
    return rc;
}

/* --- look-ups ----------------------------------------------------------------------------------- */

/* Returns whether an entry holds for collectives of a span. */
static bool entry_applies(const struct plat_alpha_entry *entry, enum tier span) {
    return entry->span == SPAN_ANY || entry->span == (int)span;
}

/* Returns whether an entry of any span is replaced by one of this span at the same world. */
static bool is_replaced(const struct plat_alpha_entry *entries, size_t n, const struct plat_alpha_entry *entry,
                        enum tier span) {
    for (size_t i = 0; i < n && entry->span == SPAN_ANY; i++)
        if (entries[i].span == (int)span && entries[i].world == entry->world)
            return true;
    return false;
}

/* Finds the entries of a span on both sides of a world, NULL where there is none, and returns whether there are both.
 * They are the same entry where the world is listed. */
static bool neighbours(const struct plat_alpha_entry *entries, size_t n, int world, enum tier span,
                       bool confident_only, const struct plat_alpha_entry **below,
                       const struct plat_alpha_entry **above) {
    *below = *above = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct plat_alpha_entry *x = &entries[i];
        if (!entry_applies(x, span) || is_replaced(entries, n, x, span) ||
            (confident_only && x->time_s.status == STATUS_LOW_CONFIDENCE))
            continue;
        if (x->world <= world && (!*below || x->world > (*below)->world))
            *below = x;
        if (x->world >= world && (!*above || x->world < (*above)->world))
            *above = x;
    }
    return *below && *above;
}

static double between(const struct plat_alpha_entry *a, const struct plat_alpha_entry *b, int world) {
    if (a->world == b->world)
        return a->time_s.value;
    double f = (double)(world - a->world) / (double)(b->world - a->world);
    return a->time_s.value + f * (b->time_s.value - a->time_s.value);
}

double plat_alpha_clamped_s(const struct plat_alpha_entry *entries, size_t n, int world,
                            enum tier span) {
    const struct plat_alpha_entry *below, *above;
    neighbours(entries, n, world, span, false, &below, &above);
    if (!below && !above)
        return 0;
    return between(below ? below : above, above ? above : below, world);
}

/* Finds the tier whose entries a treatment uses for a span: that tier, else the next one outside that has entries, else
 * the next one inside. Returns false where the treatment has none. */
static bool find_treated(const struct platform *p, const struct plat_treatment *t, enum tier span, enum tier *tier) {
    const struct plat_alpha_entry *entries = t->entries.items;
    for (int turn = 0; turn < p->n_tiers; turn++) {
        *tier = (enum tier)((int)span + turn < p->n_tiers ? (int)span + turn : p->n_tiers - 1 - turn);
        for (size_t n = 0; n < t->entries.n; n++)
            if (entry_applies(&entries[n], *tier))
                return true;
    }
    return false;
}

double plat_treatment_alpha_s(const struct platform *p, size_t i, int world, enum tier span) {
    const struct plat_treatment *t = (const struct plat_treatment *)p->alpha_treatments.items + i;
    enum tier tier;
    if (world < 2 || !find_treated(p, t, span, &tier))
        return 0;
    return plat_alpha_clamped_s(t->entries.items, t->entries.n, world, tier);
}

static const struct plat_alpha *find_table(const struct platform *p, const char *implementation,
                                           enum alpha_phase phase, enum regime regime) {
    const struct plat_alpha *tables = p->alpha.items, *general = NULL;
    for (size_t i = 0; i < p->alpha.n; i++) {
        if (strcmp(tables[i].implementation, implementation) != 0 || tables[i].regime != (int)regime)
            continue;
        if (tables[i].phase == (int)phase)
            return &tables[i];
        if (tables[i].phase == ALPHA_ANY)
            general = &tables[i];
    }
    return general;
}

/* Fills in the entries between which an answer lies; of two that are the same one is used. */
static void use_entries(const struct plat_alpha_entry *below, const struct plat_alpha_entry *above,
                        struct alpha_used *used) {
    const struct plat_alpha_entry *first = used->entries->items;
    if (below)
        used->index[used->n++] = (size_t)(below - first);
    if (above && above != below)
        used->index[used->n++] = (size_t)(above - first);
}

void plat_alpha_used(const struct platform *p, const struct alpha_ask *ask, struct alpha_used *used) {
    const struct plat_alpha_entry *below, *above;
    enum tier tier;
    *used = (struct alpha_used){0};
    if (ask->world < 2)
        return;
    if (ask->treatment) {
        used->treatment = (const struct plat_treatment *)p->alpha_treatments.items + ask->treatment - 1;
        used->entries = &used->treatment->entries;
        if (!find_treated(p, used->treatment, ask->span, &tier))
            return;
        neighbours(used->entries->items, used->entries->n, ask->world, tier, false, &below, &above);
        use_entries(below, above, used);
        return;
    }
    used->table = find_table(p, ask->implementation, ask->phase, ask->regime);
    if (!used->table)
        return;
    used->entries = &used->table->entries;
    if (neighbours(used->entries->items, used->entries->n, ask->world, ask->span, true, &below, &above))
        use_entries(below, above, used);
}

bool plat_alpha_includes(const struct platform *p, const char *implementation, enum alpha_phase phase,
                         enum regime regime, enum alpha_part part) {
    const struct plat_alpha *table = find_table(p, implementation, phase, regime);
    return table && (table->includes >> part & 1u);
}

void plat_alpha(const struct platform *p, const char *implementation, int world, enum tier span,
                enum regime regime, struct alpha_answer *a) {
    plat_alpha_phase(p, implementation, ALPHA_ANY, world, span, regime, a);
}

void plat_alpha_phase(const struct platform *p, const char *implementation, enum alpha_phase phase,
                      int world, enum tier span, enum regime regime, struct alpha_answer *a) {
    *a = (struct alpha_answer){.known = world < 2, .status = STATUS_MEASURED};
    if (world < 2)
        return;
    const struct plat_alpha *table = find_table(p, implementation, phase, regime);
    if (!table) {
        snprintf(a->reason, sizeof a->reason,
                 "%s has no alpha for implementation %s, host regime %s", p->name, implementation,
                 regime_name(regime));
        return;
    }
    const struct plat_alpha_entry *entries = table->entries.items, *below, *above;
    if (!neighbours(entries, table->entries.n, world, span, true, &below, &above)) {
        const struct plat_alpha_entry *edge = below ? below : above;
        char ends[60] = "no entry";
        if (edge)
            snprintf(ends, sizeof ends, "%s entry is %lld", below ? "largest" : "smallest",
                     (long long)edge->world);
        snprintf(a->reason, sizeof a->reason,
                 "alpha of %s on %s does not cover world %d over the %s tier: %s", implementation,
                 p->name, world, p->tier[span].name, ends);
        return;
    }
    a->known = true;
    a->time_s = between(below, above, world);
    a->status = status_weakness(below->time_s.status) >= status_weakness(above->time_s.status)
                    ? below->time_s.status
                    : above->time_s.status;
    a->interpolated = below->world != above->world;
    if (a->interpolated)
        snprintf(a->reason, sizeof a->reason, "alpha at world %d interpolated between %lld and %lld",
                 world, (long long)below->world, (long long)above->world);
}
