/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/study/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/find.h"
#include "platforms/route_table.h"

/* Files of a workload beside its own. */
enum { LAYER_FILES = 3 };

/* --- machine: platform, links and library ---------------------------------------------------------- */

struct machine {
    struct platform *platform;
    struct topology *topology;
    struct implementation *implementation; /* NULL: not asked for */
    bool imitation;
    char constants_sha256[HASH_TEXT];
};

/* A file of the user under the name of a shipped one is another library. */
static bool is_imitation(const struct implementation *m) {
    struct implementation *shipped;
    char *path = find_path(FIND_IMPLEMENTATION, m->name);
    bool is_shipped = path && strcmp(path, m->doc->file) == 0;
    free(path);
    if (is_shipped || implementation_load(m->name, NULL, 0, &shipped, NULL) != RC_OK)
        return false;
    bool same = strcmp(shipped->doc->sha256, m->doc->sha256) == 0;
    implementation_free(shipped);
    return !same;
}

static void machine_free(void *thing) {
    struct machine *m = thing;
    topo_free(m->topology);
    plat_free(m->platform);
    implementation_free(m->implementation);
    free(m);
}

static enum rc machine_fill(const struct question *q, bool implementation, struct machine *m, struct err *e) {
    const struct question_input *p = &q->platform, *how = &q->implementation;
    enum rc rc = plat_load(p->name ? p->name : PLATFORM_DEFAULT, p->settings, p->n, &m->platform, e);
    if (!rc)
        m->topology = topo_build(m->platform);
    if (!rc && implementation)
        rc = implementation_load(how->name ? how->name : m->platform->implementation, how->settings, how->n,
                                 &m->implementation, e);
    if (!rc)
        rc = implementation_apply(m->implementation, m->topology, e);
    if (!rc)
        manifest_digest(&m->platform->doc->files, m->constants_sha256);
    m->imitation = !rc && implementation && is_imitation(m->implementation);
    return rc;
}

static enum rc machine_load(const struct question *q, bool implementation, struct machine **machine, struct err *e) {
    struct machine *m = mem_alloc(1, sizeof *m);
    enum rc rc = machine_fill(q, implementation, m, e);
    if (rc)
        machine_free(m);
    else
        *machine = m;
    return rc;
}

/* About what files, links and, once calls are made, the table of routes take. */
static size_t machine_bytes(const struct machine *m) {
    size_t ranks = (size_t)m->topology->ranks, pairs = ranks > ROUTE_TABLE_RANKS ? 0 : ranks * ranks;
    enum { FILES = 1 << 16, OF_PAIR = 32 };
    return FILES + (size_t)m->topology->n_links * sizeof(struct link) + pairs * OF_PAIR;
}

/* --- what comes from a name and settings ----------------------------------------------------------- */

static void add_key(struct buf *key, const struct question_input *input) {
    buf_printf(key, "%s\n", input->name ? input->name : "");
    for (size_t i = 0; i < input->n; i++)
        buf_printf(key, "%s=%s\n", input->settings[i].key, input->settings[i].value);
    buf_text(key, "\n");
}

static enum rc load_machine(const struct question *q, unsigned parts, struct inputs *in, struct err *e) {
    struct memo *memo = in->memo ? &in->memo->machines : NULL;
    struct buf key = {0};
    add_key(&key, &q->platform);
    add_key(&key, &q->implementation);
    enum rc rc = RC_OK;
    struct machine *m = memo ? memo_find(memo, key.text) : NULL;
    if (!m) {
        rc = machine_load(q, parts & INPUT_IMPLEMENTATION, &m, e);
        if (!rc && memo)
            memo_keep(memo, key.text, m, machine_bytes(m), machine_free);
    }
    buf_clear(&key);
    if (rc)
        return rc;
    in->machine = m;
    in->platform = m->platform;
    in->topology = m->topology;
    in->implementation = m->implementation;
    in->imitation = m->imitation;
    in->constants_sha256 = m->constants_sha256;
    return RC_OK;
}

/* A workload, and for the key of its traffic the hashes of its files, once somebody has asked for them. */
struct layer {
    struct workload *workload;
    bool hashed;
    char sha256[LAYER_FILES][HASH_TEXT];
};

static void layer_free(void *thing) {
    struct layer *l = thing;
    workload_free(l->workload);
    free(l);
}

static enum rc layer_load(const struct question_input *w, struct layer **layer, struct err *e) {
    struct layer *l = mem_alloc(1, sizeof *l);
    enum rc rc = workload_load(w->name ? w->name : WORKLOAD_DEFAULT, w->settings, w->n, &l->workload, e);
    if (rc)
        free(l);
    else
        *layer = l;
    return rc;
}

static enum rc load_workload(const struct question *q, struct inputs *in, struct err *e) {
    enum { BYTES = 1 << 14 }; // about what its file takes
    struct memo *memo = in->memo ? &in->memo->workloads : NULL;
    struct buf key = {0};
    add_key(&key, &q->workload);
    enum rc rc = RC_OK;
    in->layer = memo ? memo_find(memo, key.text) : NULL;
    if (!in->layer) {
        rc = layer_load(&q->workload, &in->layer, e);
        if (!rc && memo)
            memo_keep(memo, key.text, in->layer, BYTES, layer_free);
    }
    in->workload = rc ? NULL : in->layer->workload;
    buf_clear(&key);
    return rc;
}

/* --- files ------------------------------------------------------------------------------------------ */

static const char *layer_path(const struct workload *w, int file) {
    const char *const paths[LAYER_FILES] = {w->trace_path, w->placement_path, w->tokens_path};
    return paths[file];
}

/* What was hashed while it was read is not read again. */
static void take_trace_hash(struct layer *l, const struct traffic *t) {
    if (t && *t->trace_sha256)
        memcpy(l->sha256[0], t->trace_sha256, HASH_TEXT);
}

static enum rc layer_hash(struct layer *l, struct err *e) {
    enum rc rc = RC_OK;
    for (int i = 0; i < LAYER_FILES && !l->hashed && !rc; i++)
        if (layer_path(l->workload, i) && !*l->sha256[i])
            rc = hash_file(layer_path(l->workload, i), l->sha256[i], e);
    l->hashed = !rc;
    return rc;
}

enum rc inputs_files(const struct inputs *in, struct manifest *files, struct err *e) {
    static const char *const roles[LAYER_FILES] = {"trace", "placement", "tokens"};
    if (in->layer)
        take_trace_hash(in->layer, in->traffic);
    enum rc rc = in->layer ? layer_hash(in->layer, e) : RC_OK;
    if (rc)
        return rc;
    const struct yaml_doc *const docs[] = {in->platform ? in->platform->doc : NULL,
                                           in->workload ? in->workload->doc : NULL,
                                           in->implementation ? in->implementation->doc : NULL};
    enum { DOCS = sizeof docs / sizeof *docs };
    for (int i = 0; i < DOCS; i++)
        if (docs[i] && docs[i]->files.n)
            manifest_add(files, docs[i]->files.items[0].role, docs[i]->files.items[0].path,
                         docs[i]->files.items[0].sha256);
    for (int i = 0; in->layer && i < LAYER_FILES; i++)
        if (layer_path(in->workload, i))
            manifest_add(files, roles[i], layer_path(in->workload, i), in->layer->sha256[i]);
    for (int i = 0; i < DOCS; i++)
        if (docs[i])
            manifest_add_all(files, &docs[i]->files, NULL);
    return RC_OK;
}

/* --- what is drawn --------------------------------------------------------------------------------- */

static enum rc load_arrival(const struct question *q, struct inputs *in, struct err *e) {
    int ranks = plat_ranks(in->platform);
    bool skewed;
    double *enter_s = mem_alloc((size_t)ranks, sizeof *enter_s);
    enum rc rc = job_arrival(in->platform, in->workload, (uint64_t)q->seed, enter_s, &skewed, e);
    if (!rc && skewed)
        in->enter_s = enter_s;
    else
        free(enter_s);
    return rc;
}

static void drawn_free(void *thing) {
    struct drawn *d = thing;
    traffic_free(d->traffic);
    free(d);
}

static enum rc drawn_load(const struct question *q, const struct inputs *in, struct drawn **drawn, struct err *e) {
    struct traffic *t;
    enum rc rc = traffic_build(in->platform, in->workload, (uint64_t)q->seed, &t, e);
    if (rc)
        return rc;
    struct drawn *d = mem_alloc(1, sizeof *d);
    d->traffic = t;
    traffic_rho(t, &d->rho);
    d->same_per_rank = !(matrix_total(&t->one_hop_rank, false) < matrix_total(&t->one_hop, false));
    *drawn = d;
    return RC_OK;
}

static size_t traffic_bytes(const struct traffic *t) {
    const struct matrix *const all[] = {&t->one_hop, &t->one_hop_rank, &t->hop_b, &t->hop_b_rank};
    size_t entries = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        entries += all[i]->start[all[i]->ranks];
    for (int cut = 0; cut < TIER_MAX && t->hop_a[cut].start; cut++)
        entries += t->hop_a[cut].start[t->ranks];
    return entries * (sizeof *t->one_hop.dst + sizeof *t->one_hop.value);
}

static void hash_text(struct hash *h, const char *text) {
    hash_add(h, text, strlen(text) + 1);
}

/* What the traffic comes from: the workload and its files, the shape of the platform and the seed. */
static enum rc traffic_key(const struct question *q, const struct inputs *in, char text[static HASH_TEXT],
                           struct err *e) {
    const struct platform *p = in->platform;
    enum rc rc = layer_hash(in->layer, e);
    if (rc)
        return rc;
    struct hash *h = hash_start();
    hash_add(h, &q->seed, sizeof q->seed);
    for (int tier = 0; tier < p->n_tiers; tier++)
        hash_add(h, p->domains[tier].first, ((size_t)p->domains[tier].n + 1) * sizeof *p->domains[tier].first);
    hash_text(h, in->workload->doc->sha256);
    for (size_t i = 0; i < q->workload.n; i++) {
        hash_text(h, q->workload.settings[i].key);
        hash_text(h, q->workload.settings[i].value);
    }
    for (int i = 0; i < LAYER_FILES; i++)
        hash_text(h, in->layer->sha256[i]);
    hash_end(h, text);
    return RC_OK;
}

static enum rc load_traffic(const struct question *q, struct inputs *in, struct err *e) {
    struct memo *memo = in->memo ? &in->memo->traffic : NULL;
    char key[HASH_TEXT];
    enum rc rc = memo ? traffic_key(q, in, key, e) : RC_OK;
    struct drawn *d = memo && !rc ? memo_find(memo, key) : NULL;
    if (!rc && !d) {
        rc = drawn_load(q, in, &d, e);
        if (!rc && memo)
            memo_keep(memo, key, d, traffic_bytes(d->traffic), drawn_free);
    }
    if (rc)
        return rc;
    in->drawn = d;
    in->traffic = d->traffic;
    return RC_OK;
}

/* --- all together ---------------------------------------------------------------------------------- */

enum rc inputs_load(const struct question *q, unsigned parts, struct inputs *in, struct err *e) {
    enum rc rc = RC_OK;
    if (parts & (INPUT_PLATFORM | INPUT_IMPLEMENTATION | INPUT_TRAFFIC))
        rc = load_machine(q, parts, in, e);
    if (!rc && (parts & (INPUT_WORKLOAD | INPUT_TRAFFIC)))
        rc = load_workload(q, in, e);
    if (!rc && (parts & INPUT_TRAFFIC))
        rc = load_arrival(q, in, e);
    if (!rc && (parts & INPUT_TRAFFIC))
        rc = load_traffic(q, in, e);
    return rc;
}

void inputs_clear(struct inputs *in) {
    free(in->enter_s);
    if (!in->memo) {
        if (in->drawn)
            drawn_free(in->drawn);
        if (in->layer)
            layer_free(in->layer);
        if (in->machine)
            machine_free(in->machine);
    }
    *in = (struct inputs){0};
}

struct inputs_memo inputs_memo(void) {
    enum { MACHINES = 32 << 20, WORKLOADS = 2 << 20, TRAFFIC = 32 << 20 };
    return (struct inputs_memo){.machines.limit_bytes = MACHINES,
                                .workloads.limit_bytes = WORKLOADS,
                                .traffic.limit_bytes = TRAFFIC};
}

void inputs_memo_clear(struct inputs_memo *m) {
    memo_clear(&m->traffic);
    memo_clear(&m->workloads);
    memo_clear(&m->machines);
}
