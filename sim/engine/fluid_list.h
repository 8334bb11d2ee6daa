/* SPDX-License-Identifier: BSD-3-Clause */
/* fluid_list.h - a growing list of numbers.
 *
 * Units: none.
 * Errors: none; no memory ends the process.
 * Ownership: whoever holds the list frees items; {0} is an empty one. */
#ifndef SIM_ENGINE_FLUID_LIST_H
#define SIM_ENGINE_FLUID_LIST_H

struct fluid_list {
    int *items;
    int n, room;
};

/* Appends an item. */
void fluid_list_add(struct fluid_list *list, int item);

#endif
