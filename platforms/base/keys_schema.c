/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "platforms/base/json.h"
#include "platforms/base/keys.h"

static void open_key(struct json *j, const char *key) {
    json_key_open(j, key, '{');
}

static void write_number(struct json *j, const struct key *key, const char *type) {
    json_key_text(j, "type", type);
    json_key_number(j, "minimum", key->min);
    if (key->max > 0)
        json_key_number(j, "maximum", key->max);
}

/* Writes the type of a plain value: a text with its unit, or a number where the key has no unit. */
static void write_plain(struct json *j, const struct key *key) {
    if (key->kind == KEY_NUMBER) {
        write_number(j, key, "number");
        return;
    }
    static const char *const shapes[] = {[KEY_RATE] = "^[0-9.eE+-]+ ?[A-Za-z/]+$",
                                         [KEY_SIZE] = "^[0-9.eE+-]+ ?[A-Za-z]+$",
                                         [KEY_TIME] = "^[0-9.eE+-]+ ?[A-Za-z]+$"};
    json_key_text(j, "type", "string");
    json_key_text(j, "pattern", shapes[key->kind]);
}

static void write_text(struct json *j, const char *key) {
    open_key(j, key);
    json_key_text(j, "type", "string");
    json_close(j);
}

/* Writes the two forms of a quantity: plain, or {value, status, source, on, interval, note}. */
static void write_quantity(struct json *j, const struct key *key) {
    json_key_open(j, "oneOf", '[');
    json_open(j, '{');
    write_plain(j, key);
    json_close(j);
    json_open(j, '{');
    json_key_text(j, "type", "object");
    open_key(j, "properties");
    open_key(j, "value");
    write_plain(j, key);
    json_close(j);
    open_key(j, "status");
    json_key_open(j, "enum", '[');
    for (int i = 0; i < STATUS_COUNT; i++)
        json_text(j, status_name((enum status)i));
    json_close(j);
    json_close(j);
    write_text(j, "source");
    write_text(j, "note");
    open_key(j, "on");
    json_key_text(j, "type", "array");
    json_key_int(j, "minItems", 1);
    json_close(j);
    open_key(j, "interval");
    json_key_text(j, "type", "array");
    json_key_int(j, "minItems", 2);
    json_key_int(j, "maxItems", 2);
    json_close(j);
    json_close(j);
    json_key_open(j, "required", '[');
    json_text(j, "value");
    json_close(j);
    json_key(j, "additionalProperties");
    json_bool(j, false);
    json_close(j);
    json_close(j);
}

static void write_choices(struct json *j, const struct key *key) {
    json_key_open(j, "enum", '[');
    for (int i = 0; key->choices[i]; i++)
        json_text(j, key->choices[i]);
    json_close(j);
}

static void write_object(struct json *j, const struct key *table);

static void write_kind(struct json *j, const struct key *key) {
    switch (key->kind) {
    case KEY_TEXT:
        json_key_text(j, "type", "string");
        break;
    case KEY_COUNT:
        if (key->word) { // the word stands beside numbers
            json_key_open(j, "type", '[');
            json_text(j, "integer");
            json_text(j, "string");
            json_close(j);
        } else {
            write_number(j, key, "integer");
        }
        break;
    case KEY_BOOL:
        json_key_text(j, "type", "boolean");
        break;
    case KEY_CHOICE:
        write_choices(j, key);
        break;
    case KEY_CHOICES:
        json_key_text(j, "type", "array");
        open_key(j, "items");
        write_choices(j, key);
        json_close(j);
        break;
    case KEY_MAP:
        write_object(j, key->table);
        break;
    case KEY_LIST:
        json_key_text(j, "type", "array");
        open_key(j, "items");
        write_object(j, key->table);
        json_close(j);
        break;
    default:
        write_quantity(j, key);
    }
}

static void write_object(struct json *j, const struct key *table) {
    bool required = false;
    json_key_text(j, "type", "object");
    open_key(j, "properties");
    for (const struct key *key = table; key->name; key++) {
        open_key(j, key->name);
        json_key_text(j, "description", key->help);
        write_kind(j, key);
        json_close(j);
        required = required || key->required;
    }
    json_close(j);
    if (required) {
        json_key_open(j, "required", '[');
        for (const struct key *key = table; key->name; key++)
            if (key->required)
                json_text(j, key->name);
        json_close(j);
    }
    json_key(j, "additionalProperties");
    json_bool(j, false);
}

void keys_json_schema(const struct key *table, const char *title, struct buf *out) {
    struct json j;
    json_init(&j, out, true);
    json_open(&j, '{');
    json_key_text(&j, "$schema", "http://json-schema.org/draft-07/schema#");
    json_key_text(&j, "title", title);
    write_object(&j, table);
    json_close(&j);
    buf_text(out, "\n");
}
