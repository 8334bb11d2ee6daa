/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/bound_follow.h"

#include <math.h>
#include <stdlib.h>

#include "platforms/base/mem.h"

void follow_clear(struct follow_room *room) {
    free(room->moments);
    free(room->most_s);
    free(room->added_s);
    *room = (struct follow_room){0};
}

static int earlier_first(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills moments[] with the distinct releases and returns their number. */
static size_t fill_moments(struct follow_room *room, const struct follow *items, size_t n) {
    if (n > room->room) {
        room->room = n;
        room->moments = mem_resize(room->moments, n, sizeof *room->moments);
        room->most_s = mem_resize(room->most_s, 4 * n, sizeof *room->most_s);
        room->added_s = mem_resize(room->added_s, 4 * n, sizeof *room->added_s);
    }
    for (size_t i = 0; i < n; i++)
        room->moments[i] = items[i].release_s;
    qsort(room->moments, n, sizeof *room->moments, earlier_first);
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (m == 0 || room->moments[m - 1] != room->moments[i])
            room->moments[m++] = room->moments[i];
    return m;
}

/* A node of the tree: the moments from first to last - 1. Its most_s holds the largest t + load of those moments that a
 * message was released at already, with what was added to the node itself. */
struct node {
    size_t at, first, last;
};

/* Adds the load of a message released at moment `place` to all moments up to it, and lets that moment count. */
static void follow_add(struct follow_room *room, struct node node, size_t place, double load_s) {
    double *most_s = &room->most_s[node.at], *added_s = &room->added_s[node.at];
    room->visits++;
    if (node.last <= place) { // all of them are earlier
        *most_s += load_s;
        *added_s += load_s;
        return;
    }
    if (node.last - node.first == 1) {
        *added_s += load_s;
        *most_s = room->moments[place] + *added_s;
        return;
    }
    size_t middle = node.first + (node.last - node.first) / 2;
    struct node left = {2 * node.at + 1, node.first, middle}, right = {2 * node.at + 2, middle, node.last};
    follow_add(room, left, place, load_s);
    if (place >= middle)
        follow_add(room, right, place, load_s);
    *most_s = fmax(room->most_s[left.at], room->most_s[right.at]) + *added_s;
}

static size_t find_moment(const double *moments, size_t m, double release_s) {
    return (size_t)((double *)bsearch(&release_s, moments, m, sizeof *moments, earlier_first) - moments);
}

double follow_end_s(struct follow_room *room, const struct follow *items, size_t n) {
    double end_s = 0;
    size_t m = n ? fill_moments(room, items, n) : 0;
    for (size_t i = 0; i < 4 * m; i++) {
        room->most_s[i] = -INFINITY; // no message released then yet
        room->added_s[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        follow_add(room, (struct node){0, 0, m}, find_moment(room->moments, m, items[i].release_s), items[i].load_s);
        end_s = fmax(end_s, room->most_s[0] + items[i].after_s);
    }
    return end_s;
}
