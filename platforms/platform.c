/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/find.h"

enum { RANKS_MAX = 16384 };

const char *tier_name(enum tier tier) {
    return tier == TIER_FAST ? "fast" : "slow";
}

/* Of two keys that say the same thing one is allowed; one from --set replaces the other. */
static enum rc only_one(struct quantity *a, const char *name_a, struct quantity *b, const char *name_b,
                        struct err *e) {
    if (!a->given || !b->given)
        return RC_OK;
    if (a->set != b->set) {
        *(a->set ? b : a) = (struct quantity){.low = 1};
        return RC_OK;
    }
    return err_at(e, RC_SCHEMA, &a->at, "'%s' and '%s' are both given; give one of them", name_a,
                  name_b);
}

static int by_span_and_world(const void *a, const void *b) {
    const struct plat_alpha_entry *x = a, *y = b;
    if (x->span != y->span)
        return x->span < y->span ? -1 : 1;
    return x->world < y->world ? -1 : x->world > y->world;
}

static enum rc sort_entries(struct key_list *list, struct err *e) {
    struct plat_alpha_entry *entries = list->items;
    if (list->n)
        qsort(entries, list->n, sizeof *entries, by_span_and_world);
    for (size_t i = 1; i < list->n; i++)
        if (entries[i].world == entries[i - 1].world && entries[i].span == entries[i - 1].span)
            return err_at(e, RC_SCHEMA, &entries[i].time_s.at, "alpha: world %lld appears twice",
                          (long long)entries[i].world);
    return RC_OK;
}

static enum rc load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                    struct platform **platform, struct err *e);

/* Copies the first alpha table that another platform has of its own; what was measured there is borrowed
 * here. Tables that are borrowed themselves are not passed on, so that no circle can form. */
static enum rc borrow_table(struct platform *p, const char *from, const struct place *at,
                            struct key_list *into, struct err *e) {
    if (into->n)
        return err_at(e, RC_SCHEMA, at, "'borrow' and 'entries' are both given; give one of them");
    struct platform *other;
    enum rc rc = load(from, NULL, 0, &other, e);
    if (rc) {
        err_prefix(e, "%.120s:%d:%d: borrow", at->file, at->line, at->column);
        return rc;
    }
    const struct plat_alpha *table = other->alpha.items;
    if (!other->alpha.n || !table->entries.n) {
        rc = err_at(e, RC_SCHEMA, at, "borrow: platform '%.60s' has no alpha table of its own", from);
    } else {
        size_t n = table->entries.n;
        struct plat_alpha_entry *copy = arena_alloc(&p->doc->arena, n, sizeof *copy);
        memcpy(copy, table->entries.items, n * sizeof *copy);
        for (size_t i = 0; i < n; i++) {
            struct quantity *q = &copy[i].time_s;
            if (status_weakness(q->status) < status_weakness(STATUS_BORROWED))
                q->status = STATUS_BORROWED;
            q->source = arena_printf(&p->doc->arena, "platform %s", from);
            q->at = *at;
        }
        *into = (struct key_list){copy, n};
    }
    plat_free(other);
    return rc;
}

/* Place of a key of item i of a list at the top of the file. */
static const struct place *place_in(const struct platform *p, const char *list, size_t i,
                                    const char *key) {
    const struct yaml_node *item = yaml_get(p->doc->root, list)->items[i], *node = yaml_get(item, key);
    return node ? &node->at : &item->at;
}

static enum rc fill_table(struct platform *p, const char *list, size_t i, const char *borrow,
                          struct key_list *entries, struct err *e) {
    enum rc rc = RC_OK;
    if (borrow)
        rc = borrow_table(p, borrow, place_in(p, list, i, "borrow"), entries, e);
    return rc ? rc : sort_entries(entries, e);
}

static enum rc resolve_alpha(struct platform *p, struct err *e) {
    enum rc rc = RC_OK;
    struct plat_alpha *tables = p->alpha.items;
    for (size_t i = 0; i < p->alpha.n && !rc; i++) {
        rc = fill_table(p, "alpha", i, tables[i].borrow, &tables[i].entries, e);
        for (size_t k = 0; k < i && !rc; k++)
            if (strcmp(tables[k].implementation, tables[i].implementation) == 0 &&
                tables[k].regime == tables[i].regime && tables[k].phase == tables[i].phase)
                rc = err_at(e, RC_SCHEMA, place_in(p, "alpha", i, "implementation"),
                            "alpha: two tables for implementation '%.60s' and host regime %s",
                            tables[i].implementation, regime_name((enum regime)tables[i].regime));
    }
    struct plat_treatment *treatments = p->alpha_treatments.items;
    for (size_t i = 0; i < p->alpha_treatments.n && !rc; i++)
        rc = fill_table(p, "alpha_treatments", i, treatments[i].borrow, &treatments[i].entries, e);
    return rc;
}

static enum rc check_tiers(struct platform *p, struct err *e) {
    struct plat_tier *fast = &p->tier[TIER_FAST], *slow = &p->tier[TIER_SLOW];
    enum rc rc = only_one(&p->ratio, "ratio", &slow->bandwidth_Bps, "slow.bandwidth", e);
    for (int t = 0; t < TIER_COUNT && !rc; t++)
        rc = only_one(&p->tier[t].x_half_bytes, "x_half", &p->tier[t].message_cost_s, "message_cost",
                      e);
    if (rc)
        return rc;
    const struct place *top = &p->doc->root->at;
    if (!fast->bandwidth_Bps.given)
        return err_at(e, RC_SCHEMA, top, "missing key 'fast.bandwidth'");
    if (fast->oversubscription.given)
        return err_at(e, RC_SCHEMA, &fast->oversubscription.at,
                      "oversubscription belongs to the slow tier");
    if (p->ratio.given) {
        slow->bandwidth_Bps = p->ratio;
        slow->bandwidth_Bps.value = fast->bandwidth_Bps.value / p->ratio.value;
        if (status_weakness(slow->bandwidth_Bps.status) < status_weakness(fast->bandwidth_Bps.status))
            slow->bandwidth_Bps.status = fast->bandwidth_Bps.status;
        slow->bandwidth_Bps.low = 1;
        slow->bandwidth_Bps.high = 0;
    } else if (!slow->bandwidth_Bps.given) {
        return err_at(e, RC_SCHEMA, top, "missing key 'slow.bandwidth' (or 'ratio')");
    }
    return RC_OK;
}

static enum rc check(struct platform *p, struct err *e) {
    enum rc rc = check_tiers(p, e);
    if (!rc && p->groups * p->ranks_per_group > RANKS_MAX)
        rc = err_at(e, RC_RANGE, &p->doc->root->at, "groups x ranks_per_group is %lld, at most %d ranks",
                    (long long)(p->groups * p->ranks_per_group), RANKS_MAX);
    if (!rc && p->groups * p->ranks_per_group < 2)
        rc = err_at(e, RC_RANGE, &p->doc->root->at, "a platform needs at least 2 ranks");
    return rc ? rc : fabric_check(p, e);
}

/* All but the tables that are borrowed. */
static enum rc load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                    struct platform **platform, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = find_open(FIND_PLATFORM, name_or_path, PLATFORM_SCHEMA, settings, n_settings, &doc, e);
    if (rc)
        return rc;
    struct platform *p = mem_alloc(1, sizeof *p);
    p->doc = doc;
    rc = keys_read(platform_keys, doc->root, doc, p, e);
    if (!rc)
        rc = check(p, e);
    if (rc)
        plat_free(p);
    else
        *platform = p;
    return rc;
}

enum rc plat_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                  struct platform **platform, struct err *e) {
    struct platform *p;
    enum rc rc = load(name_or_path, settings, n_settings, &p, e);
    if (rc)
        return rc;
    rc = resolve_alpha(p, e);
    if (rc)
        plat_free(p);
    else
        *platform = p;
    return rc;
}

void plat_free(struct platform *p) {
    if (!p)
        return;
    yaml_doc_free(p->doc);
    free(p);
}

int plat_ranks(const struct platform *p) {
    return (int)(p->groups * p->ranks_per_group);
}

int plat_group_of(const struct platform *p, int rank) {
    return rank / (int)p->ranks_per_group;
}

int plat_local_of(const struct platform *p, int rank) {
    return rank % (int)p->ranks_per_group;
}

double plat_message_cost_s(const struct platform *p, enum tier tier) {
    const struct plat_tier *t = &p->tier[tier];
    if (t->message_cost_s.given)
        return t->message_cost_s.value;
    return t->x_half_bytes.value / t->bandwidth_Bps.value;
}

enum tier plat_widest(const struct platform *p, int groups_spanned) {
    (void)p;
    return groups_spanned > 1 ? TIER_SLOW : TIER_FAST;
}

double plat_collective_bandwidth_Bps(const struct platform *p) {
    if (p->collective_bandwidth_Bps.given)
        return p->collective_bandwidth_Bps.value;
    return p->tier[plat_widest(p, (int)p->groups)].bandwidth_Bps.value;
}

/* Whether a name of a degraded or loaded link means links of the fast tier. */
static bool is_fast(const struct platform *p, const char *link) {
    static const char *const words[] = {"fast", "rank", "group"};
    const struct key_list *shared = &p->tier[TIER_FAST].fabric.shared;
    const struct plat_shared *blocks = shared->items;
    size_t n = sizeof words / sizeof *words;
    for (size_t i = 0; i < n + shared->n; i++) {
        const char *word = i < n ? words[i] : blocks[i - n].name;
        if (strncmp(link, word, strlen(word)) == 0 && link[strlen(word)] == '-')
            return true;
    }
    return false;
}

const char *plat_no_ratio(const struct platform *p) {
    if (p->groups < 2 || p->ranks_per_group < 2)
        return "a hierarchy needs 2 groups of 2 ranks or more";
    int kind = p->tier[TIER_FAST].fabric.kind;
    if (kind == FABRIC_RING || kind == FABRIC_TORUS || kind == FABRIC_GRAPH)
        return "the fast domain is not uniform: what a rank reaches depends on the peer";
    const struct plat_degraded *slowed = p->degraded.items;
    const struct plat_background *loaded = p->background.items;
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
    return p->tier[TIER_FAST].bandwidth_Bps.value / p->tier[TIER_SLOW].bandwidth_Bps.value;
}

static bool entry_applies(const struct plat_alpha_entry *entry, enum tier span) {
    return entry->span == SPAN_ANY || (entry->span == SPAN_FAST) == (span == TIER_FAST);
}

/* The applicable entries on both sides of world; equal when world is listed or beyond an end. */
static bool neighbours(const struct plat_alpha_entry *entries, size_t n, int world, enum tier span,
                       bool confident_only, const struct plat_alpha_entry **below,
                       const struct plat_alpha_entry **above) {
    *below = *above = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct plat_alpha_entry *x = &entries[i];
        if (!entry_applies(x, span) ||
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

double plat_treatment_alpha_s(const struct platform *p, size_t i, int world, enum tier span) {
    const struct plat_treatment *t = (const struct plat_treatment *)p->alpha_treatments.items + i;
    if (world < 2)
        return 0;
    return plat_alpha_clamped_s(t->entries.items, t->entries.n, world, span);
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

bool plat_alpha_includes(const struct platform *p, const char *implementation, enum alpha_phase phase,
                         enum regime regime, const char *what) {
    const struct plat_alpha *table = find_table(p, implementation, phase, regime);
    size_t n = strlen(what);
    for (const char *item = table ? table->includes : NULL; item && *item;) {
        size_t length = strcspn(item, ",");
        if (length == n && strncmp(item, what, n) == 0)
            return true;
        item += length;
        item += strspn(item, ", ");
    }
    return false;
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
                 p->name, world, tier_name(span), ends);
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
