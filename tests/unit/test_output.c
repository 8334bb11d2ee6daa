/* SPDX-License-Identifier: BSD-3-Clause */
/* sim/OUTPUT.md names every key that the program writes, and no other. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

enum { KEYS_MAX = 600, KEY_TEXT_MAX = 160 };

struct keys {
    char text[KEYS_MAX][KEY_TEXT_MAX];
    bool met[KEYS_MAX];
    size_t n;
};

static void add_key(struct keys *k, const char *text, size_t n) {
    for (size_t i = 0; i < k->n; i++)
        if (strlen(k->text[i]) == n && strncmp(k->text[i], text, n) == 0)
            return;
    assert_true(k->n < KEYS_MAX && n < KEY_TEXT_MAX);
    memcpy(k->text[k->n], text, n);
    k->text[k->n++][n] = '\0';
}

/* --- what the program writes ------------------------------------------------------------------ */

static void walk(const struct yaml_node *node, const char *path, struct keys *seen) {
    if (node->type == YAML_SCALAR)
        add_key(seen, path, strlen(path));
    for (size_t i = 0; node->type != YAML_SCALAR && i < node->n; i++) {
        char *deeper = node->type == YAML_LIST ? mem_printf("%s[]", path)
                                               : mem_printf("%s%s%s", path, *path ? "." : "", node->keys[i]);
        walk(node->items[i], deeper, seen);
        free(deeper);
    }
}

static void see_text(const char *text, size_t n, struct keys *seen) {
    struct yaml_doc *doc;
    struct err e;
    assert_ok(yaml_parse(text, n, "output", &doc, &e), &e);
    walk(doc->root, "", seen);
    yaml_doc_free(doc);
}

static void see_command(const char *arguments, struct keys *seen) {
    struct buf out = {0};
    char *command = mem_printf("%s --format json", arguments);
    if (program_text(command, &out) != 0)
        fail_msg("%s", command);
    see_text(out.text, out.n, seen);
    buf_clear(&out);
    free(command);
}

/* --- what the page says ----------------------------------------------------------------------- */

/* Keys in the first column of the tables of a section. */
static void read_section(const char *page, const char *name, struct keys *into) {
    char *head = mem_printf("\n## %s\n", name);
    const char *line = strstr(page, head);
    if (!line)
        fail_msg("no section '%s'", name);
    for (line = strchr(line + 1, '\n') + 1; line[0] && strncmp(line, "## ", 3) != 0;) {
        const char *end = strchr(line, '\n'), *cell = strncmp(line, "| `", 3) == 0 ? line + 2 : end;
        const char *close = cell < end ? strstr(cell, " | ") : end;
        for (const char *tick; cell < close && (tick = strchr(cell, '`')) && tick < close;) {
            const char *last = strchr(tick + 1, '`');
            add_key(into, tick + 1, (size_t)(last - tick - 1));
            cell = last + 1;
        }
        line = end + 1;
    }
    free(head);
}

/* "a.*" and "a.KEY" are all below a; a list is also met where it is null. */
static bool is_named(const char *key, const char *entry) {
    size_t n = strlen(entry);
    bool all = n > 2 && strcmp(entry + n - 2, ".*") == 0, any = n > 4 && strcmp(entry + n - 4, ".KEY") == 0;
    size_t stem = n - (all ? 2 : any ? 4 : 0);
    if (strncmp(key, entry, stem) == 0 && (all || any))
        return key[stem] == '.' || (all && (!key[stem] || key[stem] == '['));
    return strcmp(key, entry) == 0 || (strncmp(key, entry, strlen(key)) == 0 && strcmp(entry + strlen(key), "[]") == 0);
}

/* Each key of `seen` is in `own` or `more`; each of `own` was met. */
static void compare(const char *section, const struct keys *seen, struct keys *own, const struct keys *more) {
    struct buf wrong = {0};
    for (size_t i = 0; i < seen->n; i++) {
        bool named = false;
        for (size_t k = 0; k < own->n; k++)
            if (is_named(seen->text[i], own->text[k]))
                named = own->met[k] = true;
        for (size_t k = 0; more && k < more->n && !named; k++)
            named = is_named(seen->text[i], more->text[k]);
        if (!named)
            buf_printf(&wrong, "nothing about '%s'\n", seen->text[i]);
    }
    for (size_t k = 0; k < own->n; k++)
        if (!own->met[k])
            buf_printf(&wrong, "'%s' is not written\n", own->text[k]);
    if (wrong.n)
        fail_msg("sim/OUTPUT.md, %s:\n%s", section, wrong.text);
}

static char *page_text(void) {
    char *text;
    size_t n;
    struct err e;
    assert_ok(file_read(TEST_DATA_DIR "/../../sim/OUTPUT.md", 1 << 20, &text, &n, &e), &e);
    return text;
}

#define REFERENCE "--platform terrace-a --workload terrace-reference "

static void the_page_names_what_commands_write(void **state) {
    (void)state;
    static const struct {
        const char *section, *commands[16];
    } all[] = {
        {"simulate, compare",
         {"compare --phase both", "simulate " REFERENCE "--set platform.groups=8 --window all --engine bound",
          "simulate " REFERENCE "--phase both --host ahead --calls 2 --draws 4",
          "simulate --layers all", "simulate --platform synthetic-racks --strategy gather-first --strategy two-hop",
          "compare " REFERENCE "--strategy gather-first", "simulate " REFERENCE "--implementation deepep-ll",
          "simulate --strategy one-hop --set platform.slow.kind=rail-optimised",
          "simulate --strategy one-hop --set platform.slow.paths=hashed --set platform.slow.transport=one-path",
          "simulate --platform synthetic --workload terrace-reference --set platform.groups=4 "
          "--set platform.ranks_per_group=2",
          "simulate --strategy one-hop --schedule shift --window 1 --set workload.routing.source=uniform "
          "--set platform.groups=2 --set platform.ranks_per_group=32",
          "simulate --strategy one-hop --set platform.slow.kind=dragonfly --set platform.slow.routers=2 "
          "--set platform.slow.router_groups=1 --set platform.slow.local_bandwidth=50GBps "
          "--set platform.slow.global_bandwidth=50GBps",
          "simulate " REFERENCE "--set platform.groups=4 --set workload.ep=16 --set workload.ep_layout=tp2",
          "simulate --set platform.groups=5 --set platform.ranks_per_group=4 --set 'platform.group_sizes=3x4 2x2'"}},
        {"simulate --dry-run, compare --dry-run", {"simulate --dry-run", "compare --dry-run --engine bound"}},
        {"breakeven",
         {"breakeven", "breakeven " REFERENCE, "breakeven --platform synthetic-racks"}},
        {"gates", {"gates --analytic-only"}},
        {"workload show", {"workload show", "workload show --trace " TEST_DATA_DIR "/routing/npy_f8_c_v1.npy"}},
        {"matrix", {"matrix -o matrices"}},
        {"platform show", {"platform show", "platform show mi300x --set platform.fast.kind=ring"}}};
    char *page = page_text();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct keys *seen = mem_alloc(1, sizeof *seen), *own = mem_alloc(1, sizeof *own);
        read_section(page, all[i].section, own);
        for (int k = 0; all[i].commands[k]; k++)
            see_command(all[i].commands[k], seen);
        compare(all[i].section, seen, own, NULL);
        free(seen);
        free(own);
    }
    free(page);
    assert_int_equal(program_shell("rm -r matrices", NULL), 0);
}

static void the_page_names_what_a_record_has(void **state) {
    (void)state;
    struct buf out = {0};
    struct keys *seen = mem_alloc(1, sizeof *seen), *own = mem_alloc(1, sizeof *own);
    struct keys *more = mem_alloc(1, sizeof *more);
    char *page = page_text(), *records, *line;
    size_t n;
    struct err e;
    folder_put("s.yaml", "schema: moesim/sweep/1\nname: s\nplatform: synthetic\nworkload: terrace-reference\n"
                         "set: {platform.groups: 4, platform.ranks_per_group: 2}\n"
                         "axes: [{key: workload.group_limit, values: [2, 64]}]\n");
    assert_int_equal(program_text("sweep s.yaml -o s.jsonl --jobs 1", &out), 0);
    assert_ok(file_read("s.jsonl", 1 << 24, &records, &n, &e), &e);
    for (char *rest = records; (line = strtok_r(rest, "\n", &rest));)
        see_text(line, strlen(line), seen);
    read_section(page, "sweep", own);
    read_section(page, "simulate, compare", more);
    compare("sweep", seen, own, more);
    buf_clear(&out);
    unlink("s.jsonl");
    unlink("s.yaml");
    free(seen);
    free(own);
    free(more);
    free(page);
    free(records);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_names_what_commands_write),
        cmocka_unit_test(the_page_names_what_a_record_has),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
