/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/topo_links.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "platforms/base/mem.h"

int topo_add_link(struct topology *t, const struct link *l, const char *format, ...) {
    MEM_GROW(t->links, t->n_links, t->room);
    struct link *into = &t->links[t->n_links];
    *into = *l;
    va_list args;
    va_start(args, format);
    vsnprintf(into->name, sizeof into->name, format, args);
    va_end(args);
    return t->n_links++;
}

bool topo_is_meant(const struct topology *t, const struct link *l, const char *name) {
    int from, to, last = l->first_rank + l->n_ranks - 1;
    char rest;
    bool rank = strncmp(name, "rank-", 5) == 0, group = strncmp(name, "group-", 6) == 0;
    const char *numbers = name + (rank ? 5 : 6);
    if (!rank && !group)
        return fnmatch(name, l->name, 0) == 0;
    if (l->n_ranks == 0)
        return false; // a NIC that no rank uses
    if (sscanf(numbers, "%d..%d%c", &from, &to, &rest) != 2) {
        if (sscanf(numbers, "%d%c", &from, &rest) != 1)
            return false;
        to = from;
    }
    int low = rank ? l->first_rank : plat_group_of(t->platform, l->first_rank);
    int high = rank ? last : plat_group_of(t->platform, last);
    return low == high && low >= from && low <= to;
}

bool topo_has_failed(const struct topology *t, const struct link *l) {
    const struct plat_degraded *slowed = t->platform->degraded.items;
    for (size_t i = 0; i < t->platform->degraded.n; i++)
        if (slowed[i].factor.value == 0 && topo_is_meant(t, l, slowed[i].link))
            return true;
    return false;
}
