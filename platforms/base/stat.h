/* SPDX-License-Identifier: BSD-3-Clause */
/* stat.h - small statistics of a list of numbers.
 *
 * Valid for: finite values.
 * Units: those of the values; ratios have none.
 * Shapes: x[n].
 * Errors: none.
 * Ownership: borrows everything.
 * Edges: where a result does not exist (mean 0, no values) the functions return -1, which none of these statistics
 * of non-negative values can be; sum and maximum of no values are 0. */
#ifndef PLATFORMS_BASE_STAT_H
#define PLATFORMS_BASE_STAT_H

#include <stddef.h>

/* Return the sum, the largest value, the largest over the mean, and two measures of inequality. */
double stat_sum(const double *x, size_t n);
double stat_max(const double *x, size_t n);          /* 0 for no values */
double stat_max_over_mean(const double *x, size_t n); /* -1 when the mean is 0 */
double stat_cv(const double *x, size_t n);            /* population standard deviation over mean */
double stat_gini(const double *x, size_t n);          /* sum_i (2 i - n - 1) x_(i) / (n sum x), i from 1 */

/* Sorts the values in place, the smallest first. */
void stat_sort(double *x, size_t n);

/* Returns the median that gates use: the element of index n/2 of the sorted list. n >= 1. */
double stat_upper_median(const double *x, size_t n);

#endif
