/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/placement/placement_file.h"

#include <stdlib.h>
#include <string.h>

#include "platforms/base/file.h"
#include "platforms/base/foreign.h"
#include "platforms/base/yaml.h"
#include "workloads/records/json_pull.h"
#include "workloads/records/npy.h"

enum { FILE_BYTES = 64 << 20, SLOTS_MAX = 1 << 20 };

/* Lists of experts: one per layer, or one per device of a layer. */
struct lists {
    int *expert;
    size_t n, room;
    size_t *end; /* where each list ends */
    size_t n_lists, lists_room;
};

/* What the file holds for the layer asked for. */
struct found {
    struct lists devices; /* expert_map.json: one list per device */
    struct lists layers; /* physical_to_logical_map: one list per layer */
    int64_t layer; /* wanted, or -1 for the first */
    int64_t taken; /* device layer taken; -1: none yet */
    bool mapped; /* layers holds the wanted list of a map of layers by number */
};

static void lists_clear(struct lists *l) {
    free(l->expert);
    free(l->end);
}

static enum rc add_expert(struct json_pull *j, struct lists *l, struct err *e) {
    if (j->token != JSON_NUMBER || !j->whole || j->integer < -1 || j->integer > SLOTS_MAX)
        return err_at(e, RC_SCHEMA, &j->at, "%s '%.40s', expected an expert number",
                      json_pull_name(j), j->text);
    if (l->n == SLOTS_MAX)
        return err_at(e, RC_RANGE, &j->at, "more than %d slots", SLOTS_MAX);
    MEM_GROW(l->expert, l->n, l->room);
    l->expert[l->n++] = (int)j->integer;
    return RC_OK;
}

static void end_list(struct lists *l) {
    MEM_GROW(l->end, l->n_lists, l->lists_room);
    l->end[l->n_lists++] = l->n;
}

/* Reads a list of numbers, or with `inner` a list of such lists; the opening bracket is read. */
static enum rc read_lists(struct json_pull *j, struct lists *l, bool inner, struct err *e) {
    bool any = false;
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token != JSON_LIST_END) {
        if (j->token == JSON_LIST && inner)
            rc = read_lists(j, l, false, e);
        else
            rc = add_expert(j, l, e);
        any = any || (!rc && j->token == JSON_NUMBER);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    if (!rc && (any || !inner))
        end_list(l);
    return rc;
}

static enum rc want(const struct json_pull *j, enum json_token token, const char *what,
                    struct err *e) {
    return j->token == token
               ? RC_OK
               : err_at(e, RC_SCHEMA, &j->at, "%s, expected %s", json_pull_name(j), what);
}

/* Reads {"device_id": .., "device_expert": [..]} and adds its list. */
static enum rc read_device(struct json_pull *j, struct lists *into, struct err *e) {
    bool any = false;
    enum rc rc = want(j, JSON_MAP, "a device {device_expert: [..]}", e);
    if (!rc)
        rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        bool experts = strcmp(j->text, "device_expert") == 0;
        rc = json_pull_next(j, e);
        if (!rc && experts)
            rc = want(j, JSON_LIST, "a list of experts", e);
        if (!rc)
            rc = experts ? read_lists(j, into, false, e) : json_pull_skip(j, e);
        any = any || experts;
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc || any ? rc : err_at(e, RC_SCHEMA, &j->at, "a device without device_expert");
}

/* Reads {"layer_id": .., "device_list": [..]}; devices count in the order of the file. */
static enum rc read_layer(struct json_pull *j, struct found *f, int64_t index, struct err *e) {
    struct lists devices = {0};
    int64_t id = index;
    enum rc rc = want(j, JSON_MAP, "a layer {layer_id, device_list}", e);
    if (!rc)
        rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        bool list = strcmp(j->text, "device_list") == 0, is_id = strcmp(j->text, "layer_id") == 0;
        rc = json_pull_next(j, e);
        if (!rc && is_id && (j->token != JSON_NUMBER || !j->whole))
            rc = err_at(e, RC_SCHEMA, &j->at, "layer_id is %s '%.40s', expected a whole number", json_pull_name(j),
                        j->token == JSON_LIST || j->token == JSON_MAP ? "" : j->text);
        if (!rc && is_id)
            id = j->integer;
        if (!rc && list)
            rc = want(j, JSON_LIST, "a list of devices", e);
        if (!rc && list)
            for (rc = json_pull_next(j, e); !rc && j->token != JSON_LIST_END;) {
                rc = read_device(j, &devices, e);
                if (!rc)
                    rc = json_pull_next(j, e);
            }
        else if (!rc)
            rc = json_pull_skip(j, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    if (!rc && f->taken < 0 && (f->layer < 0 || f->layer == id) && devices.n_lists) {
        f->devices = devices;
        f->taken = id;
    } else {
        lists_clear(&devices);
    }
    return rc;
}

/* Tells a key that is a layer's number, as "3" or "layer_3". */
static bool is_layer_key(const char *key, int64_t *layer) {
    const char *digits = strncmp(key, "layer_", 6) == 0 ? key + 6 : key;
    char *end;
    *layer = strtoll(digits, &end, 10);
    return *digits >= '0' && *digits <= '9' && !*end;
}

/* Reads the list of a layer, whose key is read, if it is the one that is wanted. */
static enum rc read_mapped(struct json_pull *j, struct found *f, int64_t layer, struct err *e) {
    enum rc rc = want(j, JSON_LIST, "a list of experts, one a slot", e);
    if (rc || f->mapped || (f->layer >= 0 && f->layer != layer))
        return rc ? rc : json_pull_skip(j, e);
    f->mapped = true;
    return read_lists(j, &f->layers, false, e);
}

/* {"3": [..], "4": [..]}, whose '{' is read. */
static enum rc read_map_of_layers(struct json_pull *j, struct found *f, struct err *e) {
    enum rc rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        int64_t layer;
        if (!is_layer_key(j->text, &layer))
            return err_at(e, RC_SCHEMA, &j->at, "'%.40s', expected the number of a layer", j->text);
        rc = json_pull_next(j, e);
        if (!rc)
            rc = read_mapped(j, f, layer, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

/* Reads a slot map: a list of layers, or a map of them. */
static enum rc read_slot_map(struct json_pull *j, struct found *f, struct err *e) {
    if (j->token == JSON_MAP)
        return read_map_of_layers(j, f, e);
    enum rc rc = want(j, JSON_LIST, "a list, or a map of layers", e);
    if (rc || f->layers.n_lists)
        return rc ? rc : json_pull_skip(j, e);
    return read_lists(j, &f->layers, true, e);
}

static enum rc read_top(struct json_pull *j, struct found *f, struct err *e) {
    enum rc rc = json_pull_next(j, e);
    if (!rc && j->token == JSON_LIST)
        return read_lists(j, &f->layers, true, e);
    if (!rc)
        rc = want(j, JSON_MAP, "a map with layer_list or physical_to_logical_map", e);
    if (!rc)
        rc = json_pull_next(j, e);
    while (!rc && j->token == JSON_KEY) {
        int64_t layer;
        bool map = strcmp(j->text, "physical_to_logical_map") == 0 ||
                   strcmp(j->text, "initial_global_assignments") == 0;
        bool bare = is_layer_key(j->text, &layer);
        bool list = strcmp(j->text, "layer_list") == 0;
        rc = json_pull_next(j, e);
        if (!rc && list)
            rc = want(j, JSON_LIST, "a list", e);
        if (!rc && map)
            rc = read_slot_map(j, f, e);
        else if (!rc && bare)
            rc = read_mapped(j, f, layer, e);
        else if (!rc && list) {
            int64_t index = 0;
            for (rc = json_pull_next(j, e); !rc && j->token != JSON_LIST_END; index++) {
                rc = read_layer(j, f, index, e);
                if (!rc)
                    rc = json_pull_next(j, e);
            }
        } else if (!rc)
            rc = json_pull_skip(j, e);
        if (!rc)
            rc = json_pull_next(j, e);
    }
    return rc;
}

/* --- YAML: initial_global_assignments ----------------------------------------------------------------- */

static bool is_assignments(const char *data, size_t n) {
    static const char key[] = "initial_global_assignments:";
    size_t length = sizeof key - 1;
    for (size_t i = 0; i + length <= n; i++)
        if ((i == 0 || data[i - 1] == '\n') && memcmp(data + i, key, length) == 0)
            return true;
    return false;
}

static enum rc add_assignment(const struct yaml_node *node, struct found *f, struct err *e) {
    for (size_t i = 0; i < node->n; i++) {
        const struct yaml_node *item = node->items[i];
        char *end = NULL;
        long expert = item->type == YAML_SCALAR ? strtol(item->text, &end, 10) : -1;
        if (!end || end == item->text || *end || expert < 0 || expert > SLOTS_MAX || f->layers.n == SLOTS_MAX)
            return err_at(e, RC_SCHEMA, &item->at, "expected an expert number, at most %d of them", SLOTS_MAX);
        MEM_GROW(f->layers.expert, f->layers.n, f->layers.room);
        f->layers.expert[f->layers.n++] = (int)expert;
    }
    end_list(&f->layers);
    f->mapped = true;
    return RC_OK;
}

static enum rc read_assignments(const char *data, size_t n, const char *name, struct found *f, struct err *e) {
    struct yaml_doc *doc;
    enum rc rc = yaml_parse(data, n, name, &doc, e);
    if (rc)
        return rc;
    const struct yaml_node *map = yaml_get(doc->root, "initial_global_assignments");
    if (!map || map->type != YAML_MAP)
        rc = err_set(e, RC_SCHEMA, "%s: initial_global_assignments: expected a map of layers", name);
    for (size_t i = 0; !rc && i < map->n && !f->mapped; i++) {
        int64_t layer;
        if (!is_layer_key(map->keys[i], &layer) || map->items[i]->type != YAML_LIST)
            rc = err_at(e, RC_SCHEMA, &map->key_at[i], "'%.40s', expected a layer's number with a list of experts",
                        map->keys[i]);
        else if (f->layer < 0 || f->layer == layer)
            rc = add_assignment(map->items[i], f, e);
    }
    yaml_doc_free(doc);
    return rc;
}

/* --- flags [ranks, layers, experts] ------------------------------------------------------------------- */

/* Takes the devices of the wanted layer from 0 and 1 in C order. */
static enum rc take_presence(const double *flag, const uint64_t shape[3], struct found *f, const char *name,
                             struct err *e) {
    uint64_t layer = f->layer < 0 ? 0 : (uint64_t)f->layer;
    if (layer >= shape[1])
        return err_set(e, RC_RANGE, "%s: no layer %lld, the file has 0 to %llu", name, (long long)f->layer,
                       (unsigned long long)shape[1] - 1);
    f->taken = (int64_t)layer;
    for (uint64_t rank = 0; rank < shape[0]; rank++) {
        for (uint64_t x = 0; x < shape[2]; x++) {
            double value = flag[(rank * shape[1] + layer) * shape[2] + x];
            if (value != 0 && value != 1)
                return err_set(e, RC_RANGE, "%s: rank %llu, layer %llu, expert %llu: %g, expected 0 or 1", name,
                               (unsigned long long)rank, (unsigned long long)layer, (unsigned long long)x, value);
            if (value == 0)
                continue;
            MEM_GROW(f->devices.expert, f->devices.n, f->devices.room);
            f->devices.expert[f->devices.n++] = (int)x;
        }
        end_list(&f->devices);
    }
    return RC_OK;
}

/* Reads text: three dimensions, then as many flags. */
static enum rc read_presence_text(const char *data, size_t n, const char *name, struct found *f, struct err *e) {
    struct buf text = {0};
    double *flag = NULL;
    size_t found = 0, room = 0;
    uint64_t shape[3] = {0};
    char *end;
    buf_add(&text, data, n);
    const char *p = text.text;
    for (;; p = end) {
        double value = strtod(p, &end);
        if (end == p)
            break;
        MEM_GROW(flag, found, room);
        flag[found++] = value;
    }
    for (size_t i = 0; i < 3 && found >= 3; i++)
        shape[i] = flag[i] >= 1 && flag[i] <= SLOTS_MAX ? (uint64_t)flag[i] : 0;
    enum rc rc = RC_OK;
    p += strspn(p, " \t\r\n");
    if (*p || found < 4 || (double)shape[0] * (double)shape[1] * (double)shape[2] != (double)(found - 3))
        rc = err_set(e, RC_SHAPE, "%s: expected the numbers of ranks, layers and experts, then a 0 or 1 for each",
                     name);
    if (!rc)
        rc = take_presence(flag + 3, shape, f, name, e);
    free(flag);
    buf_clear(&text);
    return rc;
}

static enum rc read_presence_npy(const struct npy *a, struct found *f, const char *name, struct err *e) {
    double *flag = mem_alloc((size_t)a->n_items, sizeof *flag);
    for (uint64_t i = 0; i < a->n_items; i++)
        flag[i] = npy_value(a, i);
    const uint64_t shape[3] = {a->shape[0], a->shape[1], a->shape[2]};
    enum rc rc = take_presence(flag, shape, f, name, e);
    free(flag);
    return rc;
}

static enum rc read_npy(const char *data, size_t n, const char *name, struct found *f, struct err *e) {
    struct lists *l = &f->layers;
    struct npy a;
    char shape[NPY_TEXT];
    enum rc rc = npy_parse(data, n, name, &a, e);
    if (rc)
        return rc;
    if (a.n_dims == 3 && a.n_items > 0 && a.n_items <= FILE_BYTES)
        return read_presence_npy(&a, f, name, e);
    if (a.kind == 'f' || a.kind == 'b' || a.n_dims < 1 || a.n_dims > 2 || a.n_items == 0 ||
        a.n_items > SLOTS_MAX)
        return err_set(e, RC_SHAPE, "%s: shape %s, expected integers (P,) or (L, P), or flags (ranks, layers, experts)",
                       name, npy_shape_text(&a, shape));
    uint64_t width = a.shape[a.n_dims - 1];
    for (uint64_t i = 0; i < a.n_items; i++) {
        double value = npy_value(&a, i);
        MEM_GROW(l->expert, l->n, l->room);
        l->expert[l->n++] = value >= -1 && value <= SLOTS_MAX ? (int)value : SLOTS_MAX + 1;
        if ((i + 1) % width == 0)
            end_list(l);
    }
    return RC_OK;
}

/* Makes the placement of a layer's slots, in equal blocks over the ranks; a slot of -1 is empty. */
static enum rc place_layer(const struct placement_ask *ask, const struct found *f,
                           struct placement **p, struct err *e) {
    const struct lists *l = &f->layers;
    size_t row = ask->layer < 0 || f->mapped ? 0 : (size_t)ask->layer;
    if (row >= l->n_lists)
        return err_set(e, RC_RANGE, "%s: no layer %lld, the file has 0 to %zu", ask->path,
                       (long long)ask->layer, l->n_lists - 1);
    size_t first = row ? l->end[row - 1] : 0, slots = l->end[row] - first;
    if (slots == 0 || slots % (size_t)ask->ranks != 0)
        return err_set(e, RC_SHAPE, "%s: %zu slots cannot be split evenly on %d ranks", ask->path,
                       slots, ask->ranks);
    int *start = mem_alloc((size_t)ask->ranks + 1, sizeof *start);
    int *slot = mem_alloc(slots, sizeof *slot), used = 0;
    for (size_t s = 0; s < slots; s++) {
        if (l->expert[first + s] != -1)
            slot[used++] = l->expert[first + s];
        start[s / (slots / (size_t)ask->ranks) + 1] = used;
    }
    enum rc rc = placement_of_slots(ask, start, slot, ask->path, p, e);
    free(start);
    free(slot);
    return rc;
}

static enum rc place_devices(const struct placement_ask *ask, const struct found *f,
                             struct placement **p, struct err *e) {
    const struct lists *l = &f->devices;
    if (l->n_lists != (size_t)ask->ranks)
        return err_set(e, RC_SHAPE, "%s: layer %lld lies on %zu devices, but there are %d ranks",
                       ask->path, (long long)f->taken, l->n_lists, ask->ranks);
    int *start = mem_alloc((size_t)ask->ranks + 1, sizeof *start);
    for (int r = 0; r < ask->ranks; r++)
        start[r + 1] = (int)l->end[r];
    enum rc rc = placement_of_slots(ask, start, l->expert, ask->path, p, e);
    free(start);
    return rc;
}

enum rc placement_file_parse(const char *data, size_t n, const struct placement_ask *ask,
                             struct placement **placement, struct err *e) {
    struct found f = {.layer = ask->layer, .taken = -1};
    struct json_pull j;
    enum rc rc = foreign_refuse(data, n, ask->path, FOREIGN_PLACEMENT, e);
    if (rc)
        return rc;
    if (npy_is(data, n)) {
        rc = read_npy(data, n, ask->path, &f, e);
    } else if (is_assignments(data, n)) {
        rc = read_assignments(data, n, ask->path, &f, e);
    } else if (n && *data >= '0' && *data <= '9') {
        rc = read_presence_text(data, n, ask->path, &f, e);
    } else {
        json_pull_memory(&j, data, n, ask->path);
        rc = read_top(&j, &f, e);
        json_pull_clear(&j);
    }
    if (!rc && f.devices.n_lists)
        rc = place_devices(ask, &f, placement, e);
    else if (!rc && f.layers.n_lists)
        rc = place_layer(ask, &f, placement, e);
    else if (!rc)
        rc = err_set(e, RC_SCHEMA,
                     ask->layer < 0
                         ? "%s: no placement found, expected layer_list (expert_map.json) or "
                           "physical_to_logical_map"
                         : "%s: no placement of layer %lld found",
                     ask->path, (long long)ask->layer);
    lists_clear(&f.devices);
    lists_clear(&f.layers);
    return rc;
}

enum rc placement_file_load(const struct placement_ask *ask, struct placement **placement,
                            struct err *e) {
    char *data;
    size_t n;
    enum rc rc = file_read(ask->path, FILE_BYTES, &data, &n, e);
    if (rc)
        return rc;
    rc = placement_file_parse(data, n, ask, placement, e);
    free(data);
    return rc;
}
