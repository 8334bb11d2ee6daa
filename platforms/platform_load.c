/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "platforms/alpha.h"
#include "platforms/fabric_check.h"
#include "platforms/find.h"

/* Refuses two keys that say the same thing, unless one is from --set, which then replaces the other. */
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

/* Checks the keys of a tier, and its name where it lies between fast and slow. */
static enum rc check_tier(struct platform *p, enum tier tier, struct err *e) {
    struct plat_tier *t = &p->tier[tier];
    const struct place *at = &plat_tier_node(p, tier)->at;
    bool between = tier != TIER_FAST && tier != plat_slow(p);
    enum rc rc = only_one(&t->x_half_bytes, "x_half", &t->message_cost_s, "message_cost", e);
    if (!rc && tier == TIER_FAST && t->oversubscription.given)
        rc = err_at(e, RC_SCHEMA, &t->oversubscription.at, "'oversubscription' belongs to tiers between groups");
    static const char *const keys[] = {"name", "joins", "counts_as"};
    for (size_t i = 0; i < 3 && !rc; i++) {
        const struct yaml_node *node = yaml_get(plat_tier_node(p, tier), keys[i]);
        if (node && !between)
            rc = err_at(e, RC_SCHEMA, &node->at, "'%s' belongs to the tiers of 'middle'", keys[i]);
        if (!node && between && i < 2)
            rc = err_at(e, RC_SCHEMA, at, "middle: missing key '%s'", keys[i]);
    }
    if (rc || !between)
        return rc;
    if (!t->bandwidth_Bps.given)
        return err_at(e, RC_SCHEMA, at, "middle: missing key 'bandwidth'");
    bool used = !fabric_is_name(t->name);
    for (int other = 1; other < (int)plat_slow(p); other++)
        used = used || (other != (int)tier && p->tier[other].name && fabric_begins(t->name, p->tier[other].name));
    if (used)
        return err_at(e, RC_SCHEMA, at,
                      "middle: the name '%.40s' is taken or not allowed (at most 16 small letters, digits and dashes)",
                      t->name);
    return RC_OK;
}

/* Puts the tiers in order and names them. */
static enum rc order_tiers(struct platform *p, struct err *e) {
    const struct plat_tier *between = p->middle.items;
    size_t n = p->middle.n;
    if (n > TIER_MAX - 2)
        return err_at(e, RC_RANGE, &yaml_get(p->doc->root, "middle")->at, "middle: %zu tiers, at most %d are possible",
                      n, TIER_MAX - 2);
    p->n_tiers = (int)n + 2;
    struct plat_tier slow = p->tier[TIER_MAX - 1];
    for (size_t i = 0; i < n; i++)
        p->tier[1 + i] = between[i];
    p->tier[1 + n] = slow;
    p->tier[TIER_FAST].name = "fast";
    p->tier[TIER_FAST].counts_as = CLASS_FAST;
    p->tier[1 + n].name = "slow";
    return RC_OK;
}

static enum rc check_tiers(struct platform *p, struct err *e) {
    struct plat_tier *fast = &p->tier[TIER_FAST], *slow = &p->tier[plat_slow(p)];
    enum rc rc = only_one(&p->ratio, "ratio", &slow->bandwidth_Bps, "slow.bandwidth", e);
    const struct place *top = &p->doc->root->at;
    if (!rc && !fast->bandwidth_Bps.given)
        rc = err_at(e, RC_SCHEMA, top, "missing key 'fast.bandwidth'");
    for (int t = 0; t < p->n_tiers && !rc; t++)
        rc = check_tier(p, (enum tier)t, e);
    if (rc)
        return rc;
    if (p->ratio.given) {
        slow->bandwidth_Bps = p->ratio;
        plat_settle(p);
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
    enum rc rc = order_tiers(p, e);
    if (!rc)
        rc = check_tiers(p, e);
    if (!rc && p->groups * p->ranks_per_group > RANKS_MAX)
        rc = err_at(e, RC_RANGE, &p->doc->root->at, "groups x ranks_per_group is %lld, at most %d ranks",
                    (long long)(p->groups * p->ranks_per_group), RANKS_MAX);
    if (!rc && p->groups * p->ranks_per_group < 2)
        rc = err_at(e, RC_RANGE, &p->doc->root->at, "a platform needs at least 2 ranks");
    if (!rc && p->used_groups > p->groups)
        rc = err_at(e, RC_RANGE, &yaml_get(p->doc->root, "used_groups")->at,
                    "used_groups: the job is to run on %lld groups, but the machine has %lld",
                    (long long)p->used_groups, (long long)p->groups);
    if (!rc)
        rc = domains_build(p, e);
    return rc ? rc : fabric_check(p, e);
}

/* A list of a platform whose items --set reaches by the name of their link: degraded.LINK and background.LINK; a number
 * with a dot is a place in the list. */
struct link_list {
    const char *name, *key;
};

static const struct link_list *link_list_of(const char *key) {
    static const struct link_list lists[] = {{"degraded", "factor"}, {"background", "rate"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t n = strlen(lists[i].name);
        if (strncmp(key, lists[i].name, n) != 0 || key[n] != '.')
            continue;
        const char *link = key + n + 1;
        size_t digits = strspn(link, "0123456789");
        return *link && !(digits && link[digits] == '.') ? &lists[i] : NULL;
    }
    return NULL;
}

static enum rc open_set(const char *name_or_path, const struct setting *settings, size_t n, struct yaml_doc **doc,
                        struct err *e) {
    struct setting *others = mem_alloc(n + 1, sizeof *others);
    size_t n_others = 0;
    for (size_t i = 0; i < n; i++)
        if (!link_list_of(settings[i].key))
            others[n_others++] = settings[i];
    enum rc rc = find_open(FIND_PLATFORM, name_or_path, PLATFORM_SCHEMA, others, n_others, doc, e);
    free(others);
    for (size_t i = 0; i < n && !rc; i++) {
        const struct link_list *list = link_list_of(settings[i].key);
        if (!list)
            continue;
        const struct setting of = {"link", settings[i].key + strlen(list->name) + 1};
        yaml_set_item(*doc, list->name, &of, &(struct setting){list->key, settings[i].value}, "--set");
    }
    return rc;
}

/* Loads a platform, all but the alpha tables that it borrows. */
static enum rc load_own(const char *name_or_path, const struct setting *settings, size_t n_settings,
                    struct platform **platform, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = open_set(name_or_path, settings, n_settings, &doc, e);
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

static enum rc load_bare(const char *name_or_path, struct platform **platform, struct err *e) {
    return load_own(name_or_path, NULL, 0, platform, e);
}

enum rc plat_load(const char *name_or_path, const struct setting *settings, size_t n_settings,
                  struct platform **platform, struct err *e) {
    struct platform *p;
    enum rc rc = load_own(name_or_path, settings, n_settings, &p, e);
    if (rc)
        return rc;
    rc = alpha_resolve(p, load_bare, e);
    if (rc)
        plat_free(p);
    else
        *platform = p;
    return rc;
}
