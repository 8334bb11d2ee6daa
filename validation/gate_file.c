/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/gate_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gates/capability.h"
#include "platforms/base/file.h"
#include "validation/estimand_table.h"
#include "validation/gate_table.h"

struct limit_keys {
    const char *metric;
    struct quantity at_most, at_least, magnitude;
};

struct scope_keys {
    const char *implementation, *strategy;
    int64_t world_min, world_max;
    struct quantity bytes_min, bytes_max, rho_max;
};

struct file_keys {
    const char *schema, *id, *claim, *estimand, *corpus, *sha256, *platform, *implementation, *registration, *reopen;
    const char *withdraws, *machine;
    int kind;
    struct scope_keys scope;
    struct key_list limits;
};

static const char *const strategies[] = {"one-hop", "two-hop", NULL};

static const struct key limit_table[] = {
    {"metric", KEY_TEXT, offsetof(struct limit_keys, metric), .required = true,
     .help = "a metric of the estimand"},
    {"at_most", KEY_NUMBER, offsetof(struct limit_keys, at_most), .min = -1e300, .help = "upper limit"},
    {"at_least", KEY_NUMBER, offsetof(struct limit_keys, at_least), .min = -1e300,
     .help = "or lower limit"},
    {"magnitude", KEY_NUMBER, offsetof(struct limit_keys, magnitude),
     .help = "or limit on the absolute value"},
    {0}};

static const struct key scope_table[] = {
    {"implementation", KEY_TEXT, offsetof(struct scope_keys, implementation), .required = true,
     .help = "library it speaks for"},
    {"strategy", KEY_TEXT, offsetof(struct scope_keys, strategy), .required = true,
     .help = "`one-hop` or `two-hop`"},
    {"world_min", KEY_COUNT, offsetof(struct scope_keys, world_min), .required = true, .min = 2,
     .help = "ranks of a collective, lowest"},
    {"world_max", KEY_COUNT, offsetof(struct scope_keys, world_max), .required = true, .min = 2,
     .help = "and highest"},
    {"bytes_min", KEY_SIZE, offsetof(struct scope_keys, bytes_min), .required = true,
     .help = "send buffer of a rank, smallest"},
    {"bytes_max", KEY_SIZE, offsetof(struct scope_keys, bytes_max), .required = true,
     .help = "and largest"},
    {"rho_max", KEY_NUMBER, offsetof(struct scope_keys, rho_max), .min = 1, .otherwise = "1",
     .help = "largest rho_max that was measured; 1: balanced"},
    {0}};

const struct key gate_file_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct file_keys, schema), .required = true,
     .help = "`" GATE_SCHEMA "`"},
    {"id", KEY_TEXT, offsetof(struct file_keys, id), .required = true, .help = "name of the gate"},
    {"kind", KEY_CHOICE, offsetof(struct file_keys, kind), .required = true, .choices = gate_kinds,
     .help = "what a pass means"},
    {"claim", KEY_TEXT, offsetof(struct file_keys, claim), .required = true,
     .help = "what a pass says, one line"},
    {"estimand", KEY_TEXT, offsetof(struct file_keys, estimand), .required = true,
     .help = "`all-to-all` or `strategies`"},
    {"corpus", KEY_TEXT, offsetof(struct file_keys, corpus), .required = true,
     .help = "name of a corpus in the same folder"},
    {"sha256", KEY_TEXT, offsetof(struct file_keys, sha256), .required = true,
     .help = "of the corpus file as registered"},
    {"platform", KEY_TEXT, offsetof(struct file_keys, platform), .required = true,
     .help = "built-in name or path: constants that are tried"},
    {"implementation", KEY_TEXT, offsetof(struct file_keys, implementation),
     .help = "built-in name or path of the library's file; default: the corpus' implementation"},
    {"machine", KEY_TEXT, offsetof(struct file_keys, machine), .required = true,
     .help = "`name` of that platform, and of the corpus' machine"},
    {"registration", KEY_TEXT, offsetof(struct file_keys, registration), .required = true,
     .help = "when thresholds and evidence were fixed"},
    {"reopen", KEY_TEXT, offsetof(struct file_keys, reopen), .help = "what would change the outcome"},
    {"withdraws", KEY_TEXT, offsetof(struct file_keys, withdraws), .required = true,
     .help = "capabilities it decides for this machine, with blanks between"},
    {"scope", KEY_MAP, offsetof(struct file_keys, scope), .required = true, .table = scope_table,
     .help = "what it speaks for"},
    {"limits", KEY_LIST, offsetof(struct file_keys, limits), .required = true, .table = limit_table,
     .item_size = sizeof(struct limit_keys), .help = "thresholds"},
    {0}};

static enum rc at_key(const struct yaml_doc *doc, const char *key, const char *what, struct err *e) {
    const struct yaml_node *node = yaml_get(doc->root, key);
    return err_at(e, RC_SCHEMA, node ? &node->at : &doc->root->at, "%s: %s", key, what);
}

static enum rc read_withdraws(const struct yaml_doc *doc, const char *list, unsigned *bits,
                              struct err *e) {
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, " ");
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        int c = capability_find(name);
        if (c < 0 || !capability_allows_own((enum capability)c)) {
            char *what = mem_printf("'%s' is %s", name,
                                    c < 0 ? "no capability; 'moesim gates' lists them"
                                          : "not for a user's gate to decide");
            enum rc rc = at_key(doc, "withdraws", what, e);
            free(what);
            return rc;
        }
        *bits |= 1u << c;
        at += n + (at[n] == ' ');
    }
    return *bits ? RC_OK : at_key(doc, "withdraws", "names no capability", e);
}

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static enum rc read_limits(const struct yaml_doc *doc, const struct file_keys *k, const char *metrics,
                           struct gate *g, struct err *e) {
    const struct limit_keys *limits = k->limits.items;
    if (!k->limits.n || k->limits.n > GATE_LIMITS)
        return at_key(doc, "limits", "between 1 and 8 are due", e);
    for (size_t i = 0; i < k->limits.n; i++) {
        const struct limit_keys *x = &limits[i];
        const struct quantity *const given[] = {&x->at_most, &x->at_least, &x->magnitude};
        int found = 0;
        for (int kind = 0; kind < 3; kind++)
            if (given[kind]->given) {
                g->limits[i] = (struct gate_limit){x->metric, (enum limit_kind)kind, given[kind]->value};
                found++;
            }
        if (found != 1)
            return at_key(doc, "limits", "each needs one of at_most, at_least, magnitude", e);
        if (!has_word(metrics, x->metric)) {
            char *what = mem_printf("'%.40s' is no metric of this estimand (%s)", x->metric, metrics);
            enum rc rc = at_key(doc, "limits", what, e);
            free(what);
            return rc;
        }
    }
    g->n_limits = k->limits.n;
    return RC_OK;
}

/* Returns the path of a file that a gate file names: one given by a path lies beside the gate file. */
static const char *beside(struct yaml_doc *doc, const char *name) {
    if (!name || !strstr(name, ".yaml"))
        return name;
    char *path = file_beside(doc->file, name);
    const char *kept = arena_copy(&doc->arena, path);
    free(path);
    return kept;
}

static enum rc read_gate(struct yaml_doc *doc, struct gate *gate, struct err *e) {
    struct file_keys k = {0};
    enum rc rc = keys_read(gate_file_keys, doc->root, doc, &k, e);
    if (rc)
        return rc;
    const struct estimand *estimand = estimand_find(k.estimand);
    if (!estimand || !(estimand->flags & ESTIMAND_OWN))
        return at_key(doc, "estimand", "expected all-to-all or strategies", e);
    if (strcmp(k.scope.strategy, strategies[0]) != 0 && strcmp(k.scope.strategy, strategies[1]) != 0)
        return at_key(doc, "scope", "strategy must be one-hop or two-hop", e);
    struct gate g = {
        .id = k.id,
        .claim = k.claim,
        .kind = (enum gate_kind)k.kind,
        .estimand = k.estimand,
        .corpus = k.corpus,
        .sha256 = k.sha256,
        .platform = k.platform,
        .implementation = k.implementation,
        .registration = k.registration,
        .reopen = k.reopen,
        .scope = {.machine = k.machine,
                  .implementation = k.scope.implementation,
                  .strategy = k.scope.strategy,
                  .world = {(double)k.scope.world_min, (double)k.scope.world_max},
                  .bytes = {k.scope.bytes_min.value, k.scope.bytes_max.value},
                  .rho_max = k.scope.rho_max.value},
        .own = true};
    rc = read_withdraws(doc, k.withdraws, &g.withdraws, e);
    if (!rc)
        rc = read_limits(doc, &k, estimand->metrics, &g, e);
    g.platform = beside(doc, g.platform);
    g.implementation = beside(doc, g.implementation);
    if (!rc)
        *gate = g;
    return rc;
}

/* Makes a gate of a corpus of packet-level times, which needs no gate file: it is tried as the built-in one is, but for
 * its size, and with the constants of the program. Puts a document that holds the gate's texts in the place of *doc. */
static enum rc read_packet(const char *path, struct yaml_doc **doc, struct gate *gate, struct err *e) {
    struct packet_corpus *c;
    enum rc rc = packet_load(path, &c, e);
    if (rc)
        return rc;
    const struct gate *like = gate_table;
    while (strcmp(like->id, "packet") != 0)
        like++;
    *gate = *like;
    gate->id = c->name;
    gate->corpus = arena_copy(&c->doc->arena, path);
    gate->sha256 = c->doc->sha256;
    gate->registration = "limits of packet; its rows against the constants of the program";
    gate->reopen = "moesim gates explain packet";
    gate->withdraws = 1u << CAP_ALLOWANCE;
    gate->own = true;
    while (strcmp(gate->limits[gate->n_limits - 1].metric, "cases") == 0)
        gate->n_limits--;
    yaml_doc_free(*doc);
    *doc = c->doc;
    c->doc = NULL;
    packet_free(c);
    return RC_OK;
}

static bool is_of(const struct yaml_doc *doc, const char *name) {
    const struct yaml_node *schema = doc->root->type == YAML_MAP ? yaml_get(doc->root, "schema") : NULL;
    return schema && schema->type == YAML_SCALAR && strcmp(schema->text, name) == 0;
}

/* Reads one file of the folder; a file of another schema (corpus, platform) is skipped. */
static enum rc read_file(struct gate_files *files, const char *path, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = yaml_load(path, &doc, e);
    if (rc)
        return rc;
    bool packets = is_of(doc, PACKET_SCHEMA);
    if (!packets && !is_of(doc, GATE_SCHEMA)) {
        yaml_doc_free(doc);
        return RC_OK;
    }
    struct gate gate;
    rc = packets ? read_packet(path, &doc, &gate, e) : read_gate(doc, &gate, e);
    for (size_t i = 0; i < files->n && !rc; i++)
        if (strcmp(files->gates[i].id, gate.id) == 0)
            rc = at_key(doc, "id", "another file of the folder has the same id", e);
    if (rc) {
        yaml_doc_free(doc);
        return rc;
    }
    if (files->n == files->room) {
        files->room = files->room ? 2 * files->room : 8;
        files->gates = mem_resize(files->gates, files->room, sizeof *files->gates);
        files->docs = mem_resize(files->docs, files->room, sizeof *files->docs);
    }
    files->gates[files->n] = gate;
    files->docs[files->n++] = doc;
    return RC_OK;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum rc gate_files_load(const char *folder, struct gate_files *files, struct err *e) {
    DIR *d = opendir(folder);
    if (!d)
        return err_set(e, RC_IO, "%s: cannot read the folder: %s", folder, strerror(errno));
    char **paths = NULL;
    size_t n = 0, room = 0;
    for (struct dirent *entry; (entry = readdir(d));) {
        size_t length = strlen(entry->d_name);
        if (length <= 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0)
            continue;
        MEM_GROW(paths, n, room);
        paths[n++] = mem_printf("%s/%s", folder, entry->d_name);
    }
    closedir(d);
    if (n)
        qsort(paths, n, sizeof *paths, by_name);
    *files = (struct gate_files){0};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < n; i++) {
        if (!rc)
            rc = read_file(files, paths[i], e);
        free(paths[i]);
    }
    free(paths);
    if (!rc && files->n == 0)
        rc = err_set(e, RC_SCHEMA, "%s: no gate in the folder, expected a file .yaml with 'schema: " GATE_SCHEMA
                     "' or '" PACKET_SCHEMA "'",
                     folder);
    if (rc)
        gate_files_clear(files);
    return rc;
}

void gate_files_clear(struct gate_files *files) {
    for (size_t i = 0; i < files->n; i++)
        yaml_doc_free(files->docs[i]);
    free(files->docs);
    free(files->gates);
    *files = (struct gate_files){0};
}
