/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/route_table.h"

#include <stdlib.h>

#include "platforms/base/mem.h"

static void keep(struct route_table *table, const struct route *r, struct route_entry *into) {
    *into = (struct route_entry){table->n, r->n, r->cost_link, r->tier};
    for (int i = 0; i < r->n; i++) {
        MEM_GROW(table->links, table->n, table->room);
        table->links[table->n++] = r->links[i];
    }
}

struct route_table *route_table_build(const struct topology *t, enum topo_path path) {
    if (t->ranks > ROUTE_TABLE_RANKS)
        return NULL;
    size_t ranks = (size_t)t->ranks;
    struct route_table *table = mem_alloc(1, sizeof *table);
    *table = (struct route_table){.path = path, .entries = mem_alloc(ranks * ranks, sizeof *table->entries)};
    struct route route;
    for (int src = 0; src < t->ranks; src++)
        for (int dst = 0; dst < t->ranks; dst++) {
            if (src == dst)
                continue;
            topo_find_route(t, src, dst, path, &route);
            if (route.paths > 1 || table->n + route.n > ROUTE_TABLE_LINKS) {
                route_table_free(table);
                return NULL;
            }
            keep(table, &route, &table->entries[(size_t)src * ranks + (size_t)dst]);
        }
    return table;
}

void route_table_free(struct route_table *table) {
    if (!table)
        return;
    free(table->entries);
    free(table->links);
    free(table);
}
