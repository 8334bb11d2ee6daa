/* SPDX-License-Identifier: BSD-3-Clause */
#include "gates/licence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

struct licence {
    enum capability capability;
    enum capability_state state;
    const char *gate;
    const char *reopen;
    char reason[500];
};

struct licences {
    const struct gate_result *results;
    size_t n;
    struct licence of[CAP_COUNT];
    struct licence **scoped;
    size_t n_scoped, room;
};

unsigned gate_withdraws(const struct gate *gate) {
    unsigned bits = gate->withdraws;
    for (int i = 0; i < CAP_COUNT; i++)
        if (!gate->own && capability_hangs_on((enum capability)i, gate->id))
            bits |= 1u << i;
    return bits;
}

static bool bears_on(const struct gate *gate, enum capability c) {
    return gate->withdraws & 1u << c || (!gate->own && capability_hangs_on(c, gate->id));
}

static void settle(struct licence *l, enum capability_state state, const struct gate_result *by,
                   const char *why) {
    // what a failed gate measured stays with the gate; why one was not tried must be said
    const char *reason = by && by->state == GATE_NOT_EVALUATED ? by->reason : NULL;
    l->state = state;
    l->gate = by ? by->gate->id : "";
    l->reopen = by && by->state != GATE_PASSED ? by->gate->reopen : NULL;
    snprintf(l->reason, sizeof l->reason, "%s%s%s", why, *why && reason ? "; " : "",
             reason ? reason : "");
}

/* Returns whether a gate is one of the user's that was written for the machine asked about. */
static bool own_for(const struct gate *gate, enum capability c, const struct gate_scope *asked) {
    return gate->own && asked && asked->machine && gate->scope.machine && bears_on(gate, c) &&
           strcmp(gate->scope.machine, asked->machine) == 0;
}

static const struct gate_result *find_result(const struct licences *set, const char *id, size_t n) {
    for (size_t i = 0; i < set->n; i++) {
        const struct gate *g = set->results[i].gate;
        if (!g->own && strlen(g->id) == n && strncmp(g->id, id, n) == 0)
            return &set->results[i];
    }
    return NULL;
}

/* Decides by RULE_ALL: all gates of the list, or all of the user's for this machine, which then stand in their place,
 * must have passed. */
static void decide_all(const struct licences *set, const struct gate_scope *asked, struct licence *l) {
    enum capability c = l->capability;
    bool own = false;
    for (size_t i = 0; i < set->n; i++) {
        const struct gate_result *r = &set->results[i];
        if (!own_for(r->gate, c, asked))
            continue;
        own = true;
        if (r->state != GATE_PASSED) {
            settle(l, capability_otherwise(c), r, capability_reason(c));
            return;
        }
        settle(l, CAPABILITY_OPEN, r, "own gates of this machine passed");
    }
    if (own)
        return;
    const struct gate_result *r = NULL;
    for (const char *id = capability_gates(c); *id;) {
        size_t n = strcspn(id, " ");
        r = find_result(set, id, n);
        if (!r || r->state != GATE_PASSED) {
            settle(l, capability_otherwise(c), r, capability_reason(c));
            return;
        }
        id += n + (id[n] == ' ');
    }
    settle(l, CAPABILITY_OPEN, r, "all its gates passed, each on the machine it names");
}

static bool opens(const struct gate_result *r, enum capability c, const struct gate_scope *asked) {
    struct gate_scope scope = r->gate->scope;
    if (!bears_on(r->gate, c) || r->state != GATE_PASSED || r->gate->kind != GATE_TEST || !asked)
        return false;
    if (capability_rule(c) == RULE_SKEW && !(scope.rho_max > 1))
        return false;
    // constants other than those that were tried are another machine
    scope.constants_sha256 = *r->evidence.platform_sha256 ? r->evidence.platform_sha256 : NULL;
    return scope.machine && gate_covers(&scope, asked);
}

static void decide_test(const struct licences *set, const struct gate_scope *asked, struct licence *l) {
    const struct gate_result *opened = NULL, *against = NULL;
    for (size_t i = 0; i < set->n; i++) {
        const struct gate_result *r = &set->results[i];
        if ((own_for(r->gate, l->capability, asked) && r->state != GATE_PASSED) ||
            (bears_on(r->gate, l->capability) && r->gate->simulates && r->state == GATE_FAILED))
            against = r;
        if (!opened && opens(r, l->capability, asked))
            opened = r;
    }
    if (against || !opened)
        settle(l, capability_otherwise(l->capability), against, capability_reason(l->capability));
    else
        settle(l, CAPABILITY_OPEN, opened, "a test gate that covers this question passed");
    if (!against && !opened)
        l->reopen = "a size sweep of this collective on this machine as a corpus and a test gate in a "
                    "folder DIR; then: moesim gates --corpus DIR";
}

/* Decides by RULE_FIXED: the capability is as `otherwise` says, unless one of its gates was tried and failed. */
static void decide_fixed(const struct licences *set, struct licence *l) {
    settle(l, capability_otherwise(l->capability), NULL, capability_reason(l->capability));
    for (size_t i = 0; i < set->n; i++)
        if (bears_on(set->results[i].gate, l->capability) && set->results[i].state == GATE_FAILED)
            settle(l, CAPABILITY_WITHDRAWN, &set->results[i], "a check of the program failed");
}

/* Decides by RULE_KEPT: the capability is as `otherwise` says while one of its gates has passed and none was tried
 * without passing. Without simulations some gates are not among the results. */
static void decide_kept(const struct licences *set, struct licence *l) {
    const struct gate_result *passed = NULL, *against = NULL;
    for (size_t i = 0; i < set->n; i++) {
        const struct gate_result *r = &set->results[i];
        if (!bears_on(r->gate, l->capability))
            continue;
        if (r->state == GATE_PASSED)
            passed = r;
        else
            against = r;
    }
    if (passed && !against)
        settle(l, capability_otherwise(l->capability), NULL, capability_reason(l->capability));
    else
        settle(l, CAPABILITY_WITHDRAWN, against, against ? "its corpus does not hold" : "none of its gates was tried");
}

static void decide(const struct licences *set, enum capability c, const struct gate_scope *asked,
                   struct licence *l) {
    *l = (struct licence){.capability = c};
    switch (capability_rule(c)) {
    case RULE_ALL:
        decide_all(set, asked, l);
        break;
    case RULE_TEST:
    case RULE_SKEW:
        decide_test(set, asked, l);
        break;
    case RULE_FIXED:
        decide_fixed(set, l);
        break;
    case RULE_KEPT:
        decide_kept(set, l);
        break;
    case RULE_CALLS:
        settle(l, capability_otherwise(c), NULL, capability_reason(c));
        break;
    }
}

struct licences *licences_decide(const struct gate_result *results, size_t n) {
    struct licences *l = mem_alloc(1, sizeof *l);
    l->results = results;
    l->n = n;
    for (int i = 0; i < CAP_COUNT; i++)
        decide(l, (enum capability)i, NULL, &l->of[i]);
    return l;
}

void licences_forget(struct licences *l) {
    for (size_t i = 0; i < l->n_scoped; i++)
        free(l->scoped[i]);
    l->n_scoped = 0;
}

void licences_free(struct licences *l) {
    if (!l)
        return;
    licences_forget(l);
    free(l->scoped);
    free(l);
}

const struct licence *licences_get(const struct licences *l, enum capability c) {
    return &l->of[c];
}

static struct licence *add_scoped(struct licences *l) {
    MEM_GROW(l->scoped, l->n_scoped, l->room);
    return l->scoped[l->n_scoped++] = mem_alloc(1, sizeof(struct licence));
}

const struct licence *licences_for(struct licences *l, enum capability c,
                                   const struct gate_scope *asked) {
    struct licence *scoped = add_scoped(l);
    decide(l, c, asked, scoped);
    return scoped;
}

const struct licence *licences_of_calls(struct licences *l, enum capability c,
                                        const struct licence *const *calls, size_t n) {
    const struct licence *weakest = NULL;
    for (size_t i = 0; i < n; i++)
        if (!weakest || calls[i]->state > weakest->state)
            weakest = calls[i];
    struct licence *scoped = add_scoped(l);
    *scoped = l->of[c];
    if (weakest) {
        *scoped = *weakest;
        scoped->capability = c;
    }
    return scoped;
}

enum capability_state licence_state(const struct licence *l) {
    return l->state;
}

const char *licence_reason(const struct licence *l) {
    return l->reason;
}

const char *licence_gate(const struct licence *l) {
    return l->gate;
}

const char *licence_reopen(const struct licence *l) {
    return l->reopen;
}

enum rc licence_require(const struct licence *l, struct err *e) {
    if (l->state != CAPABILITY_WITHDRAWN)
        return RC_OK;
    return err_set(e, RC_WITHDRAWN, "%s is withdrawn by gate %s: %s%s%s", capability_name(l->capability),
                   *l->gate ? l->gate : capability_gates(l->capability), l->reason,
                   l->reopen ? "; to reopen: " : "", l->reopen ? l->reopen : "");
}
