/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* Returns the place of a key of a file in messages. */
static const struct place *place_of(const struct yaml_doc *doc, const char *key) {
    const struct yaml_node *node = yaml_get(doc->root, key);
    return node ? &node->at : &doc->root->at;
}

/* --- layout ----------------------------------------------------------------------------------------- */

/* Reads the next dimension of a layout, such as "tp2", and moves text behind it. Returns false for anything else; the
 * size of "ep" is 0. */
static bool next_dimension(const char **text, int64_t *size) {
    static const char *const names[] = {"tp", "cp", "dp", "pp"};
    char *end;
    bool last;
    *size = 0;
    if (strncmp(*text, "ep", 2) == 0) {
        end = (char *)(uintptr_t)(*text + 2);
    } else {
        size_t i = 0;
        while (i < sizeof names / sizeof *names && strncmp(*text, names[i], 2) != 0)
            i++;
        if (i == sizeof names / sizeof *names || (*text)[2] < '1' || (*text)[2] > '9')
            return false;
        *size = strtol(*text + 2, &end, 10);
    }
    last = *end == '\0';
    *text = end + (*end == '-');
    return *size <= RANKS_MAX && (last || (*end == '-' && end[1]));
}

/* Reads how far apart the members of an EP group stand, and the product of the dimensions outside. */
static bool read_layout(const char *text, int64_t *stride, int64_t *outside) {
    bool seen = false;
    *stride = *outside = 1;
    if (strcmp(text, "contiguous") == 0)
        return true;
    while (*text) {
        int64_t size, *into = seen ? outside : stride;
        if (!next_dimension(&text, &size) || (size == 0 && seen) || *into > RANKS_MAX)
            return false;
        seen = seen || size == 0;
        *into *= size ? size : 1;
    }
    return true;
}

/* --- lists of ranks --------------------------------------------------------------------------------- */

/* Reads the next entry of a list, "3", "0-7" or "0-31/8" (every eighth), and moves text behind it. */
static bool next_range(const char **text, long *first, long *last, long *each) {
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *first = *last = strtol(*text, &end, 10);
    *each = 1;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *last = strtol(end + 1, &end, 10);
    if (*end == '/' && end[1] >= '1' && end[1] <= '9')
        *each = strtol(end + 1, &end, 10);
    *text = end + strspn(end, ", ");
    return (!*end || *text > end) && *first <= *last;
}

/* Marks the members that a list names. */
static enum rc read_members(const struct workload *w, const char *key, const char *list, int ep, bool *named,
                            struct err *e) {
    const struct place *at = place_of(w->doc, key);
    for (const char *text = list; *text;) {
        long first, last, each;
        if (!next_range(&text, &first, &last, &each))
            return err_at(e, RC_SCHEMA, at, "%s: '%.60s' found, expected ranks such as '0-7, 12' or '0-31/8'", key,
                          list);
        if (last >= ep)
            return err_at(e, RC_RANGE, at, "%s: rank %ld is named, but an EP group has %d ranks", key, last, ep);
        for (long rank = first; rank <= last; rank += each)
            named[rank] = true;
    }
    return RC_OK;
}

static enum rc read_roles(const struct workload *w, struct job *j, struct err *e) {
    bool *holds = mem_alloc((size_t)j->ep, sizeof *holds);
    enum rc rc = RC_OK;
    if (w->senders) {
        j->sends = mem_alloc((size_t)j->ep, sizeof *j->sends);
        rc = read_members(w, "senders", w->senders, j->ep, j->sends, e);
    }
    if (!rc && w->expert_ranks)
        rc = read_members(w, "expert_ranks", w->expert_ranks, j->ep, holds, e);
    j->n_experts = w->expert_ranks ? 0 : j->ep;
    if (w->expert_ranks) {
        j->expert_rank = mem_alloc((size_t)j->ep, sizeof *j->expert_rank);
        for (int i = 0; i < j->ep; i++)
            if (holds[i])
                j->expert_rank[j->n_experts++] = i;
    }
    free(holds);
    return rc;
}

/* --- the job ---------------------------------------------------------------------------------------- */

/* Fills into[] with the machine's ranks of the job, and returns their number. */
static int list_ranks(const struct platform *p, int *into) {
    const struct plat_domains *groups = &p->domains[TIER_FAST];
    int *used = mem_alloc((size_t)groups->n, sizeof *used), n = 0, n_used = plat_used_groups(p, used);
    for (int i = 0; i < n_used; i++)
        for (int rank = groups->first[used[i]]; rank < groups->first[used[i] + 1]; rank++)
            into[n++] = rank;
    free(used);
    return n;
}

static enum rc check_sizes(const struct workload *w, const struct job *j, int64_t stride, int64_t outside,
                           struct err *e) {
    if (j->ep < 2 || j->ep > j->ranks || j->ranks % j->ep)
        return err_at(e, RC_SHAPE, place_of(w->doc, "ep"),
                      "ep: EP groups of %d ranks, but the job has %d; expected a divisor of that, at least 2", j->ep,
                      j->ranks);
    if (j->n_groups % stride || j->n_groups / stride % outside)
        return err_at(e, RC_SHAPE, place_of(w->doc, "ep_layout"),
                      "ep_layout: '%.40s' needs a multiple of %lld EP groups, but %d ranks are %d groups of %d",
                      w->ep_layout, (long long)(stride * outside), j->ranks, j->n_groups, j->ep);
    return RC_OK;
}

/* Fills in one EP group; member i is job rank first + i * stride. */
static void fill_group(const struct platform *p, struct job *j, int number, int64_t stride, const int *ranks) {
    struct ep_group *g = &j->groups[number];
    int s = (int)stride, first = number / s * s * j->ep + number % s;
    g->job_rank = mem_alloc((size_t)j->ep, sizeof *g->job_rank);
    g->machine_rank = mem_alloc((size_t)j->ep, sizeof *g->machine_rank);
    for (int i = 0; i < j->ep; i++) {
        int rank = first + i * s;
        g->job_rank[i] = rank;
        g->machine_rank[i] = ranks[rank];
        j->group_of[ranks[rank]] = number;
        j->member[ranks[rank]] = i;
    }
    g->platform = plat_part(p, g->machine_rank, j->ep);
    g->experts = j->expert_rank ? plat_part(g->platform, j->expert_rank, j->n_experts) : g->platform;
    j->same_shape = j->same_shape && plat_same_shape(g->platform, j->groups[0].platform);
}

static enum rc job_fill(const struct platform *p, const struct workload *w, const int *ranks, struct job *j,
                    struct err *e) {
    int64_t stride = 1, outside = 1;
    j->ep = w->ep ? (int)w->ep : j->ranks;
    j->n_groups = j->ranks / j->ep;
    if (!read_layout(w->ep_layout, &stride, &outside))
        return err_at(e, RC_SCHEMA, place_of(w->doc, "ep_layout"),
                      "ep_layout: '%.40s' found, expected 'contiguous' or dimensions from the inside, of tp, cp, dp "
                      "and pp with their sizes and ep, such as 'tp2' or 'tp2-ep-pp4'",
                      w->ep_layout);
    enum rc rc = check_sizes(w, j, stride, outside, e);
    if (!rc)
        rc = read_roles(w, j, e);
    if (rc)
        return rc;
    j->groups = mem_alloc((size_t)j->n_groups, sizeof *j->groups);
    j->same_shape = true;
    for (int i = 0; i < j->n_groups; i++)
        fill_group(p, j, i, stride, ranks);
    return RC_OK;
}

enum rc job_build(const struct platform *p, const struct workload *w, struct job **job, struct err *e) {
    size_t machine = (size_t)plat_ranks(p);
    struct job *j = mem_alloc(1, sizeof *j);
    int *ranks = mem_alloc(machine, sizeof *ranks);
    *j = (struct job){.holders = 1,
                      .machine_ranks = (int)machine,
                      .ranks = list_ranks(p, ranks),
                      .group_of = mem_alloc(machine, sizeof *j->group_of),
                      .member = mem_alloc(machine, sizeof *j->member)};
    for (size_t i = 0; i < machine; i++)
        j->group_of[i] = j->member[i] = -1;
    enum rc rc = job_fill(p, w, ranks, j, e);
    free(ranks);
    bool all = !rc && j->n_groups == 1 && j->ranks == j->machine_ranks && !j->sends && !j->expert_rank;
    if (rc || all)
        job_release(j);
    if (!rc)
        *job = all ? NULL : j;
    return rc;
}

struct job *job_hold(struct job *job) {
    if (job)
        job->holders++;
    return job;
}

void job_release(struct job *j) {
    if (!j || --j->holders > 0)
        return;
    for (int i = 0; j->groups && i < j->n_groups; i++) {
        struct ep_group *g = &j->groups[i];
        if (g->experts != g->platform)
            plat_part_free(g->experts);
        plat_part_free(g->platform);
        free(g->job_rank);
        free(g->machine_rank);
    }
    free(j->groups);
    free(j->group_of);
    free(j->member);
    free(j->sends);
    free(j->expert_rank);
    free(j);
}

void job_place(const struct job *j, struct placement *p) {
    if (!j->expert_rank)
        return;
    int *start = mem_alloc((size_t)j->ep + 1, sizeof *start);
    for (int rank = 0, n = 0; rank < j->ep; rank++) {
        n += n < p->ranks && j->expert_rank[n] == rank;
        start[rank + 1] = p->slot_start[n];
    }
    free(p->slot_start);
    p->slot_start = start;
    for (int s = 0; s < p->slots; s++)
        p->home[s] = j->expert_rank[p->home[s]];
    p->ranks = j->ep;
    p->blocks = false;
}

void job_note(const struct job *j, struct buf *notes) {
    buf_printf(notes, "%d EP group%s of %d ranks on %d of %d ranks of the machine", j->n_groups,
               j->n_groups == 1 ? "" : "s", j->ep, j->ranks, j->machine_ranks);
    if (j->n_groups > 1)
        buf_text(notes, ", which call at once");
    int senders = 0;
    for (int i = 0; j->sends && i < j->ep; i++)
        senders += j->sends[i];
    if (j->sends)
        buf_printf(notes, "; %d of %d ranks send", senders, j->ep);
    if (j->expert_rank)
        buf_printf(notes, "; experts on %d of %d ranks", j->n_experts, j->ep);
    buf_text(notes, "\n");
}

void job_times(const struct job *j, const struct outcome *outcome, double *time_s) {
    for (int i = 0; i < j->n_groups; i++) {
        time_s[i] = 0;
        for (int k = 0; k < j->ep; k++) {
            int rank = j->groups[i].machine_rank[k];
            time_s[i] = fmax(time_s[i], fmax(outcome->send_end_s[rank], outcome->recv_end_s[rank]));
        }
    }
}

enum rc job_arrival(const struct platform *p, const struct workload *w, uint64_t seed, double *enter_s, bool *skewed,
                    struct err *e) {
    struct job *j;
    enum rc rc = job_build(p, w, &j, e);
    if (rc || !j)
        return rc ? rc : workload_arrival(w, plat_ranks(p), seed, enter_s, skewed, e);
    double *own_s = mem_alloc((size_t)j->ranks, sizeof *own_s);
    rc = workload_arrival(w, j->ranks, seed, own_s, skewed, e);
    for (int rank = 0; rank < j->machine_ranks && !rc; rank++) {
        enter_s[rank] = 0;
        if (j->group_of[rank] >= 0)
            enter_s[rank] = own_s[j->groups[j->group_of[rank]].job_rank[j->member[rank]]];
    }
    free(own_s);
    job_release(j);
    return rc;
}
