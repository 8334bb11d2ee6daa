/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/unit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    enum unit_kind kind;
    double factor;
};

#define KI 1024.0
static const struct unit units[] = {
    {"Bps", UNIT_RATE, 1},
    {"kBps", UNIT_RATE, 1e3},
    {"MBps", UNIT_RATE, 1e6},
    {"GBps", UNIT_RATE, 1e9},
    {"TBps", UNIT_RATE, 1e12},
    {"KiBps", UNIT_RATE, KI},
    {"MiBps", UNIT_RATE, KI *KI},
    {"GiBps", UNIT_RATE, KI *KI *KI},
    {"TiBps", UNIT_RATE, KI *KI *KI *KI},
    {"bps", UNIT_RATE, 1 / 8.0},
    {"kbps", UNIT_RATE, 1e3 / 8},
    {"Mbps", UNIT_RATE, 1e6 / 8},
    {"Gbps", UNIT_RATE, 1e9 / 8},
    {"Tbps", UNIT_RATE, 1e12 / 8},
    {"Kibps", UNIT_RATE, KI / 8},
    {"Mibps", UNIT_RATE, KI *KI / 8},
    {"Gibps", UNIT_RATE, KI *KI *KI / 8},
    {"Tibps", UNIT_RATE, KI *KI *KI *KI / 8},
    {"B", UNIT_SIZE, 1},
    {"kB", UNIT_SIZE, 1e3},
    {"MB", UNIT_SIZE, 1e6},
    {"GB", UNIT_SIZE, 1e9},
    {"TB", UNIT_SIZE, 1e12},
    {"KiB", UNIT_SIZE, KI},
    {"MiB", UNIT_SIZE, KI *KI},
    {"GiB", UNIT_SIZE, KI *KI *KI},
    {"TiB", UNIT_SIZE, KI *KI *KI *KI},
    {"ns", UNIT_TIME, 1e-9},
    {"us", UNIT_TIME, 1e-6},
    {"ms", UNIT_TIME, 1e-3},
    {"s", UNIT_TIME, 1},
};
enum { UNITS = sizeof units / sizeof *units };

static const char *const examples[UNIT_KINDS] = {"50GBps or 400Gbps", "54KiB", "2us or 0s"};

/* Ranges of plausible values. Anything outside that is not 0 is a slip: products and quotients of such values leave the
 * range of a double, or make a machine on which no message arrives. */
static const struct {
    double low, high; /* SI */
    const char *text;
} ranges[UNIT_KINDS] = {[UNIT_RATE] = {1, 1e18, "1Bps to 1e6TBps"},
                        [UNIT_SIZE] = {1e-3, 1e18, "0.001B to 1e6TB"},
                        [UNIT_TIME] = {1e-15, 1e6, "1e-6ns to 1e6s"}};

static const char *unit_name(enum unit_kind kind) {
    static const char *const names[UNIT_KINDS] = {"rate", "size", "time"};
    return names[kind];
}

static enum rc unknown_unit(const char *text, const char *unit, enum unit_kind want, struct err *e) {
    const char *names[UNITS];
    size_t n = 0;
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].kind == want)
            names[n++] = units[i].name;
    // "GB/s" and "Gb/s" are the usual slips
    char plain[16] = "";
    if (want == UNIT_RATE && strlen(unit) < sizeof plain) {
        size_t w = 0;
        for (const char *p = unit; *p; p++)
            plain[w++] = *p == '/' ? 'p' : *p;
        plain[w] = '\0';
    }
    return err_set(e, RC_UNIT, "'%.60s': unknown unit '%.30s', expected a %s such as %s%s", text, unit,
                   unit_name(want), examples[want], err_hint("; ", *plain ? plain : unit, names, n).text);
}

enum rc unit_parse(const char *text, enum unit_kind want, double *value, struct err *e) {
    char *end;
    // strtod also takes hexadecimal, "inf" and "nan": only plain decimals are meant here
    const char *p = text + (*text == '-' || *text == '+');
    if (!(isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) ||
        (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')))
        return err_set(e, RC_UNIT, "'%.60s' is not a %s, expected a number with a unit such as %s",
                       text, unit_name(want), examples[want]);
    double number = strtod(text, &end);
    const char *unit = end + (*end == ' ');
    if (*unit == '\0')
        return err_set(e, RC_UNIT, "'%.60s' has no unit, expected a %s such as %s", text,
                       unit_name(want), examples[want]);
    const struct unit *found = NULL;
    for (size_t i = 0; i < UNITS && !found; i++)
        if (strcmp(units[i].name, unit) == 0)
            found = &units[i];
    if (!found)
        return unknown_unit(text, unit, want, e);
    if (found->kind != want)
        return err_set(e, RC_UNIT, "'%.60s' is a %s, expected a %s such as %s", text,
                       unit_name(found->kind), unit_name(want), examples[want]);
    double result = number * found->factor;
    if (number < 0)
        return err_set(e, RC_RANGE, "'%.60s' is negative", text);
    if (!isfinite(result))
        return err_set(e, RC_RANGE, "'%.60s' is not finite", text);
    if (number != 0 && !(result >= ranges[want].low && result <= ranges[want].high))
        return err_set(e, RC_RANGE, "'%.60s' is out of range, expected a %s of 0 or of %s", text, unit_name(want),
                       ranges[want].text);
    *value = result;
    return RC_OK;
}

const char *unit_format(double value, enum unit_kind kind, char text[static UNIT_TEXT]) {
    static const struct {
        double factor;
        const char *name[UNIT_KINDS];
    } scale[] = {{1e12, {"TB/s", "TB", NULL}}, {1e9, {"GB/s", "GB", NULL}},
                 {1e6, {"MB/s", "MB", NULL}},  {1e3, {"kB/s", "kB", NULL}},
                 {1, {"B/s", "B", "s"}},       {1e-3, {NULL, NULL, "ms"}},
                 {1e-6, {NULL, NULL, "us"}},   {1e-9, {NULL, NULL, "ns"}}};
    enum { SCALES = sizeof scale / sizeof *scale };
    size_t last = SCALES;
    for (size_t i = 0; i < SCALES; i++) {
        if (!scale[i].name[kind])
            continue;
        last = i;
        // 0.99995 so that 999.96 does not print as "1000"
        if (fabs(value) >= 0.99995 * scale[i].factor)
            break;
    }
    if (value == 0)
        last = 4;
    snprintf(text, UNIT_TEXT, "%.4g %s", value / scale[last].factor, scale[last].name[kind]);
    return text;
}
