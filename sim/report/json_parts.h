/* SPDX-License-Identifier: BSD-3-Clause */
/* json_parts.h - parts of a result's JSON that simulate, compare and sweep records share. */
#ifndef SIM_REPORT_JSON_PARTS_H
#define SIM_REPORT_JSON_PARTS_H

#include "platforms/base/json.h"
#include "sim/report/result.h"

/* How a tier is joined, and which of several routes are taken. */
void json_fabric(struct json *j, const struct plat_fabric *f);
void json_platform(struct json *j, const struct result *r);
void json_workload(struct json *j, const struct result *r);
void json_implementation(struct json *j, const struct implementation *m, const struct platform *p);
void json_rho(struct json *j, const struct traffic_rho *rho);
void json_call(struct json *j, const struct result *r, const struct result_call *c);
void json_gain(struct json *j, const struct result *r);
void json_capabilities(struct json *j, const struct result *r);
void json_gates(struct json *j, const struct result *r);

/* What produced a result; all texts are borrowed. */
struct provenance {
    const char *program_version, *program_git;
    const char *engine_version; /* NULL: nothing was simulated */
    uint64_t seed;
    const struct platform *platform;
    const struct workload *workload;
    const struct implementation *implementation;
    const char *trace_sha256; /* empty: no trace */
    const char *const *arguments;
    int n_arguments;
};
void json_provenance(struct json *j, const struct provenance *p);
void json_result_provenance(struct json *j, const struct result *r);

#endif
