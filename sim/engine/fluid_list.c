/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/engine/fluid_list.h"

#include "platforms/base/mem.h"

void fluid_list_add(struct fluid_list *list, int item) {
    MEM_GROW(list->items, list->n, list->room);
    list->items[list->n++] = item;
}
