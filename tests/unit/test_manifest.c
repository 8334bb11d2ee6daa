/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/platforms.h"

#include "platforms/base/file.h"
#include "platforms/base/manifest.h"
#include "platforms/find.h"

#define LENDS(time) GOOD "alpha: [{implementation: lib, entries: [{world: 8, time: " time "}]}]\n"
#define BORROWS GOOD "alpha: [{implementation: lib, borrow: lends.yaml}]\n"

static void sha256_of(const char *path, char text[static HASH_TEXT]) {
    struct err e;
    assert_ok(hash_file(path, text, &e), &e);
}

/* --- the list ---------------------------------------------------------------------------------- */

static void each_content_stands_there_once(void **state) {
    (void)state;
    struct manifest all = {0}, more = {0};
    char one[HASH_TEXT], two[HASH_TEXT];
    hash_bytes("1", 1, one);
    hash_bytes("2", 1, two);
    manifest_add(&all, "trace", "a.csv", one);
    manifest_add(&all, "trace", "b.csv", one); // the same bytes
    manifest_add(&all, "trace", "a.csv", two); // the file has changed
    manifest_add(&all, "placement", "a.csv", one);
    assert_int_equal(all.n, 3);
    assert_string_equal(all.items[0].path, "a.csv");
    assert_string_equal(all.items[1].sha256, two);
    assert_ptr_equal(manifest_find(&all, "placement"), &all.items[2]);
    assert_null(manifest_find(&all, "platform"));
    manifest_add_all(&more, &all, NULL);
    assert_int_equal(more.n, 3);
    manifest_add_all(&more, &all, "borrowed");
    assert_int_equal(more.n, 5);
    assert_string_equal(more.items[4].role, "borrowed");
    manifest_add(NULL, "trace", "a.csv", one);
    manifest_clear(&all);
    manifest_clear(&more);
    manifest_clear(NULL);
    assert_int_equal(all.n, 0);
}

static void digests(void **state) {
    (void)state;
    struct manifest a = {0}, b = {0};
    char one[HASH_TEXT], two[HASH_TEXT], nothing[HASH_TEXT], x[HASH_TEXT], y[HASH_TEXT];
    hash_bytes("1", 1, one);
    hash_bytes("2", 1, two);
    hash_bytes("", 0, nothing);
    manifest_digest(&a, x);
    assert_string_equal(x, nothing);
    manifest_add(&a, "platform", "p.yaml", one);
    manifest_digest(&a, x);
    assert_string_equal(x, one);
    manifest_add(&a, "trace", "t.csv", two);
    manifest_add(&b, "trace", "elsewhere/t.csv", two);
    manifest_add(&b, "platform", "elsewhere/p.yaml", one);
    manifest_digest(&a, x);
    manifest_digest(&b, y);
    assert_string_equal(x, y);
    manifest_clear(&b);
    manifest_add(&b, "platform", "p.yaml", two);
    manifest_add(&b, "trace", "t.csv", one);
    manifest_digest(&b, y);
    assert_string_not_equal(x, y); // the roles have changed places
    manifest_clear(&a);
    manifest_clear(&b);
}

static void reading_adds(void **state) {
    (void)state;
    struct manifest all = {0};
    struct err e;
    char *data, expected[HASH_TEXT];
    size_t n;
    const struct manifest_ask trace = {"trace", "t.csv", 4}, too_large = {"trace", "t.csv", 3},
                              none = {"trace", "none.csv", 100};
    folder_put("t.csv", "1,2\n");
    sha256_of("t.csv", expected);
    assert_ok(manifest_read(&all, &trace, &data, &n, &e), &e);
    assert_int_equal(n, 4);
    assert_string_equal(data, "1,2\n");
    free(data);
    assert_int_equal(all.n, 1);
    assert_string_equal(all.items[0].sha256, expected);
    assert_int_equal(manifest_read(&all, &none, &data, &n, &e), RC_IO);
    assert_int_equal(manifest_read(&all, &too_large, &data, &n, &e), RC_IO);
    assert_int_equal(all.n, 1);
    assert_ok(manifest_read(NULL, &trace, &data, &n, &e), &e);
    free(data);
    manifest_clear(&all);
}

/* --- documents and platforms ------------------------------------------------------------------- */

static void documents_list_themselves(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    folder_put("f.yaml", "a: 1\n");
    assert_ok(yaml_load("f.yaml", &doc, &e), &e);
    assert_int_equal(doc->files.n, 1);
    assert_string_equal(doc->files.items[0].path, "f.yaml");
    assert_string_equal(doc->files.items[0].sha256, doc->sha256);
    yaml_doc_free(doc);
    assert_ok(yaml_parse("a: 1", 4, "text", &doc, &e), &e); // no file
    assert_int_equal(doc->files.n, 0);
    yaml_doc_free(doc);
    assert_ok(find_load(FIND_WORKLOAD, "f.yaml", &doc, &e), &e);
    assert_string_equal(doc->files.items[0].role, "workload");
    yaml_doc_free(doc);
}

/* What was read through `borrow` stands in the list, once, by its content. */
static void platforms_list_what_they_borrow(void **state) {
    (void)state;
    struct platform *p;
    struct err e;
    char own[HASH_TEXT], before[HASH_TEXT], after[HASH_TEXT], lent[HASH_TEXT];
    folder_put("lends.yaml", LENDS("1us"));
    assert_ok(load_text(BORROWS "alpha_treatments: [{name: a, borrow: lends.yaml}, {name: b, borrow: terrace-a}]\n", &p,
                        &e),
              &e);
    sha256_of("p.yaml", own);
    sha256_of("lends.yaml", lent);
    const struct manifest *all = &p->doc->files;
    assert_int_equal(all->n, 3);
    assert_string_equal(manifest_find(all, "platform")->path, "p.yaml");
    assert_string_equal(manifest_find(all, "platform")->sha256, own);
    assert_string_equal(all->items[1].role, "borrowed platform");
    assert_string_equal(all->items[1].path, "lends.yaml");
    assert_string_equal(all->items[1].sha256, lent);
    assert_non_null(strstr(all->items[2].path, "/platforms/terrace_a.yaml"));
    manifest_digest(all, before);
    plat_free(p);
    folder_put("lends.yaml", LENDS("2us"));
    assert_ok(plat_load("p.yaml", NULL, 0, &p, &e), &e);
    assert_string_equal(p->doc->sha256, own);
    manifest_digest(&p->doc->files, after);
    assert_string_not_equal(before, after);
    plat_free(p);
    p = load_good("");
    manifest_digest(&p->doc->files, after);
    assert_string_equal(after, p->doc->sha256);
    plat_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_content_stands_there_once), cmocka_unit_test(digests),
        cmocka_unit_test(reading_adds),                   cmocka_unit_test(documents_list_themselves),
        cmocka_unit_test(platforms_list_what_they_borrow),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
