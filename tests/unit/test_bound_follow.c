/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include <math.h>

#include "model/bound_follow.h"
#include "platforms/base/mem.h"
#include "platforms/base/rng.h"

/* Every pair (t, u) of messages in turn. */
static double plain_end_s(const struct follow *items, size_t n) {
    double end_s = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double t = items[i].release_s, u = items[k].after_s, load_s = 0;
            bool t_in = items[i].after_s >= u, u_in = items[k].release_s >= t;
            for (size_t j = 0; j < n; j++)
                if (items[j].release_s >= t && items[j].after_s >= u)
                    load_s += items[j].load_s;
            if (t_in && u_in)
                end_s = fmax(end_s, t + u + load_s);
        }
    return end_s;
}

static int longest_first(const void *a, const void *b) {
    const struct follow *x = a, *y = b;
    return (x->after_s < y->after_s) - (x->after_s > y->after_s);
}

static void draw(struct rng *r, size_t n, bool few, struct follow *items) {
    for (size_t i = 0; i < n; i++)
        items[i] = (struct follow){few ? (double)rng_below(r, 3) : rng_unit(r), 0.1 * rng_unit(r),
                                   few ? (double)rng_below(r, 3) : rng_unit(r)};
    qsort(items, n, sizeof *items, longest_first);
}

static void by_hand(void **state) {
    (void)state;
    // alone: 1 + 2 + 3 = 6; both from 1 on, followed by 1: 1 + 2 + 5 + 1 = 9; the second: 4 + 5 + 1 = 10
    const struct follow items[] = {{1, 2, 3}, {4, 5, 1}};
    struct follow_room room = {0};
    assert_near(follow_end_s(&room, items, 2), 10, 0);
    assert_near(follow_end_s(&room, items, 1), 6, 0);
    assert_near(follow_end_s(&room, items, 0), 0, 0);
    follow_clear(&room);
}

static void finds_what_trying_all_sets_finds(void **state) {
    (void)state;
    struct rng r;
    struct follow items[40];
    struct follow_room room = {0};
    rng_init(&r, 12, "follow", 0);
    for (int i = 0; i < 500; i++) {
        size_t n = 1 + (size_t)rng_below(&r, 40);
        draw(&r, n, i % 2, items);
        assert_rel(follow_end_s(&room, items, n), plain_end_s(items, n), 1e-12);
    }
    follow_clear(&room);
}

/* Twice the messages, all released at moments of their own, cost little more than twice as much. */
static void cost_grows_as_n_log_n(void **state) {
    (void)state;
    struct rng r;
    size_t visits[2];
    rng_init(&r, 13, "follow", 0);
    for (int i = 0; i < 2; i++) {
        size_t n = 4096u << i;
        struct follow *items = mem_alloc(n, sizeof *items);
        struct follow_room room = {0};
        draw(&r, n, false, items);
        follow_end_s(&room, items, n);
        visits[i] = room.visits;
        follow_clear(&room);
        free(items);
    }
    print_message("visits of nodes: %zu, %zu\n", visits[0], visits[1]);
    assert_true((double)visits[1] < 2.3 * (double)visits[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(finds_what_trying_all_sets_finds),
        cmocka_unit_test(cost_grows_as_n_log_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
