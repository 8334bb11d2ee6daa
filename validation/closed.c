/* SPDX-License-Identifier: BSD-3-Clause */
#include "validation/closed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "platforms/base/stat.h"

enum rc closed_alpha_s(const struct platform *p, const char *implementation, int world, enum tier span,
                       double *alpha_s, struct err *e) {
    const struct plat_alpha *tables = p->alpha.items;
    for (size_t i = 0; i < p->alpha.n; i++)
        if (tables[i].entries.n && tables[i].regime == REGIME_AHEAD && tables[i].phase != ALPHA_COMBINE &&
            strcmp(tables[i].implementation, implementation) == 0) {
            *alpha_s =
                plat_alpha_clamped_s(tables[i].entries.items, tables[i].entries.n, world, span);
            return RC_OK;
        }
    return err_set(e, RC_UNSUPPORTED, "platform %s has no alpha table of implementation %s", p->name,
                   implementation);
}

enum rc closed_machine(const struct platform *p, const struct implementation *implementation,
                       const struct closed_shape *shape, struct model_machine *m, struct err *e) {
    struct model_machine found = {.splits_s = p->splits_sync_s.value};
    model_levels(p, implementation, TIER_FAST, &found);
    struct beta *const levels[] = {&found.flat, &found.slow, &found.fast};
    for (int i = 0; i < 3; i++)
        if (levels[i]->kind == BETA_CLOSED)
            levels[i]->kind = shape->kind;
    const struct {
        int world;
        enum tier span;
        double *alpha_s;
    } all[] = {{shape->groups * shape->ranks_per_group, plat_slow(p), &found.alpha_one_hop_s},
               {shape->groups, plat_slow(p), &found.alpha_hop_a_s},
               {shape->ranks_per_group, TIER_FAST, &found.alpha_hop_b_s}};
    for (size_t i = 0; i < 3; i++) {
        enum rc rc = closed_alpha_s(p, implementation->name, all[i].world, all[i].span, all[i].alpha_s, e);
        if (rc)
            return rc;
    }
    *m = found;
    return RC_OK;
}

double *closed_errors(const struct gate_evidence *x, size_t *n) {
    double *errors = mem_alloc(x->n_points + 1, sizeof *errors);
    *n = 0;
    for (size_t i = 0; i < x->n_points; i++)
        if (x->points[i].counted)
            errors[(*n)++] =
                (x->points[i].predicted - x->points[i].measured) / x->points[i].measured;
    return errors;
}

void closed_sweep_metrics(struct gate_evidence *x) {
    size_t n, over = 0;
    double *errors = closed_errors(x, &n);
    if (!n) {
        free(errors);
        return;
    }
    double bias = stat_upper_median(errors, n);
    for (size_t i = 0; i < n; i++) {
        errors[i] = fabs(errors[i]);
        over += errors[i] > 0.35;
    }
    gate_add_metric(x, "median_abs_error", METRIC_SHARE, stat_upper_median(errors, n));
    gate_add_metric(x, "share_over_35", METRIC_SHARE, (double)over / (double)n);
    gate_add_metric(x, "median_signed_error", METRIC_SHARE, bias);
    free(errors);
}

void closed_worst_metrics(struct gate_evidence *x) {
    size_t n;
    double *errors = closed_errors(x, &n);
    for (size_t i = 0; i < n; i++)
        errors[i] = fabs(errors[i]);
    if (n) {
        gate_add_metric(x, "median_abs_error", METRIC_SHARE, stat_upper_median(errors, n));
        gate_add_metric(x, "worst_abs_error", METRIC_SHARE, stat_max(errors, n));
    }
    free(errors);
}
