/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/estimand.h"

#include <string.h>

#define SWEEP "median_abs_error share_over_35 median_signed_error"
#define STRATEGIES                                                                                 \
    "median_abs_error worst_abs_error crossing_low crossing_high measured_crossing_low "           \
    "measured_crossing_high"

static const struct estimand table[] = {
    {"all-to-all", estimand_all_to_all, "s", true, false, SWEEP},
    {"strategies", estimand_strategies, "s", true, false, STRATEGIES},
    {"paper-all-to-all", estimand_all_to_all_paper, "s", false, false, SWEEP},
    {"paper-strategies", estimand_strategies_paper, "s", false, false, STRATEGIES},
    {"paper-step-gain", estimand_step_gain, "ratio", false, false, "mae inside_band signs_right chain_dependence"},
    {"paper-overlap", estimand_overlap, "ratio", false, false,
     "mae_v1 inside_band_v1 signs_right_v1 parameter_v1 mae_measured "
     "inside_band_measured signs_right_measured parameter_measured"},
    {"alpha-spread", estimand_alpha_spread, "ratio", false, false, "gain_low gain_high high_over_low"},
    {"coverage", estimand_coverage, "count", false, false, "answered_outside refused_inside questions"},
    {"simulated-all-to-all", estimand_simulated_all_to_all, "s", false, true, SWEEP},
    {"simulated-strategies", estimand_simulated_strategies, "s", false, true, STRATEGIES},
    {"cross-check", estimand_cross_check, "s", false, true, "worst_difference cases"},
    {"engine-agreement", estimand_engine_agreement, "s", false, true,
     "worst_difference chaotic worst_chaotic_makespan missing_of_a_kind cases random_cases messages seed"},
    {"bound", estimand_bound, "s", false, true, "worst_below_bound cases"},
    {"conservation", estimand_conservation, "B", false, true, "worst_difference cases"},
    {"monotonic", estimand_monotonic, "s", false, true,
     "worst_uniform_rise worst_bound_rise worst_scaling_change worst_permutation worst_skewed_rise skewed_rises"},
    {"host-regime", estimand_host_regime, "s", false, false,
     "error_ahead preference_ahead error_observed preference_observed"},
    {"contention", estimand_contention, "Bps", false, true, "worst_abs_error"},
    {"external", estimand_external, "s", false, false, "median_abs_error"},
};

const struct estimand *estimand_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}
