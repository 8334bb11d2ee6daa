/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/packet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/find.h"

enum { PACKETS_MAX = 1 << 24, PAIRS_MAX = 1 << 24 }; /* packets of a message; pairs of ranks over all cases */

static const char *const topology_choices[] = {"sw", "leaf-spine", NULL};
static const char *const class_choices[] = {"ideal", "sprayed", "one-path", "drops", "untuned", NULL};

static const struct key simulator_keys[] = {
    {"id", KEY_TEXT, offsetof(struct packet_simulator, id), .required = true, .help = "name"},
    {"source", KEY_TEXT, offsetof(struct packet_simulator, source), .required = true, .help = "where it comes from"},
    {"commit", KEY_TEXT, offsetof(struct packet_simulator, commit), .help = "its version"},
    {"licence", KEY_TEXT, offsetof(struct packet_simulator, licence), .help = "of the simulator"},
    {"change", KEY_TEXT, offsetof(struct packet_simulator, change), .help = "what was changed before the runs"},
    {0}};

static const struct key transport_keys[] = {
    {"id", KEY_TEXT, offsetof(struct packet_transport, id), .required = true, .help = "what results call it"},
    {"class", KEY_CHOICE, offsetof(struct packet_transport, class), .required = true, .choices = class_choices,
     .help = "`transport` of a tier that it stands for; `untuned`: none"},
    {"simulator", KEY_TEXT, offsetof(struct packet_transport, simulator), .help = "of `simulators`; none: measured"},
    {"what", KEY_TEXT, offsetof(struct packet_transport, what), .help = "in words"},
    {0}};

static const struct key result_keys[] = {
    {"transport", KEY_TEXT, offsetof(struct packet_result, transport), .required = true, .help = "of `transports`"},
    {"time_us", KEY_NODE, offsetof(struct packet_result, time_node), .required = true,
     .help = "list: end of the last flow, once for each draw of the hashing"},
    {"ser_ns", KEY_NUMBER, offsetof(struct packet_result, ser_ns), .min = 1e-3, .max = 1e9,
     .help = "service time of a packet, where it is not packet_bytes at the link rate"},
    {"fluid_us", KEY_NUMBER, offsetof(struct packet_result, fluid_us), .min = 1e-6, .max = 1e12,
     .help = "the fluid time under that service time"},
    {0}};

static const struct key case_keys[] = {
    {"id", KEY_TEXT, offsetof(struct packet_case, id), .required = true, .help = "name of the case"},
    {"kind", KEY_TEXT, offsetof(struct packet_case, kind), .required = true, .help = "of its matrix, in a word"},
    {"topology", KEY_CHOICE, offsetof(struct packet_case, topology), .required = true, .choices = topology_choices,
     .help = "one switch that does not block, or leaves and spines"},
    {"leaf_ranks", KEY_COUNT, offsetof(struct packet_case, leaf_ranks), .min = 1, .max = PACKET_RANKS_MAX,
     .help = "leaf-spine: ranks below a leaf"},
    {"oversubscription", KEY_NUMBER, offsetof(struct packet_case, oversubscription), .min = 1, .max = 1e6,
     .help = "leaf-spine: ports below a leaf over ports above it"},
    {"ranks", KEY_COUNT, offsetof(struct packet_case, ranks), .required = true, .min = 2, .max = PACKET_RANKS_MAX,
     .help = "senders and receivers"},
    {"rate_gbps", KEY_NUMBER, offsetof(struct packet_case, rate_gbps), .required = true, .min = 1e-3, .max = 1e6,
     .help = "of every link, Gb/s"},
    {"window", KEY_COUNT, offsetof(struct packet_case, window), .required = true, .min = 1, .max = PACKET_RANKS_MAX,
     .word = "all", .help = "messages in flight per sender"},
    {"seed", KEY_COUNT, offsetof(struct packet_case, seed), .max = 1e15, .help = "that its rows were drawn with"},
    {"matrix", KEY_NODE, offsetof(struct packet_case, matrix_node), .required = true,
     .help = "packets: `{each_pair}`, `{receiver, senders, each}`, `{hot, factor, mean}`, or rows by sender"},
    {"fluid_us", KEY_NUMBER, offsetof(struct packet_case, fluid_us), .required = true, .min = 1e-6, .max = 1e12,
     .help = "wire time of the fluid answer"},
    {"bound_us", KEY_NUMBER, offsetof(struct packet_case, bound_us), .required = true, .min = 1e-6, .max = 1e12,
     .help = "largest load of a link"},
    {"fluid_stop_and_wait_us", KEY_NUMBER, offsetof(struct packet_case, stop_and_wait_us), .min = 1e-6, .max = 1e12,
     .help = "window 1: fluid time with one round trip a message"},
    {"rtt_us", KEY_NUMBER, offsetof(struct packet_case, rtt_us), .required = true, .min = 1e-6, .max = 1e12,
     .help = "unloaded round trip on the shortest path into the busiest rank"},
    {"rtt_long_us", KEY_NUMBER, offsetof(struct packet_case, rtt_long_us), .required = true, .min = 1e-6, .max = 1e12,
     .help = "on the longest path"},
    {"results", KEY_LIST, offsetof(struct packet_case, results), .required = true, .table = result_keys,
     .item_size = sizeof(struct packet_result), .help = "times, by transport"},
    {0}};

const struct key packet_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct packet_corpus, schema), .required = true, .help = "`" PACKET_SCHEMA "`"},
    {"name", KEY_TEXT, offsetof(struct packet_corpus, name), .required = true, .help = "name of the corpus"},
    {"description", KEY_TEXT, offsetof(struct packet_corpus, description), .help = "one line"},
    {"conditions", KEY_TEXT, offsetof(struct packet_corpus, conditions), .required = true, .help = "how it was made"},
    {"origin", KEY_TEXT, offsetof(struct packet_corpus, origin), .required = true, .help = "where it comes from"},
    {"licence", KEY_TEXT, offsetof(struct packet_corpus, licence), .required = true,
     .help = "`facts` for numbers without text"},
    {"taken", KEY_TEXT, offsetof(struct packet_corpus, taken), .help = "when"},
    {"packet_bytes", KEY_COUNT, offsetof(struct packet_corpus, packet_bytes), .min = 1, .max = 1 << 20,
     .otherwise = "4160", .help = "of a packet on the wire, headers included"},
    {"simulators", KEY_LIST, offsetof(struct packet_corpus, simulators), .table = simulator_keys,
     .item_size = sizeof(struct packet_simulator), .help = "what the transports ran on"},
    {"transports", KEY_LIST, offsetof(struct packet_corpus, transports), .required = true, .table = transport_keys,
     .item_size = sizeof(struct packet_transport), .help = "what the times are of"},
    {"cases", KEY_LIST, offsetof(struct packet_corpus, cases), .required = true, .table = case_keys,
     .item_size = sizeof(struct packet_case), .help = "exchanges"},
    {0}};

/* --- numbers in lists -------------------------------------------------------------------------- */

static enum rc read_number(const char *key, const struct yaml_node *node, double most, double *value, struct err *e) {
    char *end = NULL;
    double number = node->type == YAML_SCALAR && node->plain ? strtod(node->text, &end) : NAN;
    bool whole = end && end != node->text && !*end && !strpbrk(node->text, "xX");
    if (!whole || !(number >= 0 && number <= most))
        return err_at(e, RC_SCHEMA, &node->at, "%s: '%.40s' found, expected a number from 0 to %.15g", key,
                      node->type == YAML_SCALAR ? node->text : "a list", most);
    *value = number;
    return RC_OK;
}

static enum rc read_whole(const char *key, const struct yaml_node *node, double most, int *value, struct err *e) {
    double number = 0;
    enum rc rc = read_number(key, node, most, &number, e);
    if (!rc && number != floor(number))
        rc = err_at(e, RC_SCHEMA, &node->at, "%s: '%.40s' found, expected a whole number", key, node->text);
    if (!rc)
        *value = (int)number;
    return rc;
}

/* --- matrices ---------------------------------------------------------------------------------- */

/* The matrix of a case while it is made, in packets. */
struct making {
    const struct packet_case *c;
    int ranks;
    double *packets; /* [src * ranks + dst] */
};

static enum rc fill_rows(struct making *m, struct err *e) {
    const struct yaml_node *rows = m->c->matrix_node;
    if (rows->n != (size_t)m->ranks)
        return err_at(e, RC_SCHEMA, &rows->at, "matrix: %zu rows for %d ranks", rows->n, m->ranks);
    for (int src = 0; src < m->ranks; src++) {
        const struct yaml_node *row = rows->items[src];
        if (row->type != YAML_LIST || row->n != (size_t)m->ranks)
            return err_at(e, RC_SCHEMA, &row->at, "matrix: row %d is no list of %d numbers of packets", src, m->ranks);
        for (int dst = 0; dst < m->ranks; dst++) {
            int packets = 0;
            enum rc rc = read_whole("matrix", row->items[dst], PACKETS_MAX, &packets, e);
            if (!rc && src == dst && packets)
                rc = err_at(e, RC_RANGE, &row->items[dst]->at, "matrix: rank %d sends to itself", src);
            if (rc)
                return rc;
            m->packets[src * m->ranks + dst] = packets;
        }
    }
    return RC_OK;
}

/* Reads a generator's parameters by name; all of them must be there, and nothing else. */
static enum rc read_parameters(const struct yaml_node *map, const char *const names[], const double most[], int *values,
                               struct err *e) {
    size_t n = 0;
    for (; names[n]; n++) {
        const struct yaml_node *node = yaml_get(map, names[n]);
        if (!node)
            return err_at(e, RC_SCHEMA, &map->at, "matrix: '%s' needs the key '%s' beside it", names[0], names[n]);
        enum rc rc = most[n] > 0 ? read_whole(names[n], node, most[n], &values[n], e) : RC_OK;
        if (rc)
            return rc;
    }
    return map->n == n ? RC_OK
                       : err_at(e, RC_SCHEMA, &map->at, "matrix: '%s' has keys that belong to no generator", names[0]);
}

static enum rc fill_uniform(struct making *m, struct err *e) {
    static const char *const names[] = {"each_pair", NULL};
    int each = 0;
    enum rc rc = read_parameters(m->c->matrix_node, names, (const double[]){PACKETS_MAX}, &each, e);
    for (int i = 0; i < m->ranks * m->ranks; i++)
        m->packets[i] = i % (m->ranks + 1) ? each : 0;
    return rc;
}

static enum rc fill_incast(struct making *m, struct err *e) {
    static const char *const names[] = {"receiver", "each", "senders", NULL};
    const double most[] = {m->ranks - 1, PACKETS_MAX, 0};
    int v[2] = {0, 0};
    enum rc rc = read_parameters(m->c->matrix_node, names, most, v, e);
    if (rc)
        return rc;
    const struct yaml_node *senders = yaml_get(m->c->matrix_node, "senders");
    if (senders->type != YAML_LIST || !senders->n)
        return err_at(e, RC_SCHEMA, &senders->at, "senders: expected a list of ranks");
    for (size_t i = 0; i < senders->n; i++) {
        int src = 0;
        rc = read_whole("senders", senders->items[i], m->ranks - 1, &src, e);
        if (rc)
            return rc;
        double *into = &m->packets[src * m->ranks + v[0]];
        if (src == v[0] || *into > 0)
            return err_at(e, RC_RANGE, &senders->items[i]->at, "senders: %d is named twice, or is the receiver", src);
        *into = v[1];
    }
    return RC_OK;
}

/* Fills the matrix of a hot receiver: each rank sends mean (ranks - 1) packets; the hot one gets `factor` times what
 * another rank gets of them. */
static enum rc fill_hot(struct making *m, struct err *e) {
    static const char *const names[] = {"hot", "factor", "mean", NULL};
    const double most[] = {m->ranks - 1, 1000, PACKETS_MAX / PACKET_RANKS_MAX};
    int v[3] = {0, 0, 0};
    enum rc rc = read_parameters(m->c->matrix_node, names, most, v, e);
    if (rc)
        return rc;
    for (int src = 0; src < m->ranks; src++)
        for (int dst = 0; dst < m->ranks; dst++) {
            double all = (double)v[2] * (m->ranks - 1), weight = dst == v[0] ? v[1] : 1;
            double sum = m->ranks - 2 + (src == v[0] ? 1 : v[1]);
            m->packets[src * m->ranks + dst] = src == dst ? 0 : floor(all * weight / sum + 0.5);
        }
    return RC_OK;
}

static enum rc fill(struct making *m, struct err *e) {
    const struct yaml_node *node = m->c->matrix_node;
    if (node->type == YAML_LIST)
        return fill_rows(m, e);
    if (node->type == YAML_MAP && yaml_get(node, "each_pair"))
        return fill_uniform(m, e);
    if (node->type == YAML_MAP && yaml_get(node, "receiver"))
        return fill_incast(m, e);
    if (node->type == YAML_MAP && yaml_get(node, "hot"))
        return fill_hot(m, e);
    return err_at(e, RC_SCHEMA, &node->at,
                  "matrix: expected {each_pair: N}, {receiver: R, senders: [..], each: N}, {hot: R, factor: F, mean: "
                  "N}, or one row of packets for each sender");
}

static enum rc read_matrix(struct packet_corpus *corpus, struct packet_case *c, struct err *e) {
    size_t n = (size_t)c->ranks * (size_t)c->ranks;
    double sum = 0;
    c->bytes = arena_alloc(&corpus->doc->arena, n, sizeof *c->bytes);
    struct making m = {c, (int)c->ranks, c->bytes};
    enum rc rc = fill(&m, e);
    for (size_t i = 0; i < n && !rc; i++)
        sum += c->bytes[i] *= (double)corpus->packet_bytes;
    return rc || sum > 0 ? rc : err_at(e, RC_RANGE, &c->matrix_node->at, "matrix: no rank sends anything");
}

/* --- cases ------------------------------------------------------------------------------------- */

static const struct packet_transport *find_transport(const struct packet_corpus *corpus, const char *id) {
    const struct packet_transport *all = corpus->transports.items;
    for (size_t i = 0; i < corpus->transports.n; i++)
        if (strcmp(all[i].id, id) == 0)
            return &all[i];
    return NULL;
}

static enum rc read_times(struct packet_corpus *corpus, struct packet_result *r, struct err *e) {
    const struct yaml_node *list = r->time_node;
    if (list->type != YAML_LIST || !list->n)
        return err_at(e, RC_SCHEMA, &list->at, "time_us: expected a list of times, such as [12.5, 12.9]");
    r->n_times = list->n;
    r->time_s = arena_alloc(&corpus->doc->arena, list->n, sizeof *r->time_s);
    for (size_t i = 0; i < list->n; i++) {
        double time_us = 0;
        enum rc rc = read_number("time_us", list->items[i], 1e12, &time_us, e);
        if (rc)
            return rc;
        r->time_s[i] = time_us * 1e-6;
        if (!(time_us > 0) || (i && r->time_s[i] < r->time_s[i - 1]))
            return err_at(e, RC_RANGE, &list->items[i]->at, "time_us: times are above 0 and in ascending order");
    }
    return RC_OK;
}

static enum rc read_result(struct packet_corpus *corpus, const struct packet_case *c, struct packet_result *r,
                           struct err *e) {
    const struct packet_transport *t = find_transport(corpus, r->transport);
    if (!t)
        return err_at(e, RC_SCHEMA, &r->time_node->at, "results: '%.40s' is none of `transports`", r->transport);
    if (r->ser_ns.given != r->fluid_us.given)
        return err_at(e, RC_SCHEMA, &r->time_node->at, "results: ser_ns and fluid_us are given together or not at all");
    r->class = t->class;
    r->slowed = r->ser_ns.given ? r->ser_ns.value * 1e-9 * packet_rate_Bps(c) / (double)corpus->packet_bytes : 1;
    return read_times(corpus, r, e);
}

static enum rc check_topology(const struct packet_case *c, struct err *e) {
    const struct place *at = &c->matrix_node->at;
    bool leaves = c->topology == PACKET_LEAF_SPINE;
    if (leaves != (c->leaf_ranks > 0) || leaves != c->oversubscription.given)
        return err_at(e, RC_SCHEMA, at, "%s: leaf_ranks and oversubscription belong to leaf-spine, which needs both",
                      c->id);
    if (leaves && (c->ranks % c->leaf_ranks || c->ranks == c->leaf_ranks))
        return err_at(e, RC_RANGE, at, "%s: leaves of %lld ranks do not divide %lld ranks", c->id,
                      (long long)c->leaf_ranks, (long long)c->ranks);
    return RC_OK;
}

static enum rc read_case(struct packet_corpus *corpus, struct packet_case *c, struct err *e) {
    enum rc rc = check_topology(c, e);
    if (!rc)
        rc = read_matrix(corpus, c, e);
    struct packet_result *results = c->results.items;
    for (size_t i = 0; i < c->results.n && !rc; i++)
        rc = read_result(corpus, c, &results[i], e);
    return rc;
}

static enum rc packet_read_corpus(struct packet_corpus *c, struct err *e) {
    enum rc rc = keys_schema(c->doc, PACKET_SCHEMA, e);
    if (!rc)
        rc = keys_read(packet_keys, c->doc->root, c->doc, c, e);
    struct packet_case *cases = c->cases.items;
    int64_t pairs = 0;
    for (size_t i = 0; i < c->cases.n && !rc; i++) {
        pairs += cases[i].ranks * cases[i].ranks;
        rc = pairs > PAIRS_MAX
                 ? err_at(e, RC_RANGE, &cases[i].matrix_node->at, "cases: more than %d pairs of ranks", PAIRS_MAX)
                 : read_case(c, &cases[i], e);
        for (size_t k = 0; k < i && !rc; k++)
            if (strcmp(cases[k].id, cases[i].id) == 0)
                rc = err_at(e, RC_SCHEMA, &cases[i].matrix_node->at, "case '%.60s' stands here twice", cases[i].id);
    }
    return rc || c->cases.n ? rc : err_at(e, RC_SCHEMA, &c->doc->root->at, "'cases' must list at least one case");
}

/* Makes a corpus from a document, which belongs to the corpus from then on. */
static enum rc from_doc(struct yaml_doc *doc, struct packet_corpus **corpus, struct err *e) {
    struct packet_corpus *c = mem_alloc(1, sizeof *c);
    c->doc = doc;
    enum rc rc = packet_read_corpus(c, e);
    if (rc)
        packet_free(c);
    else
        *corpus = c;
    return rc;
}

enum rc packet_load(const char *name_or_path, struct packet_corpus **corpus, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = find_load(FIND_PACKET, name_or_path, &doc, e);
    return rc ? rc : from_doc(doc, corpus, e);
}

enum rc packet_parse(const char *text, size_t n, const char *name, struct packet_corpus **corpus, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = yaml_parse(text, n, name, &doc, e);
    return rc ? rc : from_doc(doc, corpus, e);
}

void packet_free(struct packet_corpus *c) {
    if (!c)
        return;
    yaml_doc_free(c->doc);
    free(c);
}

double packet_rate_Bps(const struct packet_case *c) {
    return c->rate_gbps.value * 1e9 / 8;
}

double packet_message_bytes(const struct packet_case *c) {
    double sum = 0;
    size_t messages = 0, n = (size_t)c->ranks * (size_t)c->ranks;
    for (size_t i = 0; i < n; i++) {
        sum += c->bytes[i];
        messages += c->bytes[i] > 0;
    }
    return messages ? sum / (double)messages : 0;
}
