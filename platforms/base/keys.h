/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.h - one table of keys drives reading, defaults, error messages and documentation of our YAML files.
 *
 * A struct describes a file; its key table says which key fills which field. keys_read() walks a YAML map
 * along the table: unknown keys (with the nearest valid name), missing keys, wrong kinds, wrong units and
 * values out of range are errors with file:line:column.
 * Quantities may be plain (50GBps) or annotated ({value: 50GBps, status: nominal, source: ".."}).
 * Units: SI in the structs.
 * Errors: RC_SCHEMA, RC_UNIT, RC_RANGE; the struct is then filled in part.
 * Shapes: a key table ends with an entry whose name is NULL.
 * Ownership: texts and lists live in the YAML document's arena.
 * Edges: a key that is missing leaves its field as it was, unless it has a default; an empty list has n = 0. */
#ifndef PLATFORMS_BASE_KEYS_H
#define PLATFORMS_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platforms/base/yaml.h"

/* How a constant is known, strongest first. derived counts as fitted, low-confidence as assumed. */
#define STATUS_LIST(X)                                                                             \
    X(STATUS_MEASURED, "measured", 0)                                                              \
    X(STATUS_FITTED, "fitted", 1)                                                                  \
    X(STATUS_DERIVED, "derived", 1)                                                                \
    X(STATUS_BORROWED, "borrowed", 2)                                                              \
    X(STATUS_NOMINAL, "nominal", 3)                                                                \
    X(STATUS_ASSUMED, "assumed", 4)                                                                \
    X(STATUS_LOW_CONFIDENCE, "low-confidence", 4)

enum status {
#define STATUS_ENUM(id, name, weakness) id,
    STATUS_LIST(STATUS_ENUM)
#undef STATUS_ENUM
        STATUS_COUNT
};
/* Returns the word of a status. */
const char *status_name(enum status status);
/* Returns how weak a status is, from 0, the strongest, to 4. */
int status_weakness(enum status status);

/* A constant with its provenance. */
struct quantity {
    double value;        /* SI */
    bool given;          /* false: the default, or 0 if there is none */
    bool set;            /* given by --set */
    enum status status;
    const char *source;  /* NULL when not stated */
    const struct yaml_node *on; /* list of the machines that it was measured or fitted on; NULL: not stated */
    double low, high;    /* interval; low > high when none is stated */
    struct place at;
};

enum key_kind {
    KEY_TEXT,   /* const char * */
    KEY_COUNT,  /* int64_t, min..max; or the word, stored as 0 */
    KEY_NUMBER, /* struct quantity without unit, min..max */
    KEY_RATE,   /* struct quantity, bytes per second, > 0 */
    KEY_SIZE,   /* struct quantity, bytes */
    KEY_TIME,   /* struct quantity, seconds */
    KEY_BOOL,   /* bool */
    KEY_CHOICE, /* int: index into choices */
    KEY_CHOICES, /* unsigned: bit i is set when choices[i] is listed; at most 31 choices */
    KEY_MAP,    /* nested struct, table */
    KEY_LIST,   /* struct key_list of structs of item_size, table */
    KEY_NODE,   /* const struct yaml_node *, for the owner of the table to read */
};

struct key_list {
    void *items;
    size_t n;
};

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset;            /* of the field in the struct */
    bool required;
    double min, max;          /* KEY_COUNT, KEY_NUMBER; max 0 = no limit */
    const char *word;         /* KEY_COUNT: also allowed, "all" or "none" */
    const char *otherwise;    /* default as written in a file, or NULL */
    const char *const *choices; /* KEY_CHOICE, KEY_CHOICES: NULL-terminated */
    const struct key *table;  /* KEY_MAP, KEY_LIST */
    size_t item_size;         /* KEY_LIST */
    size_t given_offset;      /* optional: a bool that is set when the key is present; 0 = none */
    const char *help;
};

/* Reads a map into a struct. The status of a plain quantity is assumed. */
enum rc keys_read(const struct key *table, const struct yaml_node *map, struct yaml_doc *doc, void *into,
                  struct err *e);

/* Checks that a document begins with `schema: NAME`. */
enum rc keys_schema(const struct yaml_doc *doc, const char *schema, struct err *e);

/* Writes the reference table of a key table as Markdown, nested keys as dotted paths. */
void keys_markdown(const struct key *table, struct buf *out);

/* Writes the JSON Schema (draft 7) of a file with these keys, for editors. */
void keys_json_schema(const struct key *table, const char *title, struct buf *out);

#endif
