/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/skew.h"

#include <math.h>

double skew_paper(double cv, int peers, double averaged) {
    return peers < 2 ? 1 : 1 + cv / sqrt(averaged) * sqrt(2 * log(peers)); // [F10]
}

/* Returns the density of the largest of n standard normals at x, times x: n x phi(x) Phi(x)^(n - 1). */
static double density_times_x(double x, int n) {
    double phi = exp(-x * x / 2) / sqrt(2 * acos(-1.0)), below = erfc(-x / sqrt(2)) / 2;
    return n * x * phi * pow(below, n - 1);
}

double skew_expected_max(int n) {
    if (n < 2)
        return 0;
    // [F11] Simpson's rule; beyond +-12 the density is below 1e-31
    enum { STEPS = 4800 };
    const double from = -12, step = 24.0 / STEPS;
    double sum = density_times_x(from, n) + density_times_x(-from, n);
    for (int i = 1; i < STEPS; i++)
        sum += (i % 2 ? 4 : 2) * density_times_x(from + i * step, n);
    return sum * step / 3;
}

double skew_exact(double cv, int peers, double averaged) {
    return 1 + cv / sqrt(averaged) * skew_expected_max(peers);
}

void skew_table(const struct model_geometry *g, const struct traffic *traffic, double cv,
                struct skew_row rows[static SKEW_ROWS]) {
    struct traffic_rho rho;
    traffic_rho(traffic, &rho);
    const double quota = fmax(1, g->top_k / g->fan_out);
    const struct {
        const char *exchange;
        int peers;
        double averaged, in, out;
    } all[SKEW_ROWS] = {
        {"one_hop", traffic->ranks, 1, rho.one_hop_in, rho.one_hop_out},
        {"hop_a", g->groups, quota, rho.hop_a_in, rho.hop_a_out},
        {"hop_b", g->ranks_per_group, 1, rho.hop_b_in, rho.hop_b_out}};
    for (int i = 0; i < SKEW_ROWS; i++)
        rows[i] =
            (struct skew_row){all[i].exchange, skew_paper(cv, all[i].peers, all[i].averaged),
                              skew_exact(cv, all[i].peers, all[i].averaged), all[i].in, all[i].out};
}
