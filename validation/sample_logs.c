/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/sample_logs.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

enum { WORDS = 64, LINE = 4096, HOST_NAMES = 4096 };

static const double most_number = 1e18;

enum log_kind { LOG_UNKNOWN, LOG_NCCL, LOG_OSU, LOG_DEEPEP };

struct log {
    const char *name;
    const struct samples_ask *ask;
    struct samples *s;
    enum log_kind kind;
    int quantity;         /* of an OSU table */
    int size_column, time_column; /* of the table below, -1: none yet */
    int64_t ranks, hosts; /* of nccl-tests' list of devices; ranks that spoke in DeepEP's */
    char *host;           /* the last one of that list */
    int line;
    char text[LINE];
    char *words[WORDS];
    int n_words;
};

/* --- lines and words ---------------------------------------------------------------------------- */

/* Copies the next line and returns where the line after it begins. A longer line is cut. */
static const char *next_line(struct log *l, const char *at, const char *end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t n = (size_t)((stop ? stop : end) - at);
    size_t kept = n < LINE - 1 ? n : LINE - 1;
    memcpy(l->text, at, kept);
    l->text[kept] = '\0';
    l->line++;
    return stop ? stop + 1 : end;
}

static void split_words(struct log *l) {
    char *rest = l->text;
    l->n_words = 0;
    for (char *word; l->n_words < WORDS && (word = strtok_r(rest, " \t\r", &rest));)
        l->words[l->n_words++] = word;
}

static bool number_at(const struct log *l, int i, double *value) {
    char *end;
    if (i < 0 || i >= l->n_words)
        return false;
    *value = strtod(l->words[i], &end);
    return end != l->words[i] && !*end && *value >= 0 && *value < most_number;
}

static int find_word(const struct log *l, int from, const char *word) {
    for (int i = from; i < l->n_words; i++)
        if (!strcmp(l->words[i], word))
            return i;
    return -1;
}

/* Finds the number behind a text such as "avg_t=". */
static bool number_after(const char *text, const char *key, double *value) {
    const char *at = strstr(text, key);
    char *end;
    if (!at)
        return false;
    *value = strtod(at + strlen(key), &end);
    return end != at + strlen(key) && *value >= 0 && *value < most_number;
}

/* --- one row -------------------------------------------------------------------------------------- */

static void add_sample(struct log *l, int quantity, double message_bytes, double send_bytes, double time_s) {
    struct sample row = {.quantity = quantity, .part = "", .regime = REGIME_AHEAD, .calls = 1,
                         .message_bytes = message_bytes, .send_bytes = send_bytes, .time_s = time_s};
    row.repeat = row.turn = (int64_t)l->s->n; // ranks are filled in when all lines are read
    samples_add(l->s, &row);
}

/* Returns whether the line is the head of a table of nccl-tests, "# size count type redop root time algbw ..", and
 * notes its columns. */
static bool is_nccl_header(struct log *l) {
    int size = find_word(l, 0, "size"), time = find_word(l, 0, "time");
    if (l->words[0][0] != '#' || size != 1 || time < size || find_word(l, 0, "algbw") < 0)
        return false;
    l->kind = LOG_NCCL;
    l->size_column = size - 1; // the sign of the comment is no column below
    l->time_column = time - 1;
    return true;
}

/* Reads a line of nccl-tests' list of devices, "# Rank 3 Group 0 Pid 17 on host device 3 ..". */
static void read_rank(struct log *l) {
    int on = find_word(l, 0, "on");
    if (l->n_words < 4 || strcmp(l->words[1], "Rank") != 0 || on < 0 || on + 1 == l->n_words)
        return;
    l->ranks++;
    if (!l->host || strcmp(l->host, l->words[on + 1]) != 0)
        l->hosts++;
    free(l->host);
    l->host = mem_copy(l->words[on + 1]);
}

/* Returns whether the line is the head of a table of OSU, "# Size Avg Latency(us) Min Latency(us) ..", and notes its
 * columns: names are of two words each; the slowest rank counts. */
static bool is_osu_header(struct log *l) {
    if (l->n_words < 3 || strcmp(l->words[0], "#") != 0 || strcmp(l->words[1], "Size") != 0)
        return false;
    l->size_column = 0;
    l->time_column = -1;
    int most = find_word(l, 2, "Max"), mean = find_word(l, 2, "Avg");
    if (most > 0 || mean > 0)
        l->time_column = ((most > 0 ? most : mean) - 2) / 2 + 1;
    else if (!strcmp(l->words[2], "Latency"))
        l->time_column = 1;
    return l->time_column > 0;
}

static void read_osu_title(struct log *l) {
    if (!strstr(l->text, "OSU MPI"))
        return;
    l->kind = LOG_OSU;
    l->size_column = l->time_column = -1;
    l->quantity = strstr(l->text, "All-to-Allv")  ? SAMPLED_ALLTOALLV
                  : strstr(l->text, "All-to-All") ? SAMPLED_ALLTOALL
                  : strstr(l->text, "MPI Latency") ? SAMPLED_PING_PONG
                                                   : -1;
}

static void read_table_row(struct log *l) {
    double size, time_us;
    if (l->time_column < 0 || !number_at(l, l->size_column, &size) || !number_at(l, l->time_column, &time_us) ||
        !(size > 0) || !(time_us > 0))
        return;
    if (l->kind == LOG_NCCL)
        add_sample(l, SAMPLED_ALLTOALL, 0, size, time_us * 1e-6);
    else if (l->quantity == SAMPLED_PING_PONG)
        add_sample(l, l->quantity, size, size, 2e-6 * time_us); // one way is printed
    else if (l->quantity >= 0)
        add_sample(l, l->quantity, size, 0, time_us * 1e-6);
}

/* --- DeepEP ---------------------------------------------------------------------------------------- */

static void add_rate(struct log *l, int quantity, const char *text, const char *time_key) {
    double GBps, time_us;
    const char *unit = strstr(text, " GB/s"), *from = unit;
    while (from && from > text && (strchr("0123456789.", from[-1])))
        from--;
    if (!unit || from == unit || !number_after(text, time_key, &time_us) || !(time_us > 0))
        return;
    GBps = strtod(from, NULL);
    add_sample(l, quantity, 0, GBps * 1e9 * time_us * 1e-6, time_us * 1e-6);
}

/* Returns whether the line is one of DeepEP's. */
static bool read_deepep(struct log *l) {
    double rank;
    const char *dispatch = strstr(l->text, "] Dispatch bandwidth:"), *combine = strstr(l->text, "| Combine bandwidth:");
    if (dispatch && combine && number_after(l->text, "[rank ", &rank)) {
        l->ranks = rank + 1 > (double)l->ranks && rank < 1 << 20 ? (int64_t)rank + 1 : l->ranks;
        add_rate(l, SAMPLED_DISPATCH, dispatch, "avg_t=");
        add_rate(l, SAMPLED_COMBINE, combine, "avg_t=");
    } else if (strstr(l->text, "[tuning] Best dispatch")) {
        add_rate(l, SAMPLED_DISPATCH, l->text, " t: ");
    } else if (strstr(l->text, "[tuning] Best combine")) {
        add_rate(l, SAMPLED_COMBINE, l->text, " t: ");
    } else {
        return false;
    }
    l->kind = LOG_DEEPEP;
    return true;
}

/* --- a log ------------------------------------------------------------------------------------------ */

static void read_line(struct log *l) {
    if (read_deepep(l))
        return;
    read_osu_title(l);
    split_words(l);
    if (!l->n_words)
        return;
    if (l->words[0][0] != '#')
        read_table_row(l);
    else if (l->kind == LOG_OSU)
        is_osu_header(l);
    else if (!is_nccl_header(l))
        read_rank(l);
}

/* Finds the groups and ranks: what was asked for, otherwise what the log says. */
static enum rc find_shape(struct log *l, struct err *e) {
    struct samples *s = l->s;
    s->groups = l->ask->groups ? l->ask->groups : l->hosts;
    s->ranks_per_group = l->ask->ranks_per_group;
    if (!s->ranks_per_group && s->groups && l->ranks % s->groups == 0)
        s->ranks_per_group = l->ranks / s->groups;
    if (!s->groups || !s->ranks_per_group)
        return err_set(e, RC_USAGE, "%s: the log does not say how many groups of how many ranks ran it", l->name);
    enum rc rc = samples_check_shape(s, l->name, e);
    if (rc)
        return rc;
    int64_t ranks = s->groups * s->ranks_per_group;
    if (l->ranks > ranks)
        return err_set(e, RC_USAGE, "%s: %lld ranks in the log, %lld groups of %lld stated", l->name,
                       (long long)l->ranks, (long long)s->groups, (long long)s->ranks_per_group);
    return RC_OK;
}

static void fill_ranks(struct samples *s) {
    int64_t ranks = s->groups * s->ranks_per_group;
    for (size_t i = 0; i < s->n; i++) {
        struct sample *row = &s->items[i];
        row->world = row->quantity == SAMPLED_PING_PONG ? 2 : ranks;
        row->senders = row->quantity == SAMPLED_PING_PONG ? 1 : ranks;
        row->peers = row->world - 1;
        row->span = s->groups > 1 ? SPANS_SLOW : SPANS_FAST;
        if (row->quantity != SAMPLED_PING_PONG && row->send_bytes > 0)
            row->message_bytes = row->send_bytes / (double)ranks;
        else if (row->quantity != SAMPLED_PING_PONG)
            row->send_bytes = row->message_bytes * (double)ranks;
    }
}

enum rc sample_logs_read(const char *text, size_t n, const char *name, const struct samples_ask *ask,
                         struct samples *s, struct err *e) {
    static const char empty[] = "{}";
    static const char *const libraries[] = {"nccl-p2p", "nccl-p2p", "mpi-linear", "deepep-normal"};
    struct log *l = mem_alloc(1, sizeof *l);
    *l = (struct log){.name = name, .ask = ask, .s = s, .quantity = -1, .size_column = -1, .time_column = -1};
    for (const char *at = text; at < text + n;) {
        at = next_line(l, at, text + n);
        read_line(l);
    }
    enum rc rc = l->kind && s->n ? RC_OK
                 : err_set(e, RC_SCHEMA, "%s: no samples of moesim-measure, and no table of nccl-tests (alltoall), "
                           "OSU (alltoall, latency) or DeepEP", name);
    if (!rc)
        rc = find_shape(l, e);
    if (!rc)
        rc = yaml_parse(empty, sizeof empty - 1, name, &s->doc, e); // owner of the texts
    if (!rc) {
        fill_ranks(s);
        s->machine = arena_copy(&s->doc->arena, ask->machine ? ask->machine : "measured");
        s->implementation = arena_copy(&s->doc->arena, ask->implementation ? ask->implementation : libraries[l->kind]);
        s->hosts = l->hosts ? l->hosts : 1;
    }
    free(l->host);
    free(l);
    return rc;
}
