/* SPDX-License-Identifier: BSD-3-Clause */
/* err.h - how a function says that it failed.
 *
 * Fallible functions return enum rc (RC_OK = 0) and take a struct err * last, which may be NULL. Outputs are
 * written only on success. Whoever decides that something is an error writes the message: lower case, what
 * was found, what was expected, the nearest valid name. Callers pass it on, or prefix context.
 * Units: none.
 * Errors: the functions make them and return their code.
 * Ownership: a struct err holds its text; struct place borrows the name of the file.
 * Edges: a message that is too long is cut; where `e` is NULL nothing is written. Our own mistakes end the program:
 * BUG_ON() is always compiled in. */
#ifndef PLATFORMS_BASE_ERR_H
#define PLATFORMS_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

/* code, one-line meaning; expanded into the enum and into rc_text() */
#define RC_LIST(X)                                                                                 \
    X(RC_OK, "ok")                                                                                 \
    X(RC_IO, "cannot read or write")                                                               \
    X(RC_SYNTAX, "not well-formed")                                                                \
    X(RC_SCHEMA, "key or value not allowed")                                                       \
    X(RC_UNIT, "unit missing or of another quantity")                                              \
    X(RC_SHAPE, "sizes do not fit together")                                                       \
    X(RC_RANGE, "value out of range")                                                              \
    X(RC_UNSUPPORTED, "not supported")                                                             \
    X(RC_USAGE, "wrong use of the command line")                                                   \
    X(RC_WITHDRAWN, "capability withdrawn by a gate")                                              \
    X(RC_ENGINE, "simulation engine failed")                                                       \
    X(RC_TIMEOUT, "simulation engine ran out of time")                                             \
    X(RC_RESOURCE, "simulation ended by the machine or from outside")

enum rc {
#define RC_ENUM(code, text) code,
    RC_LIST(RC_ENUM)
#undef RC_ENUM
};

/* A place in a text file. line and column count from 1; line 0 = no place in the file. file is borrowed. */
struct place {
    const char *file;
    int line;
    int column;
};

struct err {
    enum rc code;
    char text[1000]; /* the message, place included */
};

#define ERR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Returns the one-line meaning of a code. */
const char *rc_text(enum rc code);

/* Returns whether an error says nothing of the question, so that the same question may be answered another time:
 * a limit of time, a kill from outside, no memory. */
bool rc_is_circumstance(enum rc code);

/* Sets e (unless NULL) and returns code, so that `return err_set(...)` is the usual form. */
enum rc err_set(struct err *e, enum rc code, const char *format, ...) ERR_PRINTF(3, 4);

/* Sets e as err_set() does, with "file:line:column: " in front; parts of the place that are unknown are left out. */
enum rc err_at(struct err *e, enum rc code, const struct place *at, const char *format, ...)
    ERR_PRINTF(4, 5);

/* Puts "context: " in front of the message. */
void err_prefix(struct err *e, const char *format, ...) ERR_PRINTF(2, 3);

/* Returns the entry of names[0..n) nearest to word by edit distance, or NULL when none is near. */
const char *err_nearest(const char *word, const char *const *names, size_t n);

/* Returns ", did you mean 'slow'?" for the end of a message, or "" when no name is near. before: what stands in front,
 * ", " or "; ". */
struct err_hint {
    char text[96];
};
struct err_hint err_hint(const char *before, const char *word, const char *const *names, size_t n);

/* Ends the program with a line that names the condition that does not hold: a mistake in the program. */
_Noreturn void err_bug(const char *file, int line, const char *what);
#define BUG_ON(condition)                                                                          \
    do {                                                                                           \
        if (condition)                                                                             \
            err_bug(__FILE__, __LINE__, #condition);                                               \
    } while (0)

#endif
