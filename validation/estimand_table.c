/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/estimand_table.h"

#include <string.h>

#define ALLOWANCE "held_out_share held_out_rows other_sprayed other_one_path other_drops"
#define SWEEP "median_abs_error share_over_35 median_signed_error"
#define STRATEGIES                                                                                 \
    "median_abs_error worst_abs_error crossing_low crossing_high measured_crossing_low "           \
    "measured_crossing_high"

static const struct estimand table[] = {
    {"all-to-all", estimand_all_to_all, "s", ESTIMAND_OWN, SWEEP},
    {"strategies", estimand_strategies, "s", ESTIMAND_OWN, STRATEGIES},
    {"paper-all-to-all", estimand_all_to_all_paper, "s", 0, SWEEP},
    {"paper-strategies", estimand_strategies_paper, "s", 0, STRATEGIES},
    {"paper-step-gain", estimand_step_gain, "ratio", 0, "mae inside_band signs_right chain_dependence"},
    {"paper-overlap", estimand_overlap, "ratio", 0,
     "mae_v1 inside_band_v1 signs_right_v1 parameter_v1 mae_measured "
     "inside_band_measured signs_right_measured parameter_measured"},
    {"alpha-spread", estimand_alpha_spread, "ratio", 0, "gain_low gain_high high_over_low"},
    {"coverage", estimand_coverage, "count", 0, "answered_outside refused_inside questions"},
    {"simulated-all-to-all", estimand_simulated_all_to_all, "s", ESTIMAND_ENGINE, SWEEP},
    {"simulated-strategies", estimand_simulated_strategies, "s", ESTIMAND_ENGINE, STRATEGIES},
    {"cross-check", estimand_cross_check, "s", ESTIMAND_ENGINE, "worst_difference cases"},
    {"engine-agreement", estimand_engine_agreement, "s", ESTIMAND_ENGINE,
     "worst_difference chaotic worst_chaotic_makespan missing_of_a_kind cases random_cases messages seed"},
    {"bound", estimand_bound, "s", ESTIMAND_ENGINE, "worst_below_bound cases"},
    {"bound-agreement", estimand_bound_agreement, "s", ESTIMAND_ENGINE,
     "worst_difference outside_of_scope cases skewed_least_above skewed_most_above"},
    {"conservation", estimand_conservation, "B", ESTIMAND_ENGINE, "worst_difference cases"},
    {"monotonic", estimand_monotonic, "s", ESTIMAND_ENGINE,
     "worst_uniform_rise worst_bound_rise worst_scaling_change worst_permutation worst_skewed_rise skewed_rises"},
    {"host-regime", estimand_host_regime, "s", 0,
     "error_ahead preference_ahead error_observed preference_observed"},
    {"contention", estimand_contention, "Bps", ESTIMAND_ENGINE, "worst_abs_error"},
    {"external", estimand_external, "s", 0, "median_abs_error"},
    {"packet", estimand_packet, "s", ESTIMAND_ENGINE | ESTIMAND_PACKETS,
     "worst_wire_difference worst_bound_difference least_time_over_bound cases rows " ALLOWANCE},
    {"packet-allowance", estimand_packet_allowance, "s", ESTIMAND_PACKETS, ALLOWANCE " constants_off"},
};

const struct estimand *estimand_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}
