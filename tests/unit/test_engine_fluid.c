/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine `fluid` by itself: rates against plain water filling, ties, clocks, meters, and the check of its rates. */
#include "tests/support/check.h"

#include "platforms/base/mem.h"
#include "platforms/base/rng.h"
#include "sim/engine/fluid_parts.h"
#include "tests/support/water.h"

#define EXACT 1e-9

/* A network and what happens on it. */
struct play {
    struct flows *flows;
    struct water_flow *jobs; /* NULL: nothing follows */
    int n_jobs;
    double *end_s; /* [tag] */
    int64_t order[64]; /* tags as they end, timers as -1 - tag */
    int n_order;
};

static void note(struct play *p, int64_t what) {
    if (p->n_order < 64)
        p->order[p->n_order++] = what;
}

static void start_job(struct play *p, int job) {
    const struct water_flow *f = &p->jobs[job];
    flow_fluid.start(p->flows, f->links, f->n, (int64_t)f->payload, job);
}

static void on_end(void *context, int64_t tag) {
    struct play *p = context;
    p->end_s[tag] = flow_fluid.now(p->flows);
    note(p, tag);
    for (int i = 0; i < p->n_jobs; i++)
        if (p->jobs[i].after == tag)
            start_job(p, i);
}

static void on_timer(void *context, int64_t tag) {
    struct play *p = context;
    note(p, -1 - tag);
    if (p->jobs)
        start_job(p, (int)tag);
}

static void begin(struct play *p, const double *capacity, int n_links, int n_tags) {
    *p = (struct play){.flows = flow_fluid.open(&(struct flow_options){.checked = true}),
                       .end_s = calloc((size_t)n_tags, sizeof *p->end_s)};
    for (int l = 0; l < n_links; l++)
        assert_int_equal(flow_fluid.link(p->flows, capacity[l]), l);
    flow_fluid.seal(p->flows);
    flow_fluid.reset(p->flows, &(struct flow_hooks){on_end, on_timer, p});
}

static void end(struct play *p) {
    flow_fluid.close(p->flows);
    free(p->end_s);
}

/* --- random cases ----------------------------------------------------------------------------- */

enum { LINKS_MOST = 14, JOBS_MOST = 60 };

/* Few sizes and few rates make many ties; a link may come twice on a way. */
static int random_jobs(struct rng *r, struct water_flow *jobs, double *capacity, int n_links) {
    const bool ties = rng_below(r, 2), repeat = rng_below(r, 4) == 0;
    int n = 1 + (int)rng_below(r, JOBS_MOST);
    for (int l = 0; l < n_links; l++)
        capacity[l] = ties ? 1e9 * (double)(1 + rng_below(r, 3)) : 1e9 * exp(rng_normal(r));
    for (int i = 0; i < n; i++) {
        struct water_flow *f = &jobs[i];
        int most = n_links < 5 ? n_links : 5;
        *f = (struct water_flow){.n = 1 + (int)rng_below(r, (uint64_t)most),
                                 .payload = 1e9 * (ties ? (double)(1 + rng_below(r, 2)) : exp(2 * rng_normal(r))),
                                 .start_s = rng_below(r, 2) ? 0 : (double)rng_below(r, 4) * (ties ? 1 : rng_unit(r)),
                                 .after = i > 0 && rng_below(r, 2) ? (int)rng_below(r, (uint64_t)i) : -1};
        f->payload = floor(f->payload) + 1;
        for (int k = 0; k < f->n; k++) {
            f->links[k] = (int)rng_below(r, (uint64_t)n_links);
            for (int j = 0; j < k && !repeat; j++)
                if (f->links[j] == f->links[k])
                    k--, j = k; // draw again
        }
        if (i > 0 && rng_below(r, 5) == 0) { // the way of another one
            memcpy(f->links, jobs[i - 1].links, sizeof f->links);
            f->n = jobs[i - 1].n;
        }
    }
    return n;
}

static void check_carried(const struct play *p, int n_links, bool bins) {
    double due[LINKS_MOST] = {0};
    for (int i = 0; i < p->n_jobs; i++)
        for (int k = 0; k < p->jobs[i].n; k++)
            due[p->jobs[i].links[k]] += p->jobs[i].payload;
    for (int l = 0; l < n_links; l++) {
        double sum = 0;
        assert_rel(flow_fluid.carried(p->flows, l), due[l], EXACT);
        for (int i = 0; bins && i < 7; i++)
            sum += flow_fluid.binned(p->flows, l, i);
        if (bins)
            assert_rel(sum, due[l], EXACT);
    }
}

/* Plays the jobs twice on one network; both runs are the same, bit by bit. */
static void play_jobs(struct play *p, int n_links, bool bins) {
    double *first = calloc((size_t)p->n_jobs, sizeof *first);
    for (int run = 0; run < 2; run++) {
        flow_fluid.reset(p->flows, &(struct flow_hooks){on_end, on_timer, p});
        flow_fluid.meter(p->flows);
        if (bins)
            flow_fluid.bins(p->flows, 7, 0.125);
        for (int i = 0; i < p->n_jobs; i++)
            if (p->jobs[i].after < 0 && p->jobs[i].start_s > 0)
                flow_fluid.timer(p->flows, p->jobs[i].start_s, i);
            else if (p->jobs[i].after < 0)
                start_job(p, i);
        flow_fluid.run(p->flows);
        check_carried(p, n_links, bins);
        if (run == 0)
            memcpy(first, p->end_s, (size_t)p->n_jobs * sizeof *first);
    }
    assert_memory_equal(first, p->end_s, (size_t)p->n_jobs * sizeof *first);
    free(first);
}

static void rates_are_those_of_water_filling(void **state) {
    (void)state;
    struct rng r;
    rng_init(&r, check_seed("fluid"), "fluid", 0);
    for (int i = 0; i < 600; i++) {
        struct water_flow jobs[JOBS_MOST];
        double capacity[LINKS_MOST];
        int n_links = 1 + (int)rng_below(&r, LINKS_MOST), n = random_jobs(&r, jobs, capacity, n_links);
        struct play p;
        begin(&p, capacity, n_links, n);
        p.jobs = jobs;
        p.n_jobs = n;
        play_jobs(&p, n_links, i % 2);
        water_play(jobs, n, capacity, n_links);
        for (int k = 0; k < n; k++)
            assert_rel(p.end_s[k], jobs[k].end_s, EXACT);
        end(&p);
    }
}

/* --- by hand ---------------------------------------------------------------------------------- */

/* Links 0 (12) and 1 (10). Flow 0 over both, flows 1 and 2 over 0: 4 each, link 1 has 6 to spare. Flow 3 over 1 takes
 * them. At 2 s flow 1 (8) ends: 6 each, so that flow 0 takes 5 and flow 2 takes 7, flow 3 is held to 5. */
static void a_flow_that_ends_moves_the_bottleneck_of_others(void **state) {
    (void)state;
    const double capacity[] = {12, 10};
    const int both[] = {0, 1};
    struct play p;
    begin(&p, capacity, 2, 4);
    flow_fluid.start(p.flows, both, 2, 8 + 10, 0);
    flow_fluid.start(p.flows, both, 1, 8, 1);
    flow_fluid.start(p.flows, both, 1, 8 + 7, 2);
    flow_fluid.start(p.flows, both + 1, 1, 12 + 30, 3);
    flow_fluid.run(p.flows);
    assert_rel(p.end_s[1], 2, EXACT);
    assert_rel(p.end_s[2], 3, EXACT);
    assert_rel(p.end_s[0], 4, EXACT);     // 5 more, still held by link 1
    assert_rel(p.end_s[3], 6, EXACT);     // 10 by 4 s, then alone: 42 = 12 + 10 + 20
    assert_true(flow_fluid.cost(p.flows).steps == 4);
    end(&p);
}

/* A flow that passes a link twice leaves half of it: rates are 1 of 3. */
static void a_link_named_twice_carries_twice(void **state) {
    (void)state;
    const double capacity[] = {3};
    const int twice[] = {0, 0};
    struct play p;
    begin(&p, capacity, 1, 2);
    flow_fluid.meter(p.flows);
    flow_fluid.start(p.flows, twice, 2, 2, 0);
    flow_fluid.start(p.flows, twice, 1, 2, 1);
    flow_fluid.run(p.flows);
    assert_rel(p.end_s[0], 2, EXACT);
    assert_rel(p.end_s[1], 2, EXACT);
    assert_rel(flow_fluid.carried(p.flows, 0), 6, EXACT);
    end(&p);
}

/* Flows on one way, of any size and start, share its entries; 1,000 equal ones end in one instant. */
static void flows_on_one_way_are_one_bundle(void **state) {
    (void)state;
    enum { N = 1000 };
    const double capacity[] = {N, 2 * N};
    const int way[] = {0, 1};
    struct play p;
    begin(&p, capacity, 2, N);
    for (int i = 0; i < N; i++)
        flow_fluid.start(p.flows, way, 2, i % 2 ? 3 : 1, i);
    assert_int_equal(p.flows->links[0].n, 1);
    flow_fluid.run(p.flows);
    for (int i = 0; i < N; i++)
        assert_rel(p.end_s[i], i % 2 ? 2 : 1, EXACT); // 1 at rate 1; then 2 more at rate 2
    assert_int_equal(flow_fluid.cost(p.flows).steps, 2);
    assert_true(flow_fluid.cost(p.flows).levels < 12);
    end(&p);
}

/* Timers first, then ends; each by tag, whatever came first. */
static void an_instant_has_an_order(void **state) {
    (void)state;
    const double capacity[] = {4, 1, 1};
    const int links[] = {0, 1, 2};
    const int64_t expected[] = {-1 - 3, -1 - 5, 0, 1, 2, 7};
    struct play p;
    begin(&p, capacity, 3, 8);
    flow_fluid.timer(p.flows, 1, 5);
    flow_fluid.start(p.flows, links + 2, 1, 1, 7);
    flow_fluid.start(p.flows, links, 1, 2, 2);
    flow_fluid.start(p.flows, links + 1, 1, 1, 1);
    flow_fluid.start(p.flows, links, 1, 2, 0);
    flow_fluid.timer(p.flows, 1 + flow_instant(1) / 2, 3);
    flow_fluid.run(p.flows);
    assert_int_equal(p.n_order, 6);
    assert_memory_equal(p.order, expected, sizeof expected);
    assert_int_equal(flow_fluid.cost(p.flows).steps, 1);
    end(&p);
}

/* Rates and sizes at the ends of what numbers can say. */
static void extremes_are_numbers_too(void **state) {
    (void)state;
    const double capacity[] = {1e-300, 1e300, 0x1p-1060, 1}; // nobody uses the third one, which has few digits left
    const int links[] = {0, 1, 2, 3};
    struct play p;
    begin(&p, capacity, 4, 4);
    flow_fluid.start(p.flows, links, 2, 1, 0);
    flow_fluid.start(p.flows, links + 1, 1, INT64_C(1) << 62, 1);
    flow_fluid.start(p.flows, links + 3, 1, 1, 3);
    flow_fluid.run(p.flows);
    assert_rel(p.end_s[0], 1e300, EXACT);
    assert_rel(p.end_s[3], 1, EXACT);
    assert_near(p.end_s[1], 0, flow_instant(0)); // ends with the first instant
    end(&p);
    begin(&p, capacity, 4, 4); // nothing to do at all
    flow_fluid.run(p.flows);
    assert_int_equal(flow_fluid.cost(p.flows).steps, 0);
    assert_rel(flow_fluid.now(p.flows), 0, 0);
    end(&p);
    flow_fluid.close(NULL);
}

/* 4 at rate 2, from 0 to 2 s, and 4 more from 2.5 to 4.5 s: in bins of 1 s, doubled once, when 4 s are over. */
static void bins_count_what_was_carried_when(void **state) {
    (void)state;
    const double capacity[] = {2};
    const int link[] = {0};
    const double expected[] = {4, 3, 1, 0};
    struct play p;
    begin(&p, capacity, 1, 3);
    flow_fluid.meter(p.flows);
    flow_fluid.bins(p.flows, 4, 1);
    flow_fluid.start(p.flows, link, 1, 4, 0); // 2 s
    struct water_flow jobs[2] = {[1] = {.links = {0}, .n = 1, .payload = 4}};
    p.jobs = jobs;
    flow_fluid.timer(p.flows, 2.5, 1); // 2.5 to 4.5 s
    flow_fluid.run(p.flows);
    assert_rel(flow_fluid.bin_width(p.flows), 2, 0);
    for (int i = 0; i < 4; i++)
        assert_near(flow_fluid.binned(p.flows, 0, i), expected[i], EXACT);
    end(&p);
}

/* --- the check -------------------------------------------------------------------------------- */

static void the_check_finds_what_is_not_fair(void **state) {
    (void)state;
    const double capacity[] = {12, 10};
    const int both[] = {0, 1};
    char why[200];
    struct play p;
    begin(&p, capacity, 2, 3);
    flow_fluid.start(p.flows, both, 2, 18, 0);
    flow_fluid.start(p.flows, both, 1, 8, 1);
    flow_fluid.start(p.flows, both + 1, 1, 8, 2);
    fluid_solve(p.flows);
    assert_true(fluid_is_fair(p.flows, why));
    const double right[] = {p.flows->level[0], p.flows->level[1]};
    assert_rel(right[0], 7, EXACT);
    assert_rel(right[1], 5, EXACT);
    static const struct {
        int link;
        double factor;
        const char *part;
    } wrong[] = {{0, 1 + 1e-8, "link 0 carries"}, {1, 1 + 1e-8, "carries"}, {0, 1 - 1e-8, "bundle 1 has no full link"},
                 {1, 1 - 1e-8, "has no full link"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        p.flows->level[wrong[i].link] = right[wrong[i].link] * wrong[i].factor;
        assert_false(fluid_is_fair(p.flows, why));
        if (!strstr(why, wrong[i].part))
            fail_msg("'%s' lacks '%s'", why, wrong[i].part);
        p.flows->level[wrong[i].link] = right[wrong[i].link];
    }
    assert_true(fluid_is_fair(p.flows, why));
    flow_fluid.run(p.flows);
    end(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_water_filling),
        cmocka_unit_test(a_flow_that_ends_moves_the_bottleneck_of_others),
        cmocka_unit_test(a_link_named_twice_carries_twice),
        cmocka_unit_test(flows_on_one_way_are_one_bundle),
        cmocka_unit_test(an_instant_has_an_order),
        cmocka_unit_test(extremes_are_numbers_too),
        cmocka_unit_test(bins_count_what_was_carried_when),
        cmocka_unit_test(the_check_finds_what_is_not_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
