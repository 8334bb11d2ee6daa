/* SPDX-License-Identifier: BSD-3-Clause */
/* model_config.h - a model's config.json, as Hugging Face keeps it, turned into keys of a workload.
 *
 * Families name the same thing differently; the tables in model_config.c say which names are looked for. A language
 * model inside a larger one is read from its text_config. What the file does not say and a workload needs is asked
 * for; routers whose rule is not known are refused by name.
 * Units: counts; hidden is elements.
 * Errors: RC_IO, RC_SYNTAX (no JSON), RC_SCHEMA (something is missing or not known), RC_RANGE (no count, two names
 * that contradict each other).
 * Ownership: what is set belongs to the document of the workload; notes belong to the caller.
 * Edges: any bytes are read or refused; a file without experts is refused. */
#ifndef WORKLOADS_MODEL_CONFIG_H
#define WORKLOADS_MODEL_CONFIG_H

#include "platforms/base/yaml.h"

/* Sets keys of a workload from its key `model`, if it has one. Given by --set, the model replaces what the workload's
 * file says about model and routing; written in the file, it fills in what the file leaves out. What --set says
 * stays. */
enum rc model_config_apply(struct yaml_doc *workload, struct buf *notes, struct err *e);

/* Sets keys of a workload as model_config_apply() does, from a config that is read already. replace: the model replaces
 * what the workload's file says. */
enum rc model_config_fill(const struct yaml_doc *config, bool replace, struct yaml_doc *workload, struct buf *notes,
                          struct err *e);

#endif
