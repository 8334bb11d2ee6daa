/* SPDX-License-Identifier: BSD-3-Clause */
/* claim.h - a number that a report may show.
 *
 * The number inside is sealed: it cannot be read, added or printed outside gates/claim.c. It goes in with a
 * licence and comes out as text or JSON. Under a withdrawn licence it is dropped on the way in, so that no
 * writer can leak it. A zeroed claim is an unknown number: "-" in text, null in JSON.
 * Units: SI inside; claim_text() chooses readable ones. Errors: none.
 * Ownership: a claim is a plain value; texts stand in the buffer of the caller.
 * Edges: a licence that is NULL counts as withdrawn; a number that is not finite is not for a claim. */
#ifndef GATES_CLAIM_H
#define GATES_CLAIM_H

#include "gates/licence.h"
#include "platforms/base/json.h"

struct claim {
    uint64_t sealed[2];
};

/* Seals the number, if the licence is not withdrawn; NULL counts as withdrawn. */
struct claim claim_make(const struct licence *l, double value);
/* Seals the number as claim_make() does, or makes an unknown one where known is false. */
struct claim claim_if(bool known, const struct licence *l, double value);

/* Returns whether a claim holds a number. */
bool claim_known(struct claim c);

/* How claim_text() writes a known number. */
enum claim_form {
    CLAIM_TIME,    /* "1.286 ms" */
    CLAIM_SHIFT,   /* a difference of times: "+1.286 ms", "-3 us"; below half a nanosecond "0 s" */
    CLAIM_FACTOR,  /* "1.050" */
    CLAIM_COARSE,  /* "1.05" */
    CLAIM_PERCENT, /* a share: "89.0 %" */
    CLAIM_ERROR,   /* a signed relative error: "-1.3 %", never "-0.0 %" */
    CLAIM_PLAIN    /* shortest decimal that reads back equal, SI */
};
enum { CLAIM_TEXT = 32 };
/* Writes a claim as text, "-" where it is unknown, and returns the text. */
const char *claim_text(struct claim c, enum claim_form form, char text[static CLAIM_TEXT]);

/* Writes a key with the number, or null. */
void claim_json_key(struct json *j, const char *key, struct claim c);
/* Write a number times a factor, and the difference of two; for formats with a unit of their own. */
void claim_json_scaled(struct json *j, const char *key, struct claim c, double factor);
void claim_json_span(struct json *j, const char *key, struct claim from, struct claim to, double factor);
/* Writes [low, high], or null when one of them is unknown. */
void claim_json_pair(struct json *j, const char *key, const struct claim pair[2]);

#endif
