/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"

double stat_sum(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

double stat_max(const double *x, size_t n) {
    double max = n ? x[0] : 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > max)
            max = x[i];
    return max;
}

double stat_max_over_mean(const double *x, size_t n) {
    double sum = stat_sum(x, n);
    return sum > 0 ? stat_max(x, n) * (double)n / sum : -1;
}

double stat_cv(const double *x, size_t n) {
    double mean = n ? stat_sum(x, n) / (double)n : 0, squares = 0;
    if (!(mean > 0))
        return -1;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)n) / mean;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stat_sort(double *x, size_t n) {
    if (n)
        qsort(x, n, sizeof *x, ascending);
}

static double *sorted(const double *x, size_t n) {
    double *copy = mem_alloc(n, sizeof *copy);
    if (n)
        memcpy(copy, x, n * sizeof *copy);
    stat_sort(copy, n);
    return copy;
}

double stat_gini(const double *x, size_t n) {
    double sum = stat_sum(x, n);
    if (!(sum > 0))
        return -1;
    double *s = sorted(x, n), weighted = 0;
    for (size_t i = 0; i < n; i++)
        weighted += (2 * (double)(i + 1) - (double)n - 1) * s[i];
    free(s);
    return weighted / ((double)n * sum);
}

double stat_upper_median(const double *x, size_t n) {
    BUG_ON(n == 0);
    double *s = sorted(x, n), median = s[n / 2];
    free(s);
    return median;
}
