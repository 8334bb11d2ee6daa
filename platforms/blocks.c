/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/blocks.h"

#include <stdio.h>
#include <stdlib.h>

#include "platforms/base/mem.h"
#include "platforms/mesh.h"

/* What a kind of block is made of. */
struct layout {
    const char *name;
    enum tier tier;
    double rate_Bps;
    bool both_ways; /* one link for both directions */
    bool always;    /* also between ranks of one block */
};

/* Whose traffic a link carries is the span from the first to the last rank of its block. */
static void add_links(struct topology *t, const struct layout *how, struct block *b, enum link_role role,
                      const char *way) {
    for (int i = 0; i < b->n; i++) {
        struct link l = {.role = role,
                         .tier = how->tier,
                         .owner = i,
                         .block = (int)t->n_blocks,
                         .capacity_Bps = how->rate_Bps};
        topo_add_link(t, &l, "%s%s-%d", how->name, way, i);
    }
    struct link *links = &t->links[t->n_links - b->n];
    for (int rank = 0; rank < t->ranks; rank++) {
        struct link *l = &links[b->of_rank[rank]];
        if (l->n_ranks == 0)
            l->first_rank = rank;
        l->n_ranks = rank - l->first_rank + 1;
    }
}

/* Takes of_rank over. */
static void add_block(struct topology *t, const struct layout *how, int *of_rank) {
    MEM_GROW(t->blocks, t->n_blocks, t->blocks_room);
    struct block *b = &t->blocks[t->n_blocks++];
    BUG_ON(t->n_blocks > BLOCKS_MAX);
    *b = (struct block){.tier = how->tier, .of_rank = of_rank, .always = how->always};
    for (int rank = 0; rank < t->ranks; rank++)
        b->n = of_rank[rank] >= b->n ? of_rank[rank] + 1 : b->n;
    b->out = t->n_links;
    add_links(t, how, b, how->both_ways ? LINK_BOTH : LINK_UP, how->both_ways ? "" : "-out");
    b->in = how->both_ways ? b->out : t->n_links;
    if (!how->both_ways)
        add_links(t, how, b, LINK_DOWN, "-in");
}

static int *blocks_of(const struct topology *t, int64_t ranks) {
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    for (int rank = 0; rank < t->ranks; rank++)
        of[rank] = (int)(rank / ranks);
    return of;
}

static int64_t n_nics(const struct topology *t) {
    const struct plat_fabric *f = &t->platform->tier[TIER_SLOW].fabric;
    return f->nics ? (fabric_is_pooled(f) ? 1 : f->nics) : t->platform->ranks_per_group;
}

/* NIC of each rank, counted over all groups, `per` of them to a block. */
static int *nic_blocks(const struct topology *t, int64_t per) {
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    for (int rank = 0; rank < t->ranks; rank++) {
        int64_t group = plat_group_of(t->platform, rank), nic = t->nic[plat_local_of(t->platform, rank)];
        of[rank] = (int)((group * n_nics(t) + nic) / per);
    }
    return of;
}

/* The leaf of each rank where each rail has its own, of `per` groups each. */
static int *rail_blocks(const struct topology *t, int64_t per) {
    int64_t leaves = (t->platform->groups + per - 1) / per;
    int *of = mem_alloc((size_t)t->ranks, sizeof *of);
    for (int rank = 0; rank < t->ranks; rank++)
        of[rank] = (int)(t->nic[plat_local_of(t->platform, rank)] * leaves +
                         plat_group_of(t->platform, rank) / per);
    return of;
}

/* A NIC that is not just another name of the rank's own port. */
static void add_nics(struct topology *t) {
    const struct plat_fabric *f = &t->platform->tier[TIER_SLOW].fabric;
    if (f->nics == 0)
        return;
    double many = fabric_is_pooled(f) ? (double)f->nics : 1;
    struct layout how = {.name = "nic", .tier = TIER_SLOW, .rate_Bps = many * f->nic_bandwidth_Bps.value};
    add_block(t, &how, nic_blocks(t, 1));
}

/* Leaves, and pods of three levels. A pod has half the ports of a switch as leaves; above it nothing is
 * oversubscribed. */
static void add_tree(struct topology *t) {
    const struct plat_tier *slow = &t->platform->tier[TIER_SLOW];
    const struct plat_fabric *f = &slow->fabric;
    double nic_Bps = f->nics ? f->nic_bandwidth_Bps.value : slow->bandwidth_Bps.value;
    double over = slow->oversubscription.value;
    int64_t leaf = fabric_leaf_ends(f, over), groups = t->platform->groups;
    if (f->kind != FABRIC_FAT_TREE) { // without `ports` one switch joins a rail
        leaf = f->ports && leaf < groups ? leaf : groups;
        bool binds = f->kind == FABRIC_RAIL || leaf < groups;
        struct layout how = {.name = "leaf", .tier = TIER_SLOW, .rate_Bps = (double)leaf * nic_Bps / over};
        if (binds)
            add_block(t, &how, rail_blocks(t, leaf));
        return;
    }
    double pooled = fabric_is_pooled(f) ? (double)f->nics : 1;
    if (fabric_is_pooled(f))
        leaf = leaf / f->nics > 0 ? leaf / f->nics : 1;
    double up_Bps = (double)leaf * pooled * nic_Bps / over;
    struct layout how = {.name = "leaf", .tier = TIER_SLOW, .rate_Bps = up_Bps};
    if (f->levels > 1)
        add_block(t, &how, nic_blocks(t, leaf));
    how.name = "pod";
    how.rate_Bps = up_Bps * (double)(f->ports / 2);
    if (f->levels > 2)
        add_block(t, &how, nic_blocks(t, leaf * (f->ports / 2)));
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

/* Both directions of a rank's port, and the capacity of a switch. */
static void add_common(struct topology *t, enum tier tier) {
    const struct platform *p = t->platform;
    const struct plat_tier *x = &p->tier[tier];
    char name[TOPO_NAME];
    snprintf(name, sizeof name, "%s-duplex", tier_name(tier));
    struct layout how = {name, tier, x->bandwidth_Bps.value, true, true};
    if (x->fabric.half_duplex)
        add_block(t, &how, blocks_of(t, 1));
    snprintf(name, sizeof name, "%s-switch", tier_name(tier));
    how.rate_Bps = x->fabric.capacity_Bps.value;
    if (x->fabric.capacity_Bps.given)
        add_block(t, &how, blocks_of(t, tier == TIER_FAST ? p->ranks_per_group : plat_ranks(p)));
}

void blocks_build(struct topology *t) {
    const struct platform *p = t->platform;
    if (p->copy_bandwidth_Bps.given) {
        struct layout how = {"copy", TIER_SLOW, p->copy_bandwidth_Bps.value, true, true};
        add_block(t, &how, blocks_of(t, 1));
        t->blocks[0].both_tiers = true;
    }
    for (int tier = 0; tier < TIER_COUNT; tier++) {
        if (tier == TIER_FAST ? p->ranks_per_group < 2 : p->groups < 2)
            continue;
        add_common(t, (enum tier)tier);
        add_shared(t, (enum tier)tier);
        if (tier == TIER_SLOW) {
            add_nics(t);
            add_tree(t);
        }
    }
}

void blocks_clear(struct topology *t) {
    for (size_t i = 0; i < t->n_blocks; i++)
        free(t->blocks[i].of_rank);
    free(t->blocks);
}

static bool is_used(const struct block *b, enum tier tier, int src, int dst) {
    return (b->tier == tier || b->both_tiers) && (b->always || b->of_rank[src] != b->of_rank[dst]);
}

void blocks_out(const struct topology *t, enum tier tier, int src, int dst, struct route *route) {
    for (size_t i = 0; i < t->n_blocks; i++)
        if (is_used(&t->blocks[i], tier, src, dst))
            route->links[route->n++] = t->blocks[i].out + t->blocks[i].of_rank[src];
}

void blocks_in(const struct topology *t, enum tier tier, int src, int dst, struct route *route) {
    for (size_t i = t->n_blocks; i-- > 0;) {
        const struct block *b = &t->blocks[i];
        bool again = b->in == b->out && b->of_rank[src] == b->of_rank[dst]; // passed already
        if (is_used(b, tier, src, dst) && !again)
            route->links[route->n++] = b->in + b->of_rank[dst];
    }
}
