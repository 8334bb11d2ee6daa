/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

/* How a kind of block is laid out: what its links are called and carry. */
struct layout {
    const char *name;
    const char *out, *in; /* what follows the name; NULL: "-out" and "-in" */
    enum tier tier;
    double rate_Bps;
    bool both_ways; /* one link for both directions */
    bool always;    /* also between ranks of one block */
    int spines;     /* links of a block each way that share rate_Bps; 0: 1 */
};

/* Adds the links of all blocks in one direction, one each or one to each spine; below a link are the ranks from the
 * first to the last one of its block. */
static void add_links(struct topology *t, const struct layout *how, struct block *b, enum link_role role,
                      const char *suffix) {
    for (int i = 0; i < b->n * b->spines; i++) {
        struct link l = {.role = role,
                         .tier = how->tier,
                         .owner = i / b->spines,
                         .block = (int)t->n_blocks,
                         .capacity_Bps = how->rate_Bps / b->spines};
        if (b->spines == 1)
            topo_add_link(t, &l, "%s%s-%d", how->name, suffix, i);
        else
            topo_add_link(t, &l, "%s%s-%d-%d", how->name, suffix, i / b->spines, i % b->spines);
    }
    struct link *links = &t->links[t->n_links - b->n * b->spines];
    for (int rank = 0; rank < t->ranks; rank++)
        for (int k = 0; k < b->spines; k++) {
            struct link *l = &links[b->of_rank[rank] * b->spines + k];
            if (l->n_ranks == 0)
                l->first_rank = rank;
            l->n_ranks = rank - l->first_rank + 1;
        }
}

/* Adds blocks and their links; of_rank says the block of each rank and belongs to the topology from then on. */
static void add_block(struct topology *t, const struct layout *how, int *of_rank) {
    MEM_GROW(t->blocks, t->n_blocks, t->blocks_room);
    struct block *b = &t->blocks[t->n_blocks++];
    BUG_ON(t->n_blocks > BLOCKS_MAX);
    *b = (struct block){
        .tier = how->tier, .of_rank = of_rank, .always = how->always, .spines = how->spines > 1 ? how->spines : 1};
    for (int rank = 0; rank < t->ranks; rank++)
        b->n = of_rank[rank] >= b->n ? of_rank[rank] + 1 : b->n;
    b->out = t->n_links;
    add_links(t, how, b, how->both_ways ? LINK_BOTH : LINK_UP, how->both_ways ? "" : how->out ? how->out : "-out");
    b->in = how->both_ways ? b->out : t->n_links;
    if (!how->both_ways)
        add_links(t, how, b, LINK_DOWN, how->in ? how->in : "-in");
}

static int *blocks_of(const struct topology *t, int64_t ranks) {
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    for (int rank = 0; rank < t->ranks; rank++)
        of[rank] = (int)(rank / ranks);
    return of;
}

/* Writes and returns what links of a tier are called: `word`, with the tier's name in front where it is not the slow
 * tier. */
static const char *name_of(const struct topology *t, enum tier tier, const char *word, char name[static TOPO_NAME]) {
    bool slow = tier == plat_slow(t->platform);
    snprintf(name, TOPO_NAME, "%s%s%s", slow ? "" : t->platform->tier[tier].name, slow ? "" : "-", word);
    return name;
}

/* Returns the number of NICs that a group has on a tier; where the file states none, that of its ranks. */
static int64_t n_nics(const struct topology *t, enum tier tier) {
    const struct plat_fabric *f = &t->platform->tier[tier].fabric;
    return f->nics ? (fabric_is_pooled(f) ? 1 : f->nics) : plat_span(t->platform, TIER_FAST);
}

static int64_t blocks_needed(int64_t n, int64_t per) {
    return (n + per - 1) / per;
}

/* Returns the block of each rank where `per` NICs make one; they are counted group by group in the tier's domain. */
static int *nic_blocks(const struct topology *t, enum tier tier, int64_t per) {
    const struct platform *p = t->platform;
    int64_t nics = n_nics(t, tier), each = blocks_needed(plat_groups_in(p, tier) * nics, per);
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    for (int rank = 0; rank < t->ranks; rank++)
        of[rank] = (int)(p->domains[tier].of_rank[rank] * each +
                         (plat_group_in(p, tier, rank) * nics + t->nic[tier][rank]) / per);
    return of;
}

/* Returns the leaf of each rank where each rail has leaves of its own, with `per` groups at each. */
static int *rail_blocks(const struct topology *t, enum tier tier, int64_t per) {
    const struct platform *p = t->platform;
    int64_t leaves = blocks_needed(plat_groups_in(p, tier), per), each = n_nics(t, tier) * leaves;
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    for (int rank = 0; rank < t->ranks; rank++)
        of[rank] = (int)(p->domains[tier].of_rank[rank] * each + t->nic[tier][rank] * leaves +
                         plat_group_in(p, tier, rank) / per);
    return of;
}

/* Adds the NICs of a tier where they are more than another name of each rank's own port. */
static void add_nics(struct topology *t, enum tier tier) {
    const struct plat_fabric *f = &t->platform->tier[tier].fabric;
    char name[TOPO_NAME];
    if (f->nics == 0)
        return;
    double many = fabric_is_pooled(f) ? (double)f->nics : 1;
    struct layout how = {
        .name = name_of(t, tier, "nic", name), .tier = tier, .rate_Bps = many * f->nic_bandwidth_Bps.value};
    add_block(t, &how, nic_blocks(t, tier, 1));
}

/* Adds the leaves of trees and rails, and the pods of three levels. A pod has half the ports of a switch as leaves;
 * above it nothing is oversubscribed. */
static void add_tree(struct topology *t, enum tier tier) {
    const struct plat_tier *x = &t->platform->tier[tier];
    const struct plat_fabric *f = &x->fabric;
    char name[TOPO_NAME];
    double nic_Bps = f->nics ? f->nic_bandwidth_Bps.value : x->bandwidth_Bps.value;
    double over = x->oversubscription.value;
    int64_t leaf = fabric_leaf_ends(f, over), groups = plat_groups_in(t->platform, tier);
    if (f->kind != FABRIC_FAT_TREE) { // without `ports` one switch joins a rail
        leaf = f->ports && leaf < groups ? leaf : groups;
        bool binds = f->kind == FABRIC_RAIL || leaf < groups;
        struct layout how = {
            .name = name_of(t, tier, "leaf", name), .tier = tier, .rate_Bps = (double)leaf * nic_Bps / over};
        if (binds)
            add_block(t, &how, rail_blocks(t, tier, leaf));
        return;
    }
    double pooled = fabric_is_pooled(f) ? (double)f->nics : 1;
    if (fabric_is_pooled(f))
        leaf = leaf / f->nics > 0 ? leaf / f->nics : 1;
    double up_Bps = (double)leaf * pooled * nic_Bps / over;
    struct layout how = {.name = name_of(t, tier, "leaf", name), .tier = tier, .rate_Bps = up_Bps};
    how.spines = fabric_spines(f, plat_span(t->platform, (enum tier)(tier - 1)), over);
    if (f->levels > 1)
        add_block(t, &how, nic_blocks(t, tier, leaf));
    how.spines = 1;
    how.name = name_of(t, tier, "pod", name);
    how.rate_Bps = up_Bps * (double)(f->ports / 2);
    if (f->levels > 2)
        add_block(t, &how, nic_blocks(t, tier, leaf * (f->ports / 2)));
}

/* Adds the uplinks of an oversubscribed switch: the rates of all ranks of an end together, divided. */
static void add_uplinks(struct topology *t, enum tier tier) {
    const struct platform *p = t->platform;
    const struct plat_tier *x = &p->tier[tier];
    const struct plat_domains *ends = &p->domains[tier - 1];
    char name[TOPO_NAME];
    const int spines = fabric_spines(&x->fabric, plat_span(p, (enum tier)(tier - 1)), x->oversubscription.value);
    if (x->fabric.kind != FABRIC_SWITCH || !(x->oversubscription.value > 1 || spines > 1))
        return;
    struct layout how = {
        .name = name_of(t, tier, "", name), .out = "uplink", .in = "downlink", .tier = tier, .spines = spines};
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    memcpy(of, ends->of_rank, (size_t)t->ranks * sizeof *of);
    add_block(t, &how, of);
    const struct block *b = &t->blocks[t->n_blocks - 1];
    for (int i = 0; i < ends->n * spines; i++) {
        int end = i / spines;
        t->links[b->out + i].capacity_Bps = t->links[b->in + i].capacity_Bps =
            (ends->first[end + 1] - ends->first[end]) * x->bandwidth_Bps.value / x->oversubscription.value / spines;
    }
}

static void add_shared(struct topology *t, enum tier tier) {
    const struct key_list *list = &t->platform->tier[tier].fabric.shared;
    const struct plat_shared *all = list->items;
    for (size_t i = 0; i < list->n; i++) {
        struct layout how = {.name = all[i].name,
                             .tier = tier,
                             .rate_Bps = all[i].bandwidth_Bps.value,
                             .both_ways = all[i].both_ways};
        add_block(t, &how, blocks_of(t, all[i].ranks));
    }
}

/* Adds the link that both directions of a half-duplex port share, and the capacity of a switch. */
static void add_common(struct topology *t, enum tier tier) {
    const struct platform *p = t->platform;
    const struct plat_tier *x = &p->tier[tier];
    char name[TOPO_NAME];
    snprintf(name, sizeof name, "%s-duplex", x->name);
    struct layout how = {
        .name = name, .tier = tier, .rate_Bps = x->bandwidth_Bps.value, .both_ways = true, .always = true};
    if (x->fabric.half_duplex)
        add_block(t, &how, blocks_of(t, 1));
    snprintf(name, sizeof name, "%s-switch", x->name);
    how.rate_Bps = x->fabric.capacity_Bps.value;
    if (!x->fabric.capacity_Bps.given)
        return;
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    memcpy(of, p->domains[tier].of_rank, (size_t)t->ranks * sizeof *of);
    add_block(t, &how, of);
}

bool blocks_build(struct topology *t) {
    const struct platform *p = t->platform;
    size_t uplinks = 0;
    if (p->copy_bandwidth_Bps.given) {
        struct layout how = {.name = "copy",
                             .tier = plat_slow(p),
                             .rate_Bps = p->copy_bandwidth_Bps.value,
                             .both_ways = true,
                             .always = true};
        add_block(t, &how, blocks_of(t, 1));
        t->blocks[0].all_tiers = true;
    }
    for (int i = 0; i < p->n_tiers; i++) {
        enum tier tier = (enum tier)i;
        if (plat_ends(p, tier) < 2)
            continue;
        add_common(t, tier);
        add_shared(t, tier);
        if (tier == TIER_FAST)
            continue;
        add_nics(t, tier);
        add_tree(t, tier);
        size_t before = t->n_blocks;
        add_uplinks(t, tier);
        uplinks += t->n_blocks - before;
    }
    return t->n_blocks == uplinks;
}

void blocks_clear(struct topology *t) {
    for (size_t i = 0; i < t->n_blocks; i++)
        free(t->blocks[i].of_rank);
    free(t->blocks);
}

static bool is_used(const struct block *b, enum tier tier, int src, int dst) {
    return (b->tier == tier || b->all_tiers) && (b->always || b->of_rank[src] != b->of_rank[dst]);
}

/* Returns the link of a rank's block to a spine. */
static int link_of(const struct block *b, int first, int rank, int spine) {
    return first + b->of_rank[rank] * b->spines + (b->spines > 1 ? spine : 0);
}

void blocks_out(const struct topology *t, enum tier tier, const int leg[static 3], struct route *route) {
    for (size_t i = 0; i < t->n_blocks; i++)
        if (is_used(&t->blocks[i], tier, leg[0], leg[1]))
            route->links[route->n++] = link_of(&t->blocks[i], t->blocks[i].out, leg[0], leg[2]);
}

int blocks_spines(const struct topology *t, enum tier tier, int src, int dst) {
    for (size_t i = 0; i < t->n_blocks; i++)
        if (t->blocks[i].spines > 1 && is_used(&t->blocks[i], tier, src, dst))
            return t->blocks[i].spines;
    return 1;
}

bool blocks_spine_works(const struct topology *t, enum tier tier, int src, int dst, int spine) {
    for (size_t i = 0; i < t->n_blocks; i++) {
        const struct block *b = &t->blocks[i];
        if (b->spines > 1 && is_used(b, tier, src, dst) &&
            (t->links[link_of(b, b->out, src, spine)].failed || t->links[link_of(b, b->in, dst, spine)].failed))
            return false;
    }
    return true;
}

void blocks_in(const struct topology *t, enum tier tier, const int leg[static 3], struct route *route) {
    const int src = leg[0], dst = leg[1];
    for (size_t i = t->n_blocks; i-- > 0;) {
        const struct block *b = &t->blocks[i];
        bool again = b->in == b->out && b->of_rank[src] == b->of_rank[dst]; // passed already
        if (is_used(b, tier, src, dst) && !again)
            route->links[route->n++] = link_of(b, b->in, dst, leg[2]);
    }
}
