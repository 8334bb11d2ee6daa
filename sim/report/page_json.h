/* SPDX-License-Identifier: BSD-3-Clause */
/* page_json.h - a record as JSON in memory, and what stands where in it.
 *
 * Units: SI. Errors: none. Ownership: page_record() and page_call_name() return what the caller releases; texts and
 * nodes are borrowed from the record. Edges: what is missing or of another kind is NULL, "" or not known. */
#ifndef SIM_REPORT_PAGE_JSON_H
#define SIM_REPORT_PAGE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "sim/study/result.h"

/* A number of a record; not known: null. */
struct page_number {
    bool known;
    double value;
};

/* Returns the value under a path of keys, each ended by a blank: "gain band"; NULL when missing. */
const json_t *page_get(const json_t *node, const char *path);
struct page_number page_number(const json_t *node, const char *path);
const char *page_text(const json_t *node, const char *path); /* "" when missing */
/* Returns what a call is called: "two-hop dispatch"; free() releases. */
char *page_call_name(const json_t *call);

/* Returns a result as the record that its JSON would be read as; json_decref() releases. */
json_t *page_record(const struct result *r);

#endif
