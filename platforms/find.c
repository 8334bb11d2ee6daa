/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/find.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/base/file.h"
#include "platforms/base/keys.h"

static const struct {
    const char *word;
    const char *folder;
} kinds[FIND_KINDS] = {{"platform", "platforms"},
                       {"workload", "workloads"},
                       {"implementation", "workloads/implementations"},
                       {"corpus", "validation/measured"},
                       {"packet corpus", "validation/measured/packet"}};

/* Returns whether a file is one of ours: a small letter first, .yaml last. SOURCES.yaml beside them is not one of
 * them. */
static bool is_data_file(const char *name) {
    size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".yaml") == 0 && name[0] >= 'a' && name[0] <= 'z';
}

/* Returns the folder of the data: $MOESIM_DATA_DIR where it is set, else the first that exists of the data beside an
 * installed program (bin/../share/moesim) and the source tree, else where the data were to be installed. */
static const char *data_root(void) {
    static char beside[PATH_MAX + sizeof "/../share/moesim"];
    const char *root = getenv("MOESIM_DATA_DIR");
    if (root && *root)
        return root;
    ssize_t n = readlink("/proc/self/exe", beside, PATH_MAX);
    while (n > 0 && beside[n - 1] != '/')
        n--;
    if (n > 0) {
        memcpy(beside + n - 1, "/../share/moesim", sizeof "/../share/moesim");
        if (file_exists(beside))
            return beside;
    }
    return file_exists(MOESIM_SOURCE_DIR "/platforms/platform.h") ? MOESIM_SOURCE_DIR
                                                                   : MOESIM_DATA_DIR;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void find_names(enum find_kind kind, struct find_names *names) {
    *names = (struct find_names){0};
    size_t room = 0;
    char *folder = mem_printf("%s/%s", data_root(), kinds[kind].folder);
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        if (!is_data_file(entry->d_name))
            continue;
        char *name = mem_copy(entry->d_name);
        name[strlen(name) - 5] = '\0';
        for (char *p = name; *p; p++)
            if (*p == '_')
                *p = '-';
        MEM_GROW(names->names, names->n, room);
        names->names[names->n++] = name;
    }
    if (d)
        closedir(d);
    free(folder);
    if (names->n)
        qsort(names->names, names->n, sizeof *names->names, by_name);
}

void find_names_free(struct find_names *names) {
    for (size_t i = 0; i < names->n; i++)
        free(names->names[i]);
    free(names->names);
    *names = (struct find_names){0};
}

static enum rc not_found(enum find_kind kind, const char *name, struct err *e) {
    struct find_names known;
    struct buf list = {0};
    find_names(kind, &known);
    for (size_t i = 0; i < known.n; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", known.names[i]);
    if (!known.n)
        buf_printf(&list, "none in %s/%s", data_root(), kinds[kind].folder);
    enum rc rc = err_set(e, RC_IO, "no %s named '%.80s'%s (known: %.700s; a file needs a path ending in .yaml)",
                         kinds[kind].word, name,
                         err_hint(", ", name, (const char *const *)known.names, known.n).text,
                         list.text);
    buf_clear(&list);
    find_names_free(&known);
    return rc;
}

char *find_path(enum find_kind kind, const char *name) {
    char *path = mem_printf("%s/%s/%s.yaml", data_root(), kinds[kind].folder, name);
    for (char *p = path + strlen(path) - strlen(name) - 5; *p; p++)
        if (*p == '-')
            *p = '_';
    if (name[0] >= 'a' && name[0] <= 'z' && file_exists(path))
        return path;
    free(path);
    return NULL;
}

static bool ends(const char *name, const char *suffix) {
    size_t n = strlen(name), length = strlen(suffix);
    return n > length && strcmp(name + n - length, suffix) == 0;
}

/* Returns whether a name is that of a file: it has a slash or ends as YAML does, or has a dot and such a file is
 * there. */
static bool is_path(const char *name) {
    return strchr(name, '/') || strcmp(name, "-") == 0 || ends(name, ".yaml") || ends(name, ".yml") ||
           (strchr(name, '.') && file_exists(name));
}

enum rc find_load(enum find_kind kind, const char *name, struct yaml_doc **doc, struct err *e) {
    char *path = is_path(name) ? mem_copy(name) : find_path(kind, name);
    enum rc rc = path ? yaml_load_as(path, kinds[kind].word, doc, e) : not_found(kind, name, e);
    free(path);
    return rc;
}

enum rc find_open(enum find_kind kind, const char *name, const char *schema, const struct setting *settings,
                  size_t n_settings, struct yaml_doc **doc, struct err *e) {
    struct yaml_doc *found;
    enum rc rc = find_load(kind, name, &found, e);
    if (rc)
        return rc;
    rc = keys_schema(found, schema, e);
    for (size_t i = 0; i < n_settings && !rc; i++)
        rc = yaml_set(found, settings[i].key, settings[i].value, "--set", e);
    if (rc)
        yaml_doc_free(found);
    else
        *doc = found;
    return rc;
}
