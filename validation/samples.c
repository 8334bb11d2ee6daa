/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/samples.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/mem.h"
#include "validation/sample_logs.h"
#include "workloads/records/csv.h"

enum { COLUMNS = 13, MOST_BYTES = 1 << 28 };
static const double most_number = 1e18; /* no size and no time is above it */

static const char *const spans[] = {"fast", "slow", NULL};
static const char *const groupings[] = {"hosts", "option", NULL};
static const char *const memories[] = {"host", "cuda", "hip", NULL};

#define IN(field) offsetof(struct samples, field)
const struct key sample_keys[] = {
    {"schema", KEY_TEXT, IN(schema), .required = true, .help = "`" SAMPLES_SCHEMA "`"},
    {"machine", KEY_TEXT, IN(machine), .required = true, .help = "name of the platform that comes of it"},
    {"implementation", KEY_TEXT, IN(implementation), .required = true, .help = "library that ran the calls"},
    {"mpi", KEY_TEXT, IN(mpi), .help = "version, as the library states it"},
    {"hosts", KEY_COUNT, IN(hosts), .min = 1, .otherwise = "1", .help = "different host names"},
    {"groups", KEY_COUNT, IN(groups), .required = true, .min = 1, .help = "fast domains"},
    {"ranks_per_group", KEY_COUNT, IN(ranks_per_group), .required = true, .min = 1, .help = "ranks in each"},
    {"grouping", KEY_CHOICE, IN(grouping), .choices = groupings, .otherwise = "hosts",
     .help = "how groups were found: names of hosts, or `--ranks-per-group`"},
    {"binding", KEY_TEXT, IN(binding), .help = "of processes to cores, where the launcher states it"},
    {"memory", KEY_CHOICE, IN(memory), .choices = memories, .otherwise = "host", .help = "where buffers were"},
    {"clock", KEY_TIME, IN(clock_s), .otherwise = "0s",
     .help = "smallest step of the clock that was seen; 0s: it does not move by itself (a simulator's)"},
    {"empty_region", KEY_TIME, IN(empty_region_s), .otherwise = "0s", .help = "median time of a region without calls"},
    {"warm_up", KEY_COUNT, IN(warm_up), .otherwise = "0", .help = "runs of a point before its first sample"},
    {"precision", KEY_NUMBER, IN(precision), .otherwise = "0",
     .help = "half-width of a median's interval over it, at which a point closed"},
    {"budget", KEY_TIME, IN(budget_s), .otherwise = "0s", .help = "most time of one quantity"},
    {"seed", KEY_COUNT, IN(seed), .otherwise = "0", .help = "of the random order"},
    {"started", KEY_TEXT, IN(started), .help = "date and time, UTC"},
    {0}};
#undef IN

#define IN(field) offsetof(struct sample, field)
const struct key sample_columns[] = {
    {"quantity", KEY_CHOICE, IN(quantity), .required = true, .choices = sampled_names, .help = "what was timed"},
    {"part", KEY_TEXT, IN(part), .help = "hop, stage of the chain, or file of the matrix"},
    {"regime", KEY_CHOICE, IN(regime), .choices = regime_names, .required = true,
     .help = "`observed`: the host waits for each call; `ahead`: calls are issued and waited for at the end"},
    {"span", KEY_CHOICE, IN(span), .choices = spans, .required = true,
     .help = "`fast`: inside one group; `slow`: between groups too"},
    {"world", KEY_COUNT, IN(world), .required = true, .min = 1, .help = "ranks that take part"},
    {"senders", KEY_COUNT, IN(senders), .required = true, .min = 1, .help = "ranks that send at once"},
    {"peers", KEY_COUNT, IN(peers), .required = true,
     .help = "messages of a sender in one call; pairs of the chain"},
    {"message_bytes", KEY_NUMBER, IN(message_bytes), .required = true, .help = "the largest message"},
    {"send_bytes", KEY_NUMBER, IN(send_bytes), .required = true,
     .help = "send buffer of a rank, own part included (not in `replay`)"},
    {"calls", KEY_COUNT, IN(calls), .required = true, .min = 1, .help = "in a row, in the time"},
    {"repeat", KEY_COUNT, IN(repeat), .required = true, .help = "sample of its point, from 0"},
    {"turn", KEY_COUNT, IN(turn), .required = true, .help = "sample of the run, from 0: the order in time"},
    {"time_s", KEY_NUMBER, IN(time_s), .required = true, .help = "of all calls, slowest rank"},
    {0}};
#undef IN

/* --- rows ------------------------------------------------------------------------------------ */

static enum rc wrong_field(const struct csv_field *f, const struct key *k, const char *expected, struct err *e) {
    return err_at(e, RC_SCHEMA, &f->at, "%s: '%.40s' found, expected %s", k->name, f->text, expected);
}

static enum rc read_choice(const struct csv_field *f, const struct key *k, int *into, struct err *e) {
    size_t n = 0;
    for (; k->choices[n]; n++)
        if (!strcmp(f->text, k->choices[n])) {
            *into = (int)n;
            return RC_OK;
        }
    struct err_hint hint = err_hint("; ", f->text, k->choices, n);
    return err_at(e, RC_SCHEMA, &f->at, "%s: '%.40s' is not known%s", k->name, f->text, hint.text);
}

static enum rc read_field(const struct csv_field *f, const struct key *k, struct samples *s, struct sample *into,
                          struct err *e) {
    char *field = (char *)into + k->offset;
    double number = 0;
    if (k->kind == KEY_CHOICE)
        return read_choice(f, k, (int *)(void *)field, e);
    if (k->kind == KEY_TEXT) {
        const char *text = arena_copy(&s->doc->arena, f->text);
        memcpy(field, &text, sizeof text);
        return RC_OK;
    }
    if (!csv_number(f, &number) || number < 0 || number > most_number)
        return wrong_field(f, k, "a number from 0 to 1e18", e);
    if (k->kind == KEY_NUMBER) {
        *(double *)(void *)field = number;
        return RC_OK;
    }
    if (number != floor(number) || number > 1e15 || number < k->min)
        return wrong_field(f, k, k->min > 0 ? "a whole number of at least 1" : "a whole number", e);
    *(int64_t *)(void *)field = (int64_t)number;
    return RC_OK;
}

/* Which key each column of the header names. */
static enum rc read_header(const struct csv *c, const struct key *columns[COLUMNS], struct err *e) {
    bool seen[COLUMNS] = {false};
    if (c->n_fields > COLUMNS)
        return err_at(e, RC_SCHEMA, &c->fields[COLUMNS].at, "%zu columns, there are %d", c->n_fields, COLUMNS);
    for (size_t i = 0; i < c->n_fields; i++) {
        int k = 0;
        while (sample_columns[k].name && strcmp(sample_columns[k].name, c->fields[i].text) != 0)
            k++;
        if (!sample_columns[k].name || seen[k])
            return err_at(e, RC_SCHEMA, &c->fields[i].at, "column '%.40s' is %s", c->fields[i].text,
                          sample_columns[k].name ? "there twice" : "not known");
        seen[k] = true;
        columns[i] = &sample_columns[k];
    }
    for (int k = 0; k < COLUMNS; k++)
        if (sample_columns[k].required && !seen[k])
            return err_at(e, RC_SCHEMA, &c->at, "there is no column '%s'", sample_columns[k].name);
    return RC_OK;
}

static enum rc check_sample(const struct samples *s, const struct sample *row, const struct place *at, struct err *e) {
    if (row->world > s->groups * s->ranks_per_group && row->quantity != SAMPLED_CHAIN)
        return err_at(e, RC_RANGE, at, "world: %lld ranks of %lld", (long long)row->world,
                      (long long)(s->groups * s->ranks_per_group));
    return RC_OK;
}

static enum rc read_row(const struct csv *c, size_t n_columns, const struct key *const *columns, struct samples *s,
                        struct err *e) {
    struct sample row = {.part = ""};
    enum rc rc = RC_OK;
    if (c->n_fields != n_columns)
        return err_at(e, RC_SCHEMA, &c->fields[0].at, "%zu fields, the header has %zu", c->n_fields, n_columns);
    for (size_t i = 0; i < c->n_fields && !rc; i++)
        rc = read_field(&c->fields[i], columns[i], s, &row, e);
    if (!rc)
        rc = check_sample(s, &row, &c->fields[0].at, e);
    if (!rc)
        samples_add(s, &row);
    return rc;
}

static enum rc read_samples(const char *text, size_t n, const char *name, int lines_before, struct samples *s,
                         struct err *e) {
    const struct key *columns[COLUMNS];
    struct csv c;
    csv_init(&c, text, n, name);
    c.at.line += lines_before;
    enum rc rc = csv_next(&c, e);
    size_t n_columns = rc ? 0 : c.n_fields;
    if (!rc)
        rc = read_header(&c, columns, e);
    while (!rc && !(rc = csv_next(&c, e)) && c.n_fields)
        rc = read_row(&c, n_columns, columns, s, e);
    csv_clear(&c);
    return rc;
}

/* --- the environment --------------------------------------------------------------------------- */

/* Cuts the lines that begin with '#' off, without that sign; returns where the rows begin. */
static size_t cut_environment(const char *text, size_t n, struct buf *environment, int *lines) {
    size_t at = 0;
    for (*lines = 0; at < n && text[at] == '#'; ++*lines) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - text) - at + 1 : n - at;
        size_t skip = length > 1 && text[at + 1] == ' ' ? 2 : 1;
        buf_add(environment, text + at + skip, length - skip);
        at += length;
    }
    return at;
}

static enum rc read_own(const char *text, size_t n, const char *name, struct samples *s, struct err *e) {
    struct buf environment = {0};
    int lines;
    size_t at = cut_environment(text, n, &environment, &lines);
    enum rc rc = yaml_parse(environment.text ? environment.text : "", environment.n, name, &s->doc, e);
    if (!rc)
        rc = keys_schema(s->doc, SAMPLES_SCHEMA, e);
    if (!rc)
        rc = keys_read(sample_keys, s->doc->root, s->doc, s, e);
    if (!rc)
        rc = samples_check_shape(s, name, e);
    if (!rc)
        rc = read_samples(text + at, n - at, name, lines, s, e);
    buf_clear(&environment);
    return rc;
}

static bool is_own(const char *text, size_t n) {
    static const char first[] = "# schema:";
    return n >= sizeof first - 1 && !memcmp(text, first, sizeof first - 1);
}

enum rc samples_parse(const char *text, size_t n, const char *name, const struct samples_ask *ask,
                      struct samples **samples, struct err *e) {
    static const struct samples_ask nothing;
    struct samples *s = mem_alloc(1, sizeof *s);
    enum rc rc = is_own(text, n) ? read_own(text, n, name, s, e)
                                 : sample_logs_read(text, n, name, ask ? ask : &nothing, s, e);
    if (!rc && !s->n)
        rc = err_set(e, RC_SCHEMA, "%s: there is no sample", name);
    hash_bytes(text, n, s->sha256);
    if (rc)
        samples_free(s);
    else
        *samples = s;
    return rc;
}

enum rc samples_load(const char *path, const struct samples_ask *ask, struct samples **samples, struct err *e) {
    char *text;
    size_t n;
    enum rc rc = file_read(path, MOST_BYTES, &text, &n, e);
    if (rc)
        return rc;
    rc = samples_parse(text, n, path, ask, samples, e);
    free(text);
    return rc;
}
