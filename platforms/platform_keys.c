/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/alpha.h"

enum { GROUPS_MAX = 65536, PORTS_MAX = 4096 };

static const char *const layout_choices[] = {"packed", "spread", NULL};
static const char *const class_choices[] = {"fast", "slow", NULL};
static const char *const part_choices[] = {"latency", "counts", NULL}; // enum alpha_part
static const char *const phase_choices[] = {"any", "dispatch", "combine", NULL};

#define FABRIC(member) offsetof(struct plat_tier, fabric.member)

const struct key plat_edge_keys[] = {
    {"from", KEY_COUNT, offsetof(struct plat_edge, from), .required = true, .max = GROUPS_MAX,
     .help = "one end, counted from 0: index of a rank in its group, or of a group"},
    {"to", KEY_COUNT, offsetof(struct plat_edge, to), .required = true, .max = GROUPS_MAX,
     .help = "its other end"},
    {"bandwidth", KEY_RATE, offsetof(struct plat_edge, bandwidth_Bps), .required = true,
     .help = "rate each way"},
    {"latency", KEY_TIME, offsetof(struct plat_edge, latency_s), .otherwise = "0s",
     .help = "latency of this cable, in addition to that of the tier"},
    {0}};

static const struct key shared_keys[] = {
    {"name", KEY_TEXT, offsetof(struct plat_shared, name), .required = true,
     .help = "the links are NAME-out-I and NAME-in-I (NAME-I if `both_ways`)"},
    {"ranks", KEY_COUNT, offsetof(struct plat_shared, ranks), .required = true, .min = 1,
     .max = GROUPS_MAX,
     .help = "number of consecutive ranks that share a link, for messages to and from ranks outside"},
    {"bandwidth", KEY_RATE, offsetof(struct plat_shared, bandwidth_Bps), .required = true,
     .help = "rate of the link, for all ranks that share it together"},
    {"both_ways", KEY_BOOL, offsetof(struct plat_shared, both_ways), .otherwise = "false",
     .help = "both directions share one link"},
    {0}};

const struct key plat_tier_keys[] = {
    {"name", KEY_TEXT, offsetof(struct plat_tier, name),
     .help = "in `middle`: name of the tier and of each domain that it joins, such as `rack`"},
    {"joins", KEY_COUNT, offsetof(struct plat_tier, joins), .min = 1, .max = GROUPS_MAX,
     .help = "in `middle`: number of domains of the tier below that it joins to one of its own"},
    {"counts_as", KEY_CHOICE, offsetof(struct plat_tier, counts_as), .otherwise = "slow", .choices = class_choices,
     .help = "in `middle`: the tier whose efficiency and message cost of the implementation hold here too"},
    {"bandwidth", KEY_RATE, offsetof(struct plat_tier, bandwidth_Bps),
     .help = "most that a rank sends, and receives, on this tier; one direction"},
    {"latency", KEY_TIME, offsetof(struct plat_tier, latency_s), .otherwise = "0s",
     .help = "time by which a message arrives later; it occupies nothing"},
    {"x_half", KEY_SIZE, offsetof(struct plat_tier, x_half_bytes),
     .help = "message size that reaches half the bandwidth; read as a cost x_half / bandwidth per message"},
    {"message_cost", KEY_TIME, offsetof(struct plat_tier, message_cost_s),
     .help = "time of one message on the sender's port, instead of x_half"},
    {"oversubscription", KEY_NUMBER, offsetof(struct plat_tier, oversubscription), .min = 1,
     .otherwise = "1",
     .help = "slow and middle: sum of the ports of an end over the rate of its uplink; in trees and rails of a leaf"},
    {"kind", KEY_CHOICE, FABRIC(kind), .otherwise = "switch", .choices = fabric_kinds,
     .help = "how the ends are joined; the last four belong to tiers between groups"},
    {"link_bandwidth", KEY_RATE, FABRIC(link_bandwidth_Bps),
     .help = "full-mesh, ring, torus: rate of one link, the most that one flow to a neighbour gets"},
    {"capacity", KEY_RATE, FABRIC(capacity_Bps),
     .help = "switch: all that passes it at a time; left out: it does not block"},
    {"dims", KEY_TEXT, FABRIC(dims),
     .help = "torus: lengths, `4x4` or `4x4x8`; ends are numbered along the last length first"},
    {"links", KEY_LIST, FABRIC(links), .table = plat_edge_keys, .item_size = sizeof(struct plat_edge),
     .help = "graph: its cables; fast switch: cables beside it that join two ranks, whose messages take them"},
    {"shared", KEY_LIST, FABRIC(shared), .table = shared_keys, .item_size = sizeof(struct plat_shared),
     .help = "links that neighbouring ranks share: caps of a rank (PCIe), a tray, a node, two nodes"},
    {"half_duplex", KEY_BOOL, FABRIC(half_duplex), .otherwise = "false",
     .help = "what a rank sends and what it receives share `bandwidth`"},
    {"nics", KEY_COUNT, FABRIC(nics), .min = 1, .max = GROUPS_MAX,
     .help = "slow and middle: NICs of a group on this tier; left out: each rank has one of `bandwidth`"},
    {"nic_bandwidth", KEY_RATE, FABRIC(nic_bandwidth_Bps),
     .help = "rate of one NIC; `bandwidth` stays the most of one rank"},
    {"nic_map", KEY_TEXT, FABRIC(nic_map), .otherwise = "blocks",
     .help = "`blocks`, `round-robin`, `pooled` (all act as one), or the NIC of each rank of a group: `0 0 1 1`"},
    {"ports", KEY_COUNT, FABRIC(ports), .min = 2, .max = PORTS_MAX,
     .help = "fat-tree, rail-optimised, multi-plane: ports of a switch"},
    {"levels", KEY_COUNT, FABRIC(levels), .min = 1, .max = 3, .help = "fat-tree: levels of switches"},
    {"cross_rail", KEY_CHOICE, FABRIC(cross_rail), .otherwise = "spine", .choices = fabric_cross_rails,
     .help = "rail-optimised: to another rail through the spine, or over the fast tier first"},
    {"routers", KEY_COUNT, FABRIC(routers), .min = 1, .max = GROUPS_MAX,
     .help = "dragonfly: routers of one of its groups, all joined to each other"},
    {"router_groups", KEY_COUNT, FABRIC(router_groups), .min = 1, .max = GROUPS_MAX,
     .help = "dragonfly: ends (groups or racks) at one router"},
    {"local_bandwidth", KEY_RATE, FABRIC(local_bandwidth_Bps),
     .help = "dragonfly: rate between two routers of a group"},
    {"global_bandwidth", KEY_RATE, FABRIC(global_bandwidth_Bps),
     .help = "dragonfly: rate between two of its groups, all their links together"},
    {"routing", KEY_CHOICE, FABRIC(routing), .otherwise = "minimal", .choices = fabric_routings,
     .help = "dragonfly: shortest path, or evenly over the direct one and one through each other group"},
    {"paths", KEY_CHOICE, FABRIC(paths), .otherwise = "spread", .choices = fabric_paths,
     .help = "messages with several paths: equal shares of the sender (`spread`) or of the switches (`adaptive`), or "
             "one that is drawn by the seed"},
    {"spines", KEY_COUNT, FABRIC(spines), .min = 1, .max = PORTS_MAX,
     .help = "hashed, switch or fat tree of 2 levels: a link to each; left out: the ports that go up, each to its own"},
    {"flows_per_message", KEY_COUNT, FABRIC(flows_per_message), .min = 1, .max = 16, .otherwise = "1",
     .help = "hashed: equal parts of a message (queue pairs) that each draw a path"},
    {"transport", KEY_CHOICE, FABRIC(transport), .otherwise = "ideal", .choices = fabric_transports,
     .given_offset = FABRIC(transport_stated),
     .help = "how packets get through, for the allowance beside the wire time; left out: the widest one"},
    {"ack_share", KEY_NUMBER, FABRIC(ack_share), .max = 1, .otherwise = "0",
     .help = "of the bytes received, sent back as acknowledgements: 64/4160 = 0.01538 for one a packet of 4 KiB"},
    {0}};

static const struct key entry_keys[] = {
    {"world", KEY_COUNT, offsetof(struct plat_alpha_entry, world), .required = true, .min = 2,
     .max = 1e9, .help = "ranks in the collective"},
    {"span", KEY_TEXT, offsetof(struct plat_alpha_entry, span_name), .otherwise = "any",
     .help = "widest tier that the collective reaches; `any`: every tier without an entry of its own for this world"},
    {"time", KEY_TIME, offsetof(struct plat_alpha_entry, time_s), .required = true,
     .help = "fixed cost of one call"},
    {0}};

static const struct key alpha_keys[] = {
    {"implementation", KEY_TEXT, offsetof(struct plat_alpha, implementation), .required = true,
     .help = "the library that the times belong to"},
    {"regime", KEY_CHOICE, offsetof(struct plat_alpha, regime), .otherwise = "ahead",
     .choices = regime_names,
     .help = "host regime in which the times hold: calls queued ahead, or each observed by the host"},
    {"phase", KEY_CHOICE, offsetof(struct plat_alpha, phase), .otherwise = "any",
     .choices = phase_choices, .help = "direction of the calls that the times belong to"},
    {"includes", KEY_CHOICES, offsetof(struct plat_alpha, includes), .choices = part_choices,
     .given_offset = offsetof(struct plat_alpha, includes_given),
     .help = "what the times contain; it is not charged again: latencies of tiers and cables, exchange of counts"},
    {"note", KEY_TEXT, offsetof(struct plat_alpha, note), .help = "remark for people; changes no number"},
    {"borrow", KEY_TEXT, offsetof(struct plat_alpha, borrow),
     .help = "take the table of this built-in platform, and its `includes`; its status becomes borrowed"},
    {"entries", KEY_LIST, offsetof(struct plat_alpha, entries), .table = entry_keys,
     .item_size = sizeof(struct plat_alpha_entry), .help = "the table"},
    {0}};

static const struct key degraded_keys[] = {
    {"link", KEY_TEXT, offsetof(struct plat_degraded, link), .required = true,
     .help = "a link as `platform show` names it, `rank-N`: all links of a rank, `group-N`: all inside a group"},
    {"factor", KEY_NUMBER, offsetof(struct plat_degraded, factor), .required = true, .min = 0,
     .max = 1, .help = "share of its rate that is left; 0: the link has failed, graphs and full meshes go round it"},
    {0}};

static const struct key background_keys[] = {
    {"link", KEY_TEXT, offsetof(struct plat_background, link), .required = true,
     .help = "a link as `platform show` names it, `rank-N`: all links of a rank, `group-N`: all inside a group"},
    {"rate", KEY_RATE, offsetof(struct plat_background, rate_Bps), .required = true,
     .help = "rate that other traffic takes all the time"},
    {0}};

static const struct key treatment_keys[] = {
    {"name", KEY_TEXT, offsetof(struct plat_treatment, name), .required = true,
     .help = "name of the assumption in results"},
    {"borrow", KEY_TEXT, offsetof(struct plat_treatment, borrow),
     .help = "take the table of this built-in platform"},
    {"entries", KEY_LIST, offsetof(struct plat_treatment, entries), .table = entry_keys,
     .item_size = sizeof(struct plat_alpha_entry), .help = "or this table; neither: no fixed cost"},
    {0}};

const struct key platform_keys[] = {
    {"schema", KEY_TEXT, offsetof(struct platform, schema), .required = true,
     .help = "`" PLATFORM_SCHEMA "`"},
    {"name", KEY_TEXT, offsetof(struct platform, name), .required = true, .help = "name in results"},
    {"description", KEY_TEXT, offsetof(struct platform, description),
     .help = "one line for `platform list`"},
    {"implementation", KEY_TEXT, offsetof(struct platform, implementation),
     .otherwise = "collective-eager", .help = "default of `--implementation`"},
    {"groups", KEY_COUNT, offsetof(struct platform, groups), .required = true, .min = 1,
     .max = GROUPS_MAX, .help = "fast domains"},
    {"ranks_per_group", KEY_COUNT, offsetof(struct platform, ranks_per_group), .required = true,
     .min = 1, .max = GROUPS_MAX, .help = "accelerators in a fast domain"},
    {"fast", KEY_MAP, offsetof(struct platform, tier[TIER_FAST]), .required = true,
     .table = plat_tier_keys, .help = "fabric inside a group"},
    {"group_sizes", KEY_TEXT, offsetof(struct platform, group_sizes),
     .help = "groups that differ: `2x8 1x4` is two of 8 ranks and one of 4; ranks_per_group is the largest"},
    {"used_groups", KEY_COUNT, offsetof(struct platform, used_groups), .min = 1, .max = GROUPS_MAX, .word = "all",
     .otherwise = "all", .help = "groups that the job runs on; the links stay those of the whole machine"},
    {"used_layout", KEY_CHOICE, offsetof(struct platform, used_layout), .otherwise = "packed",
     .choices = layout_choices, .help = "which ones: `packed`: the first; `spread`: evenly over the machine"},
    {"slow", KEY_MAP, offsetof(struct platform, tier[TIER_MAX - 1]), .required = true,
     .table = plat_tier_keys, .help = "fabric between groups"},
    {"middle", KEY_LIST, offsetof(struct platform, middle), .table = plat_tier_keys,
     .item_size = sizeof(struct plat_tier), .help = "tiers between fast and slow, from the inside"},
    {"ratio", KEY_NUMBER, offsetof(struct platform, ratio), .min = 1e-3, .max = 1e6,
     .help = "fast over slow bandwidth, instead of `slow.bandwidth`"},
    {"ratio_probed", KEY_NUMBER, offsetof(struct platform, ratio_probed), .min = 1e-3, .max = 1e6,
     .help = "a measured ratio; shown, changes no number"},
    {"port_bandwidth", KEY_RATE, offsetof(struct platform, port_bandwidth_Bps),
     .help = "where given, all tiers share one port of this rate per rank, each way"},
    {"copy_bandwidth", KEY_RATE, offsetof(struct platform, copy_bandwidth_Bps),
     .help = "where given, all that a rank sends and receives on all tiers shares this rate"},
    {"collective_bandwidth", KEY_RATE, offsetof(struct platform, collective_bandwidth_Bps),
     .help = "rate of one-hop calls in the closed form; default: the widest tier's"},
    {"splits_sync", KEY_TIME, offsetof(struct platform, splits_sync_s), .otherwise = "0s",
     .help = "host readback of split sizes, once per two-hop call"},
    {"alpha", KEY_LIST, offsetof(struct platform, alpha), .table = alpha_keys,
     .item_size = sizeof(struct plat_alpha), .help = "fixed cost of a collective, per implementation"},
    {"alpha_treatments", KEY_LIST, offsetof(struct platform, alpha_treatments),
     .table = treatment_keys, .item_size = sizeof(struct plat_treatment),
     .help = "named assumptions between which the time lies where alpha is not known"},
    {"degraded", KEY_LIST, offsetof(struct platform, degraded), .table = degraded_keys,
     .item_size = sizeof(struct plat_degraded), .help = "slowed and failed links"},
    {"background", KEY_LIST, offsetof(struct platform, background), .table = background_keys,
     .item_size = sizeof(struct plat_background), .help = "links that carry other traffic too"},
    {0}};
