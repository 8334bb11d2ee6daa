/* SPDX-License-Identifier: BSD-3-Clause */
#include "gates/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platforms/base/unit.h"

/* What is sealed in a claim. All bits zero: unknown. */
struct content {
    double value;
    uint64_t known;
};
_Static_assert(sizeof(struct content) == sizeof(struct claim), "a claim holds its content");

static struct content open_claim(struct claim c) {
    struct content x;
    memcpy(&x, c.sealed, sizeof x);
    return x;
}

struct claim claim_if(bool known, const struct licence *l, double value) {
    struct claim c = {{0}};
    if (!known || !l || licence_state(l) == CAPABILITY_WITHDRAWN)
        return c;
    const struct content x = {value, 1};
    memcpy(c.sealed, &x, sizeof x);
    return c;
}

struct claim claim_make(const struct licence *l, double value) {
    return claim_if(true, l, value);
}

bool claim_known(struct claim c) {
    return open_claim(c).known;
}

const char *claim_text(struct claim c, enum claim_form form, char text[static CLAIM_TEXT]) {
    const struct content x = open_claim(c);
    char size[UNIT_TEXT];
    if (!x.known)
        return "-";
    switch (form) {
    case CLAIM_TIME:
        return unit_format(x.value, UNIT_TIME, text);
    case CLAIM_SHIFT:
        if (fabs(x.value) < 5e-10)
            return "0 s";
        snprintf(text, CLAIM_TEXT, "%c%.30s", x.value < 0 ? '-' : '+',
                 unit_format(fabs(x.value), UNIT_TIME, size));
        break;
    case CLAIM_FACTOR:
        snprintf(text, CLAIM_TEXT, "%.3f", x.value);
        break;
    case CLAIM_COARSE:
        snprintf(text, CLAIM_TEXT, "%.2f", x.value);
        break;
    case CLAIM_PERCENT:
        snprintf(text, CLAIM_TEXT, "%.1f %%", 100 * x.value);
        break;
    case CLAIM_ERROR:
        snprintf(text, CLAIM_TEXT, "%+.1f %%", fabs(x.value) < 5e-4 ? 0 : 100 * x.value);
        break;
    case CLAIM_PLAIN:
        return json_format(x.value, text);
    }
    return text;
}

static void claim_json(struct json *j, struct claim c) {
    const struct content x = open_claim(c);
    if (x.known)
        json_number(j, x.value);
    else
        json_put_null(j);
}

void claim_json_key(struct json *j, const char *key, struct claim c) {
    json_key(j, key);
    claim_json(j, c);
}

void claim_json_scaled(struct json *j, const char *key, struct claim c, double factor) {
    const struct content x = open_claim(c);
    json_key_number_if(j, key, x.known, x.known ? factor * x.value : 0);
}

void claim_json_span(struct json *j, const char *key, struct claim from, struct claim to, double factor) {
    const struct content a = open_claim(from), b = open_claim(to);
    bool known = a.known && b.known;
    json_key_number_if(j, key, known, known ? factor * (b.value - a.value) : 0);
}

void claim_json_pair(struct json *j, const char *key, const struct claim pair[2]) {
    json_key(j, key);
    if (!claim_known(pair[0]) || !claim_known(pair[1])) {
        json_put_null(j);
        return;
    }
    json_open(j, '[');
    claim_json(j, pair[0]);
    claim_json(j, pair[1]);
    json_close(j);
}
