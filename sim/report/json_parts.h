/* SPDX-License-Identifier: BSD-3-Clause */
/* json_parts.h - parts of a result's JSON that simulate, compare and sweep records share.
 *
 * Units: SI, in the key. Errors: none. Ownership: borrow everything, append to the writer. Edges: what is unknown is
 * null. */
#ifndef SIM_REPORT_JSON_PARTS_H
#define SIM_REPORT_JSON_PARTS_H

#include "platforms/base/json.h"
#include "sim/study/study.h"

/* Writes how a tier is joined, and which of several routes are taken. */
void json_fabric(struct json *j, const struct plat_fabric *f);
void json_platform(struct json *j, const struct result *r);
void json_workload(struct json *j, const struct result *r);
void json_implementation(struct json *j, const struct implementation *m, const struct platform *p);
/* Writes key "window": messages in flight, or "all" for 0. */
void json_window(struct json *j, int64_t window);
void json_rho(struct json *j, const struct traffic_rho *rho);
void json_call(struct json *j, const struct result *r, const struct result_call *c);
void json_messages(struct json *j, const struct platform *p, const struct result_messages *m);
void json_weakest(struct json *j, const struct result *r);
/* Writes which engine played the calls and what that cost; a number that the engine does not count is null. */
void json_engine(struct json *j, const struct result *r);
void json_gain(struct json *j, const struct result *r);
void json_capabilities(struct json *j, const struct result *r);
void json_gates(struct json *j, const struct result *r);

/* Writes the whole document of simulate or compare. */
void json_result(struct json *j, const struct result *r);

/* What produced a result; all texts are borrowed. */
struct provenance {
    bool simulated; /* otherwise no engine is named */
    uint64_t seed;
    const struct manifest *files;
    const char *const *arguments;
    int n_arguments;
};
/* Write provenance: what produced a result, on which inputs. */
void json_provenance(struct json *j, const struct provenance *p);
void json_result_provenance(struct json *j, const struct result *r);

#endif
