/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/gate_run.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/clock.h"
#include "platforms/base/mem.h"
#include "validation/estimand_table.h"
#include "validation/gate_table.h"

/* Checks a corpus: it must be the one that the gate was registered with, of that machine, and must be fit for the
 * gate's kind. */
static enum rc check_corpus(const struct gate *g, const struct corpus *c, struct err *e) {
    if (strcmp(c->doc->sha256, g->sha256) != 0)
        return err_set(e, RC_SCHEMA,
                       "corpus %s is not the one that was registered: sha256 %.12s.. found, %.12s.. expected",
                       g->corpus, c->doc->sha256, g->sha256);
    if (g->kind == GATE_TEST && c->kind != GATE_TEST)
        return err_set(e, RC_SCHEMA, "corpus %s may support %s only, the gate claims a test", g->corpus,
                       gate_kind_name((enum gate_kind)c->kind));
    if (g->scope.machine && strcmp(c->machine, g->scope.machine) != 0)
        return err_set(e, RC_SCHEMA, "corpus %s was measured on %s, the gate speaks for %s", g->corpus,
                       c->machine, g->scope.machine);
    return RC_OK;
}

/* Loads a corpus of packet-level times; a file of the user counts as registered by being there. */
static enum rc load_packet(const struct gate *g, struct packet_corpus **packet, struct err *e) {
    enum rc rc = packet_load(g->corpus, packet, e);
    if (!rc && strcmp((*packet)->doc->sha256, g->sha256) != 0)
        rc = err_set(e, RC_SCHEMA,
                     "corpus %s is not the one that was registered: sha256 %.12s.. found, %.12s.. expected",
                     g->corpus, (*packet)->doc->sha256, g->sha256);
    return rc;
}

static enum rc load_implementation(const struct gate *g, const struct corpus *c,
                                   const struct platform *p, struct implementation **m, struct err *e) {
    const char *name = g->implementation         ? g->implementation
                       : c && c->implementation ? c->implementation
                                                : p->implementation;
    enum rc rc = implementation_load(name, NULL, 0, m, e);
    if (!rc && g->scope.implementation && strcmp((*m)->name, g->scope.implementation) != 0)
        rc = err_set(e, RC_SCHEMA, "implementation %s is named %s, the gate speaks for %s", name,
                     (*m)->name, g->scope.implementation);
    return rc;
}

static enum rc load_corpus(const struct gate *g, const char *folder, struct corpus **corpus,
                    struct platform **platform, struct implementation **m, struct err *e) {
    bool tables = g->corpus && !(estimand_find(g->estimand)->flags & ESTIMAND_PACKETS);
    enum rc rc = tables ? corpus_load(g->own ? folder : NULL, g->corpus, corpus, e) : RC_OK;
    if (!rc && tables)
        rc = check_corpus(g, *corpus, e);
    if (!rc && g->platform)
        rc = plat_load(g->platform, NULL, 0, platform, e);
    if (!rc && g->own && g->platform && strcmp((*platform)->name, g->scope.machine) != 0)
        rc = err_set(e, RC_SCHEMA, "platform %s is named %s, the gate speaks for %s", g->platform,
                     (*platform)->name, g->scope.machine);
    return rc || !g->platform ? rc : load_implementation(g, *corpus, *platform, m, e);
}

void gate_evaluate(const struct gate *gate, const char *folder, const struct estimand_tools *tools,
                   struct gate_result *result) {
    double start_s = clock_wall_s();
    struct corpus *corpus = NULL;
    struct packet_corpus *packet = NULL;
    struct platform *platform = NULL;
    struct implementation *implementation = NULL;
    struct gate_evidence x = {0};
    struct err e = {.text = ""};
    const struct estimand *estimand = estimand_find(gate->estimand);
    BUG_ON(!estimand);
    enum rc rc = load_corpus(gate, folder, &corpus, &platform, &implementation, &e);
    if (!rc && estimand->flags & ESTIMAND_PACKETS)
        rc = load_packet(gate, &packet, &e);
    x.unit = estimand->units;
    if (packet)
        memcpy(x.corpus_sha256, packet->doc->sha256, sizeof x.corpus_sha256);
    if (corpus)
        memcpy(x.corpus_sha256, corpus->doc->sha256, sizeof x.corpus_sha256);
    if (platform)
        manifest_digest(&platform->doc->files, x.platform_sha256);
    if (!rc) {
        const struct estimand_input in = {gate, corpus, packet, platform, implementation, *tools};
        rc = estimand->flags & ESTIMAND_ENGINE && !tools->simulator
                 ? err_set(&e, RC_UNSUPPORTED, "no engine to simulate with")
                 : estimand->run(&in, &x, &e);
    }
    if (rc)
        gate_not_evaluated(gate, &x, e.text, result);
    else
        gate_judge(gate, &x, result);
    result->cost_s = clock_wall_s() - start_s;
    corpus_free(corpus);
    packet_free(packet);
    plat_free(platform);
    implementation_free(implementation);
}

static void run_one(const struct gate_run_options *o, const struct gate *gate, struct gate_run *run) {
    if (o->only ? strcmp(o->only, gate->id) != 0 : o->analytic_only && gate->simulates)
        return;
    gate_evaluate(gate, o->folder, &o->tools, &run->results[run->n++]);
}

static enum rc same_names(const struct gate_files *own, struct err *e) {
    for (size_t i = 0; i < own->n; i++)
        for (size_t k = 0; k < gate_table_n; k++)
            if (strcmp(own->gates[i].id, gate_table[k].id) == 0)
                return err_set(e, RC_SCHEMA, "%s: id: '%s' is a built-in gate", own->docs[i]->file,
                               own->gates[i].id);
    return RC_OK;
}

enum rc gate_run(const struct gate_run_options *o, struct gate_run *run, struct err *e) {
    struct gate_run r = {0};
    enum rc rc = o->folder ? gate_files_load(o->folder, &r.own, e) : RC_OK;
    if (!rc)
        rc = same_names(&r.own, e);
    if (rc) {
        gate_files_clear(&r.own);
        return rc;
    }
    r.results = mem_alloc(gate_table_n + r.own.n, sizeof *r.results);
    for (size_t i = 0; i < gate_table_n; i++)
        run_one(o, &gate_table[i], &r);
    for (size_t i = 0; i < r.own.n; i++)
        run_one(o, &r.own.gates[i], &r);
    *run = r;
    return RC_OK;
}

void gate_run_clear(struct gate_run *run) {
    for (size_t i = 0; i < run->n; i++)
        gate_result_clear(&run->results[i]);
    free(run->results);
    gate_files_clear(&run->own);
    *run = (struct gate_run){0};
}
