/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/fabric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fabric_kinds[] = {"switch",   "full-mesh",      "ring",        "torus",     "graph",
                                    "fat-tree", "rail-optimised", "multi-plane", "dragonfly", NULL};

const char *const fabric_cross_rails[] = {"spine", "fast", NULL};
const char *const fabric_routings[] = {"minimal", "spread", NULL};
const char *const fabric_transports[] = {"ideal", "sprayed", "one-path", "drops", NULL};
const char *const fabric_paths[] = {"spread", "hashed", "adaptive", NULL};

int fabric_dims(const char *text, int dim[static FABRIC_DIMS]) {
    int n = 0;
    for (const char *at = text;; at++) {
        char *end;
        long length = strtol(at, &end, 10);
        if (end == at || *at < '0' || *at > '9' || length < 1 || length > 65536 || n == FABRIC_DIMS)
            return 0;
        dim[n++] = (int)length;
        if (!*end)
            return n;
        if (*end != 'x')
            return 0;
        at = end;
    }
}

bool fabric_is_pooled(const struct plat_fabric *f) {
    return f->nics > 0 && strcmp(f->nic_map, "pooled") == 0;
}

bool fabric_is_apart(const struct plat_fabric *f) {
    return f->kind == FABRIC_MULTI_PLANE || (f->kind == FABRIC_RAIL && f->cross_rail == CROSS_FAST);
}

/* Returns entry i of a list of numbers, or -1 where the list is shorter. */
static int listed(const char *text, int i) {
    for (; i >= 0; i--) {
        char *end;
        long nic = strtol(text, &end, 10);
        if (end == text)
            return -1;
        if (i == 0)
            return (int)nic;
        text = end;
    }
    return -1;
}

int fabric_nic_of(const struct plat_fabric *f, int64_t ranks, int index) {
    if (f->nics == 0)
        return index;
    if (strcmp(f->nic_map, "blocks") == 0)
        return (int)(index * f->nics / ranks);
    if (strcmp(f->nic_map, "round-robin") == 0)
        return (int)(index % f->nics);
    return fabric_is_pooled(f) ? 0 : listed(f->nic_map, index);
}

int64_t fabric_leaf_ends(const struct plat_fabric *f, double oversubscription) {
    // down + up = ports, down / up = oversubscription
    double down = (double)f->ports * oversubscription / (1 + oversubscription);
    return f->levels == 1 ? f->ports : (int64_t)floor(down * (1 + 1e-12));
}

int fabric_spines(const struct plat_fabric *f, int64_t below, double oversubscription) {
    bool tree = f->kind == FABRIC_FAT_TREE && f->levels == 2;
    if (f->paths != PATHS_HASHED || !(tree || f->kind == FABRIC_SWITCH))
        return 1;
    if (f->spines)
        return (int)f->spines;
    int64_t up = tree ? f->ports - fabric_leaf_ends(f, oversubscription) : (int64_t)((double)below / oversubscription);
    return up > 1 ? (int)up : 1;
}

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

/* Returns whether a name is free for links. They are called NAME-I, or NAME-out-I and NAME-in-I; the first words of the
 * topology's own links are taken. */
bool fabric_is_name(const char *name) {
    static const char *const taken[] = {"slow",  "fast",   "port", "uplink", "downlink", "nic",
                                        "leaf",  "pod",    "copy", "local",  "global",   "rank",
                                        "group", "switch", NULL};
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"), word = strcspn(name, "-");
    for (int k = 0; taken[k]; k++)
        if (strlen(taken[k]) == word && strncmp(taken[k], name, word) == 0)
            return false;
    return !name[n] && n >= 1 && n <= 16 && name[0] >= 'a' && !ends_in(name, "-out") && !ends_in(name, "-in");
}

bool fabric_begins(const char *name, const char *tier) {
    size_t n = strlen(tier);
    return strncmp(name, tier, n) == 0 && (!name[n] || name[n] == '-');
}
