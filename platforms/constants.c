/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/constants.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* --- names and keys ------------------------------------------------------------------------------ */

struct walk {
    constants_f f;
    void *context;
    bool ratio; /* the file states a ratio instead of the slow bandwidth */
};

/* Tells the visitor about one constant, unless the file does not state it. */
static void tell(const struct walk *w, const char *name, enum key_kind kind, struct quantity *q) {
    if (q->given)
        w->f(&(struct constant){name, kind, q, w->ratio && strcmp(name, "slow.bandwidth") == 0}, w->context);
}

/* Appends what an item of a list is called: its name, its link, the ends of a cable; else its number. */
static void label_item(const struct key *table, const char *item, size_t i, struct buf *name) {
    for (const struct key *key = table; key->name; key++) {
        const char *const *text = (const char *const *)(const void *)(item + key->offset);
        if (key->kind == KEY_TEXT && *text && (strcmp(key->name, "name") == 0 || strcmp(key->name, "link") == 0)) {
            buf_text(name, *text);
            return;
        }
    }
    if (table == plat_edge_keys) {
        const struct plat_edge *edge = (const struct plat_edge *)(const void *)item;
        buf_printf(name, "%lld-%lld", (long long)edge->from, (long long)edge->to);
        return;
    }
    buf_printf(name, "%zu", i);
}

/* Returns whether a key at the top of the file has a walk of its own or no number that rests on it. */
static bool is_apart(const struct key *key) {
    static const char *const apart[] = {"fast", "middle", "slow", "alpha", "alpha_treatments", "ratio_probed"};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (strcmp(key->name, apart[i]) == 0)
            return true;
    return false;
}

/* Visits the constants of a struct along its key table; names begin with what stands in `name`. */
static void walk_table(const struct walk *w, const struct key *table, char *of, struct buf *name) {
    for (const struct key *key = table; key->name; key++) {
        size_t n = name->n;
        char *field = of + key->offset;
        if (table == platform_keys && is_apart(key))
            continue;
        buf_text(name, key->name);
        if (key->kind >= KEY_NUMBER && key->kind <= KEY_TIME)
            tell(w, name->text, key->kind, (struct quantity *)(void *)field);
        if (key->kind == KEY_MAP) {
            buf_text(name, ".");
            walk_table(w, key->table, field, name);
        }
        const struct key_list *list = (const struct key_list *)(void *)field;
        for (size_t i = 0; key->kind == KEY_LIST && i < list->n; i++) {
            size_t m = name->n;
            char *item = (char *)list->items + i * key->item_size;
            buf_text(name, ".");
            label_item(key->table, item, i, name);
            buf_text(name, ".");
            walk_table(w, key->table, item, name);
            buf_cut(name, m);
        }
        buf_cut(name, n);
    }
}

static void walk_machine(const struct walk *w, struct platform *p) {
    struct buf name = {0};
    for (int tier = 0; tier < p->n_tiers; tier++) {
        buf_printf(&name, "%s.", p->tier[tier].name);
        walk_table(w, plat_tier_keys, (char *)&p->tier[tier], &name);
        buf_cut(&name, 0);
    }
    walk_table(w, platform_keys, (char *)p, &name);
    buf_clear(&name);
}

/* --- alpha --------------------------------------------------------------------------------------- */

/* Visits entry i of a list; `words` is what its name begins with. */
static void tell_entry(const struct walk *w, struct plat_alpha_entry *entry, const char *words) {
    bool any = strcmp(entry->span_name, "any") == 0;
    char *name = mem_printf("%s%s%s.%lld", words, any ? "" : ".", any ? "" : entry->span_name,
                            (long long)entry->world);
    tell(w, name, KEY_TIME, &entry->time_s);
    free(name);
}

/* Returns what the names of a table's entries begin with; free() releases it. */
static char *name_table(const struct plat_alpha *table) {
    static const char *const phases[] = {
        [ALPHA_ANY] = "", [ALPHA_DISPATCH] = ".dispatch", [ALPHA_COMBINE] = ".combine"};
    return mem_printf("alpha.%s%s%s", table->implementation, table->regime == REGIME_OBSERVED ? ".observed" : "",
                      phases[table->phase]);
}

static void walk_entries(const struct walk *w, const struct key_list *list, const char *words) {
    for (size_t i = 0; i < list->n; i++)
        tell_entry(w, (struct plat_alpha_entry *)list->items + i, words);
}

static void walk_alpha(const struct walk *w, struct platform *p) {
    for (size_t i = 0; i < p->alpha.n; i++) {
        const struct plat_alpha *table = (const struct plat_alpha *)p->alpha.items + i;
        char *words = name_table(table);
        walk_entries(w, &table->entries, words);
        free(words);
    }
    for (size_t i = 0; i < p->alpha_treatments.n; i++) {
        const struct plat_treatment *t = (const struct plat_treatment *)p->alpha_treatments.items + i;
        char *words = mem_printf("alpha_treatments.%s", t->name);
        walk_entries(w, &t->entries, words);
        free(words);
    }
}

void constants_visit(struct platform *p, constants_f f, void *context) {
    const struct walk w = {f, context, p->ratio.given};
    walk_machine(&w, p);
    walk_alpha(&w, p);
}

void constants_visit_keys(const struct key *table, void *of, constants_f f, void *context) {
    const struct walk w = {f, context, false};
    struct buf name = {0};
    walk_table(&w, table, of, &name);
    buf_clear(&name);
}

/* Visits the entries that answer a question, except for those that are in seen[*n], and puts them there. */
static void walk_used(const struct walk *w, const struct platform *p, const struct alpha_ask *ask,
                      const struct plat_alpha_entry **seen, size_t *n) {
    struct alpha_used used;
    plat_alpha_used(p, ask, &used);
    for (int i = 0; i < used.n; i++) {
        struct plat_alpha_entry *entry = (struct plat_alpha_entry *)used.entries->items + used.index[i];
        size_t k = 0;
        while (k < *n && seen[k] != entry)
            k++;
        if (k < *n)
            continue;
        seen[(*n)++] = entry;
        char *words = used.table ? name_table(used.table) : mem_printf("alpha_treatments.%s", used.treatment->name);
        tell_entry(w, entry, words);
        free(words);
    }
}

void constants_visit_used(struct platform *p, const struct alpha_ask *asks, size_t n, constants_f f, void *context) {
    const struct walk w = {f, context, p->ratio.given};
    const struct plat_alpha_entry **seen = mem_alloc(2 * n + 1, sizeof *seen);
    size_t n_seen = 0;
    walk_machine(&w, p);
    for (size_t i = 0; i < n; i++)
        walk_used(&w, p, &asks[i], seen, &n_seen);
    free(seen);
}

/* --- copies -------------------------------------------------------------------------------------- */

struct copy {
    struct platform platform; /* first: constants_copy_free() gets its address */
    struct arena lists;
};

/* Replaces the items of a list by a copy of them. */
static void copy_list(struct arena *a, struct key_list *list, size_t size) {
    if (!list->n)
        return;
    void *items = arena_alloc(a, list->n, size);
    memcpy(items, list->items, list->n * size);
    list->items = items;
}

/* Replaces each list of a struct by a copy, those inside its items too. */
static void copy_lists(struct arena *a, const struct key *table, char *of) {
    for (const struct key *key = table; key->name; key++) {
        if (key->kind != KEY_LIST)
            continue;
        struct key_list *list = (struct key_list *)(void *)(of + key->offset);
        copy_list(a, list, key->item_size);
        for (size_t i = 0; i < list->n; i++)
            copy_lists(a, key->table, (char *)list->items + i * key->item_size);
    }
}

struct platform *constants_copy(const struct platform *p) {
    struct copy *c = mem_alloc(1, sizeof *c);
    c->platform = *p;
    copy_lists(&c->lists, platform_keys, (char *)&c->platform);
    for (int tier = 0; tier < p->n_tiers; tier++)
        copy_lists(&c->lists, plat_tier_keys, (char *)&c->platform.tier[tier]);
    return &c->platform;
}

void constants_copy_free(struct platform *copy) {
    struct copy *c = (struct copy *)copy;
    if (c)
        arena_clear(&c->lists);
    free(c);
}

