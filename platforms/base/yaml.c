/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/yaml.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "platforms/base/file.h"
#include "platforms/base/foreign.h"

struct reader {
    yaml_parser_t parser;
    struct yaml_doc *doc;
    struct err *e;
};

static struct place place_of(const struct reader *r, yaml_mark_t mark) {
    return (struct place){r->doc->file, (int)mark.line + 1, (int)mark.column + 1};
}

static enum rc syntax(const struct reader *r, yaml_mark_t mark, const char *message) {
    struct place at = place_of(r, mark);
    return err_at(r->e, RC_SYNTAX, &at, "%s", message);
}

static enum rc next_event(struct reader *r, yaml_event_t *event) {
    if (yaml_parser_parse(&r->parser, event))
        return RC_OK;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_READER_ERROR)
        return err_set(r->e, RC_SYNTAX, "%s: not a YAML text: %s at byte %zu", r->doc->file,
                       p->problem ? p->problem : "unreadable", p->problem_offset);
    struct place at = place_of(r, p->problem_mark);
    return err_at(r->e, RC_SYNTAX, &at, "%s%s%s", p->context ? p->context : "",
                  p->context ? ": " : "", p->problem ? p->problem : "not well-formed YAML");
}

static struct yaml_node *new_node(struct yaml_doc *doc, enum yaml_type type, struct place at) {
    struct yaml_node *node = arena_alloc(&doc->arena, 1, sizeof *node);
    node->type = type;
    node->at = at;
    return node;
}

static void grow(struct yaml_doc *doc, struct yaml_node *node) {
    if (node->n < node->room)
        return;
    // arena blocks cannot be resized: copy; doubling keeps that linear
    size_t room = node->room ? 2 * node->room : 8;
    struct yaml_node **items = arena_alloc(&doc->arena, room, sizeof *items);
    if (node->n)
        memcpy(items, node->items, node->n * sizeof *items);
    node->items = items;
    if (node->type == YAML_MAP) {
        const char **keys = arena_alloc(&doc->arena, room, sizeof *keys);
        struct place *key_at = arena_alloc(&doc->arena, room, sizeof *key_at);
        if (node->n) {
            memcpy(keys, node->keys, node->n * sizeof *keys);
            memcpy(key_at, node->key_at, node->n * sizeof *key_at);
        }
        node->keys = keys;
        node->key_at = key_at;
    }
    node->room = room;
}

static void append(struct yaml_doc *doc, struct yaml_node *node, struct yaml_node *child,
                   const char *key, struct place key_at) {
    grow(doc, node);
    node->items[node->n] = child;
    if (node->type == YAML_MAP) {
        node->keys[node->n] = key;
        node->key_at[node->n] = key_at;
    }
    node->n++;
}

static enum rc no_extras(const struct reader *r, const yaml_event_t *event, const yaml_char_t *anchor,
                         const yaml_char_t *tag) {
    if (anchor)
        return syntax(r, event->start_mark, "anchors are not allowed; write the value out");
    if (tag)
        return syntax(r, event->start_mark, "tags are not allowed");
    return RC_OK;
}

static enum rc yaml_read_value(struct reader *r, yaml_event_t *event, int depth, struct yaml_node **out);

static enum rc yaml_read_list(struct reader *r, struct yaml_node *list, int depth) {
    for (;;) {
        yaml_event_t event;
        enum rc rc = next_event(r, &event);
        if (rc)
            return rc;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            return RC_OK;
        }
        struct yaml_node *child = NULL;
        rc = yaml_read_value(r, &event, depth + 1, &child);
        if (rc)
            return rc;
        append(r->doc, list, child, NULL, child->at);
    }
}

static enum rc yaml_read_key(struct reader *r, struct yaml_node *map, const yaml_event_t *event,
                             const char **key) {
    if (event->type != YAML_SCALAR_EVENT)
        return syntax(r, event->start_mark, event->type == YAML_ALIAS_EVENT
                                                ? "aliases are not allowed; write the value out"
                                                : "a key must be plain text");
    enum rc rc = no_extras(r, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (rc)
        return rc;
    *key = arena_copy(&r->doc->arena, (const char *)event->data.scalar.value);
    if (strlen(*key) != event->data.scalar.length)
        return syntax(r, event->start_mark, "a key contains a NUL character");
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->keys[i], *key) == 0) {
            struct place at = place_of(r, event->start_mark);
            return err_at(r->e, RC_SYNTAX, &at, "key '%.80s' appears twice, first in line %d", *key,
                          map->key_at[i].line);
        }
    return RC_OK;
}

static enum rc read_map(struct reader *r, struct yaml_node *map, int depth) {
    for (;;) {
        yaml_event_t event;
        enum rc rc = next_event(r, &event);
        if (rc)
            return rc;
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return RC_OK;
        }
        const char *key = NULL;
        struct place key_at = place_of(r, event.start_mark);
        rc = yaml_read_key(r, map, &event, &key);
        yaml_event_delete(&event);
        if (rc)
            return rc;
        rc = next_event(r, &event);
        if (rc)
            return rc;
        struct yaml_node *child = NULL;
        rc = yaml_read_value(r, &event, depth + 1, &child);
        if (rc)
            return rc;
        append(r->doc, map, child, key, key_at);
    }
}

/* Reads the value that begins with an event, and releases the event. */
static enum rc yaml_read_value(struct reader *r, yaml_event_t *event, int depth, struct yaml_node **out) {
    struct place at = place_of(r, event->start_mark);
    enum rc rc = RC_OK;
    struct yaml_node *node = NULL;
    if (depth > YAML_DEPTH) {
        rc = syntax(r, event->start_mark, "nested too deeply");
    } else if (event->type == YAML_ALIAS_EVENT) {
        rc = syntax(r, event->start_mark, "aliases are not allowed; write the value out");
    } else if (event->type == YAML_SCALAR_EVENT) {
        rc = no_extras(r, event, event->data.scalar.anchor, event->data.scalar.tag);
        node = new_node(r->doc, YAML_SCALAR, at);
        node->text = arena_copy(&r->doc->arena, (const char *)event->data.scalar.value);
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        if (!rc && strlen(node->text) != event->data.scalar.length)
            rc = syntax(r, event->start_mark, "a value contains a NUL character");
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        rc = no_extras(r, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
        node = new_node(r->doc, YAML_LIST, at);
        if (!rc)
            rc = yaml_read_list(r, node, depth);
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        rc = no_extras(r, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
        node = new_node(r->doc, YAML_MAP, at);
        if (!rc)
            rc = read_map(r, node, depth);
    } else {
        rc = syntax(r, event->start_mark, "expected a value");
    }
    yaml_event_delete(event);
    *out = node;
    return rc;
}

/* Reads one event of a given type and drops it. */
static enum rc expect(struct reader *r, yaml_event_type_t type, const char *otherwise) {
    yaml_event_t event;
    enum rc rc = next_event(r, &event);
    if (rc)
        return rc;
    if (event.type != type)
        rc = syntax(r, event.start_mark, otherwise);
    yaml_event_delete(&event);
    return rc;
}

static enum rc read_document(struct reader *r) {
    enum rc rc = expect(r, YAML_STREAM_START_EVENT, "not a YAML text");
    if (!rc)
        rc = expect(r, YAML_DOCUMENT_START_EVENT, "the file is empty");
    if (rc)
        return rc;
    yaml_event_t event;
    rc = next_event(r, &event);
    if (!rc)
        rc = yaml_read_value(r, &event, 0, &r->doc->root);
    if (!rc)
        rc = expect(r, YAML_DOCUMENT_END_EVENT, "expected the end of the document");
    if (!rc)
        rc = expect(r, YAML_STREAM_END_EVENT, "only one document a file is allowed");
    return rc;
}

enum rc yaml_parse(const char *text, size_t n, const char *name, struct yaml_doc **doc,
                   struct err *e) {
    struct reader r = {.e = e, .doc = mem_alloc(1, sizeof *r.doc)};
    r.doc->file = arena_copy(&r.doc->arena, name);
    hash_bytes(text, n, r.doc->sha256);
    enum rc rc = RC_OK;
    if (!yaml_parser_initialize(&r.parser)) {
        rc = err_set(e, RC_IO, "%s: cannot start the YAML reader", name);
    } else {
        yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
        rc = read_document(&r);
        yaml_parser_delete(&r.parser);
    }
    if (rc)
        yaml_doc_free(r.doc);
    else
        *doc = r.doc;
    return rc;
}

enum rc yaml_load_as(const char *path, const char *role, struct yaml_doc **doc, struct err *e) {
    char *data;
    size_t n;
    enum rc rc = file_read(path, YAML_MAX_BYTES, &data, &n, e);
    if (rc)
        return rc;
    rc = foreign_refuse(data, n, path, FOREIGN_YAML, e);
    if (!rc)
        rc = yaml_parse(data, n, path, doc, e);
    free(data);
    if (!rc)
        manifest_add(&(*doc)->files, role, path, (*doc)->sha256);
    return rc;
}

enum rc yaml_load(const char *path, struct yaml_doc **doc, struct err *e) {
    return yaml_load_as(path, "file", doc, e);
}

void yaml_doc_free(struct yaml_doc *doc) {
    if (!doc)
        return;
    manifest_clear(&doc->files);
    arena_clear(&doc->arena);
    free(doc);
}

static size_t find(const struct yaml_node *map, const char *key) {
    size_t i = 0;
    while (i < map->n && strcmp(map->keys[i], key) != 0)
        i++;
    return i;
}

struct yaml_node *yaml_get(const struct yaml_node *map, const char *key) {
    if (map->type != YAML_MAP)
        return NULL;
    size_t i = find(map, key);
    return i < map->n ? map->items[i] : NULL;
}

void yaml_drop(struct yaml_node *map, const char *key) {
    size_t i = find(map, key);
    if (i == map->n)
        return;
    map->n--;
    for (; i < map->n; i++) {
        map->items[i] = map->items[i + 1];
        map->keys[i] = map->keys[i + 1];
        map->key_at[i] = map->key_at[i + 1];
    }
}

/* Returns the item of a list whose key `name` has this text, or NULL. */
static struct yaml_node *find_named(const struct yaml_node *list, const char *name, const char *text) {
    for (size_t i = 0; i < list->n; i++) {
        const struct yaml_node *says = yaml_get(list->items[i], name);
        if (says && says->type == YAML_SCALAR && strcmp(says->text, text) == 0)
            return list->items[i];
    }
    return NULL;
}

/* Returns the item of a list that is called `key` by its key `name`, or has that number, from 0; NULL: there is
 * none. */
static struct yaml_node *find_item(const struct yaml_node *list, const char *key) {
    struct yaml_node *named = find_named(list, "name", key);
    if (named)
        return named;
    char *end;
    unsigned long number = strtoul(key, &end, 10);
    return *key >= '0' && *key <= '9' && !*end && number < list->n ? list->items[number] : NULL;
}

static void set_leaf(struct yaml_doc *doc, struct yaml_node *map, size_t i, const char *value, struct place at) {
    struct yaml_node *leaf = new_node(doc, YAML_SCALAR, at);
    leaf->text = arena_copy(&doc->arena, value);
    leaf->plain = leaf->set = true;
    map->items[i] = leaf;
    map->key_at[i] = at;
}

/* Returns the index of a key in a map; a key that is missing is added without a value. */
static size_t slot_of(struct yaml_doc *doc, struct yaml_node *map, const char *key, struct place at) {
    size_t i = find(map, key);
    if (i == map->n)
        append(doc, map, NULL, arena_copy(&doc->arena, key), at);
    return i;
}

/* Copies a value of another document into this one, as a setting. */
static struct yaml_node *copy_set(struct yaml_doc *doc, const struct yaml_node *from, struct place at) {
    struct yaml_node *node = new_node(doc, from->type, at);
    node->set = true;
    node->plain = from->plain;
    node->text = from->text ? arena_copy(&doc->arena, from->text) : NULL;
    for (size_t i = 0; i < from->n; i++)
        append(doc, node, copy_set(doc, from->items[i], at),
               from->type == YAML_MAP ? arena_copy(&doc->arena, from->keys[i]) : NULL, at);
    return node;
}

/* Sets a key to a value as written after --set: a list in brackets, otherwise plain text. */
static enum rc set_value(struct yaml_doc *doc, struct yaml_node *map, size_t i, const char *value, struct place at,
                         struct err *e) {
    if (*value != '[') {
        set_leaf(doc, map, i, value, at);
        return RC_OK;
    }
    struct yaml_doc *list;
    enum rc rc = yaml_parse(value, strlen(value), at.file, &list, e);
    if (rc)
        return rc;
    map->items[i] = copy_set(doc, list->root, at);
    map->key_at[i] = at;
    yaml_doc_free(list);
    return RC_OK;
}

void yaml_set_item(struct yaml_doc *doc, const char *list, const struct setting *of, const struct setting *key,
                   const char *origin) {
    struct place at = {arena_copy(&doc->arena, origin), 0, 0};
    size_t i = slot_of(doc, doc->root, list, at);
    if (!doc->root->items[i])
        doc->root->items[i] = new_node(doc, YAML_LIST, at);
    struct yaml_node *items = doc->root->items[i];
    if (items->type != YAML_LIST)
        return;
    struct yaml_node *item = find_named(items, of->key, of->value);
    if (!item) {
        item = new_node(doc, YAML_MAP, at);
        append(doc, items, item, NULL, at);
        set_leaf(doc, item, slot_of(doc, item, of->key, at), of->value, at);
    }
    set_leaf(doc, item, slot_of(doc, item, key->key, at), key->value, at);
}

enum rc yaml_set(struct yaml_doc *doc, const char *path, const char *value, const char *origin,
                 struct err *e) {
    struct place at = {arena_copy(&doc->arena, origin), 0, 0};
    struct yaml_node *map = doc->root;
    char *rest = arena_copy(&doc->arena, path);
    for (;;) {
        char *key = rest, *dot = strchr(rest, '.');
        if (dot) {
            *dot = '\0';
            rest = dot + 1;
        }
        if (map->type == YAML_LIST && dot) {
            struct yaml_node *item = find_item(map, key);
            if (!item)
                return err_at(e, RC_SCHEMA, &at, "'%s': the list has no item '%s'", path, key);
            map = item;
            continue;
        }
        if (map->type != YAML_MAP || !*key)
            return err_at(e, RC_SCHEMA, &at, "'%s': no such key", path);
        if (!*value && find(map, key) == map->n)
            return err_at(e, RC_SCHEMA, &at, "'%s=' takes a key away, but '%s' is not given", path, key);
        if (!*value && !dot) {
            yaml_drop(map, key);
            return RC_OK;
        }
        size_t i = slot_of(doc, map, key, at);
        map->key_at[i] = at;
        if (!dot)
            return set_value(doc, map, i, value, at, e);
        if (!map->items[i])
            map->items[i] = new_node(doc, YAML_MAP, at);
        map = map->items[i];
    }
}
