/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/yaml.h"

static enum rc parse(const char *text, struct yaml_doc **doc, struct err *e) {
    return yaml_parse(text, strlen(text), "f.yaml", doc, e);
}

static void at(const struct place *place, int line, int column) {
    assert_string_equal(place->file, "f.yaml");
    assert_int_equal(place->line, line);
    assert_int_equal(place->column, column);
}

static void every_node_has_its_place(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(parse("# comment\n"
                    "name: plain text\n"
                    "fast:\n"
                    "  rate: '1'\n"
                    "  list: [a, \"b\\u00e9\", {c: d}]\n"
                    "empty:\n",
                    &doc, &e),
              &e);
    const struct yaml_node *root = doc->root;
    assert_int_equal(root->type, YAML_MAP);
    at(&root->at, 2, 1);
    assert_int_equal(root->n, 3);
    const struct yaml_node *name = yaml_get(root, "name");
    assert_string_equal(name->text, "plain text");
    assert_true(name->plain);
    assert_false(name->set);
    at(&name->at, 2, 7);
    const struct yaml_node *fast = yaml_get(root, "fast"), *rate = yaml_get(fast, "rate");
    at(&root->key_at[1], 3, 1);
    at(&fast->key_at[0], 4, 3);
    assert_false(rate->plain);
    at(&rate->at, 4, 9);
    const struct yaml_node *list = yaml_get(fast, "list");
    assert_int_equal(list->type, YAML_LIST);
    assert_int_equal(list->n, 3);
    assert_string_equal(list->items[1]->text, "b\xC3\xA9");
    at(&list->items[1]->at, 5, 13);
    assert_string_equal(yaml_get(list->items[2], "c")->text, "d");
    assert_string_equal(yaml_get(root, "empty")->text, "");
    assert_null(yaml_get(root, "none"));
    assert_null(yaml_get(list, "name")); // not a map
    yaml_doc_free(doc);
    yaml_doc_free(NULL);
}

static void json_is_yaml(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(parse("{\"a\": [1, 2.5], \"b\": {\"c\": null}}", &doc, &e), &e);
    assert_string_equal(yaml_get(doc->root, "a")->items[1]->text, "2.5");
    assert_string_equal(yaml_get(yaml_get(doc->root, "b"), "c")->text, "null");
    yaml_doc_free(doc);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "f.yaml:1:1: the file is empty"},
        {"# nothing\n", "f.yaml:2:1: the file is empty"},
        {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: key 'a' appears twice, first in line 1"},
        {"x: {a: 1, a: 2}", "f.yaml:1:11: key 'a' appears twice, first in line 1"},
        {"a: &b 1\n", "f.yaml:1:4: anchors are not allowed; write the value out"},
        {"a: &b {c: 1}\n", "f.yaml:1:4: anchors are not allowed; write the value out"},
        {"a: &b [1]\n", "f.yaml:1:4: anchors are not allowed; write the value out"},
        {"&k a: 1\n", "f.yaml:1:1: anchors are not allowed; write the value out"},
        {"a: 1\nb: *a\n", "f.yaml:2:4: aliases are not allowed; write the value out"},
        {"*a : 1\n", "f.yaml:1:1: aliases are not allowed; write the value out"},
        {"a: !!str 1\n", "f.yaml:1:4: tags are not allowed"},
        {"a: !thing [1]\n", "f.yaml:1:4: tags are not allowed"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: only one document a file is allowed"},
        {"? [a, b]\n: 1\n", "f.yaml:1:3: a key must be plain text"},
        {"? {a: b}\n: 1\n", "f.yaml:1:3: a key must be plain text"},
        {"a: \"x\\0y\"\n", "f.yaml:1:4: a value contains a NUL character"},
        {"\"a\\0\": 1\n", "f.yaml:1:1: a key contains a NUL character"},
        {"a: [1, 2\n",
         "f.yaml:2:1: while parsing a flow sequence: did not find expected ',' or ']'"},
        {"a: 1\n b: 2\n", "f.yaml:2:3: mapping values are not allowed in this context"},
        {"a: 'x\n", "f.yaml:2:1: while scanning a quoted scalar: found unexpected end of stream"},
        {"a:\n\tb: 1\n",
         "f.yaml:2:1: while scanning for the next token: found character that cannot start "
         "any token"},
        {"a: \xFF\xFE\n", "f.yaml: not a YAML text: invalid leading UTF-8 octet at byte 3"},
        {"a: \x01\n", "f.yaml: not a YAML text: control characters are not allowed at byte 3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct yaml_doc *doc = NULL;
        struct err e;
        assert_int_equal(parse(bad[i].text, &doc, &e), RC_SYNTAX);
        assert_string_equal(e.text, bad[i].message);
        assert_null(doc);
    }
}

static void binary_garbage_is_no_text(void **state) {
    (void)state;
    static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", nul[] = "a: 1\n\0b: 2\n";
    struct yaml_doc *doc = NULL;
    struct err e;
    assert_fails(yaml_parse(png, sizeof png, "f.yaml", &doc, &e), RC_SYNTAX, &e,
                 "f.yaml: not a YAML text: ");
    assert_fails(yaml_parse(nul, sizeof nul - 1, "f.yaml", &doc, &e), RC_SYNTAX, &e, "f.yaml");
    assert_null(doc);
}

static enum rc parse_nested(int depth, const char *open, const char *close, struct yaml_doc **doc,
                            struct err *e) {
    struct buf text = {0};
    for (int i = 0; i < depth; i++)
        buf_text(&text, open);
    buf_text(&text, "1");
    for (int i = 0; i < depth; i++)
        buf_text(&text, close);
    enum rc rc = parse(text.text, doc, e);
    buf_clear(&text);
    return rc;
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    struct yaml_doc *doc = NULL;
    struct err e;
    assert_ok(parse_nested(YAML_DEPTH, "[", "]", &doc, &e), &e);
    yaml_doc_free(doc);
    assert_ok(parse_nested(YAML_DEPTH, "{a: ", "}", &doc, &e), &e);
    yaml_doc_free(doc);
    assert_fails(parse_nested(YAML_DEPTH + 1, "[", "]", &doc, &e), RC_SYNTAX, &e,
                 "f.yaml:1:34: nested too deeply");
    assert_fails(parse_nested(YAML_DEPTH + 1, "{a: ", "}", &doc, &e), RC_SYNTAX, &e,
                 "nested too deeply");
    assert_fails(parse_nested(20000, "[", "]", &doc, &e), RC_SYNTAX, &e, "nested too deeply");
}

static void files_that_are_not_there(void **state) {
    (void)state;
    struct yaml_doc *doc = NULL;
    struct err e;
    assert_fails(yaml_load("/nonexistent.yaml", &doc, &e), RC_IO, &e,
                 "/nonexistent.yaml: cannot open: No such file or directory");
    assert_fails(yaml_load("/", &doc, &e), RC_IO, &e, "/: cannot read: Is a directory");
    assert_null(doc);
}

static void the_hash_is_that_of_the_bytes(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(parse("abc", &doc, &e), &e); // the well-known example of SHA-256
    assert_string_equal(doc->sha256,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    yaml_doc_free(doc);
}

static void settings_replace_values(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(parse("a: {b: {value: 1, status: measured}}\nlist: [1]\n", &doc, &e), &e);
    assert_ok(yaml_set(doc, "a.b", "2", "--set", &e), &e);
    const struct yaml_node *b = yaml_get(yaml_get(doc->root, "a"), "b");
    assert_int_equal(b->type, YAML_SCALAR);
    assert_string_equal(b->text, "2");
    assert_true(b->set);
    assert_string_equal(b->at.file, "--set");
    assert_int_equal(b->at.line, 0);
    assert_ok(yaml_set(doc, "new.deep.key", "x", "--set", &e), &e);
    assert_string_equal(yaml_get(yaml_get(yaml_get(doc->root, "new"), "deep"), "key")->text, "x");
    assert_fails(yaml_set(doc, "a.b.c", "x", "--set", &e), RC_SCHEMA, &e,
                 "--set: 'a.b.c': no such key");
    assert_fails(yaml_set(doc, "list.0", "x", "--set", &e), RC_SCHEMA, &e,
                 "--set: 'list.0': no such key");
    assert_fails(yaml_set(doc, "", "x", "--set", &e), RC_SCHEMA, &e, "--set: '': no such key");
    assert_fails(yaml_set(doc, "a..b", "x", "--set", &e), RC_SCHEMA, &e,
                 "--set: 'a..b': no such key");
    assert_fails(yaml_set(doc, "a.", "x", "--set", &e), RC_SCHEMA, &e, "--set: 'a.': no such key");
    yaml_doc_free(doc);
}

static void settings_may_be_lists_or_nothing(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(parse("a: {b: 1, c: 2}\nlist: [1]\n", &doc, &e), &e);
    assert_ok(yaml_set(doc, "list", "[2, {x: 3us, y: [4]}]", "--set", &e), &e);
    const struct yaml_node *list = yaml_get(doc->root, "list");
    assert_int_equal(list->type, YAML_LIST);
    assert_int_equal(list->n, 2);
    assert_true(list->set && list->items[0]->set);
    assert_string_equal(list->items[0]->text, "2");
    assert_string_equal(yaml_get(list->items[1], "x")->text, "3us");
    assert_string_equal(yaml_get(list->items[1], "y")->items[0]->text, "4");
    assert_string_equal(list->items[1]->at.file, "--set");
    assert_ok(yaml_set(doc, "a.b", "", "--set", &e), &e);
    assert_null(yaml_get(yaml_get(doc->root, "a"), "b"));
    assert_non_null(yaml_get(yaml_get(doc->root, "a"), "c"));
    assert_ok(yaml_set(doc, "a.b", "5", "--set", &e), &e); // and may come back
    assert_ok(yaml_set(doc, "list", "", "--set", &e), &e);
    assert_null(yaml_get(doc->root, "list"));
    assert_fails(yaml_set(doc, "a.d", "", "--set", &e), RC_SCHEMA, &e,
                 "--set: 'a.d=' takes a key away, but 'd' is not given");
    assert_fails(yaml_set(doc, "x.y", "", "--set", &e), RC_SCHEMA, &e,
                 "--set: 'x.y=' takes a key away, but 'x' is not given");
    assert_null(yaml_get(doc->root, "x"));
    assert_fails(yaml_set(doc, "a", "[1", "--set", &e), RC_SYNTAX, &e, "--set:2:1: while parsing a flow sequence");
    assert_fails(yaml_set(doc, "a", "[1] x", "--set", &e), RC_SYNTAX, &e, "--set:1:");
    yaml_doc_free(doc);
}

static void keys_can_be_dropped(void **state) {
    (void)state;
    struct yaml_doc *doc;
    struct err e;
    assert_ok(parse("a: 1\nb: 2\nc: 3\n", &doc, &e), &e);
    yaml_drop(doc->root, "a");
    yaml_drop(doc->root, "c");
    yaml_drop(doc->root, "c");
    assert_int_equal(doc->root->n, 1);
    assert_string_equal(doc->root->keys[0], "b");
    assert_string_equal(yaml_get(doc->root, "b")->text, "2");
    at(&doc->root->key_at[0], 2, 1);
    yaml_doc_free(doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_has_its_place),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(binary_garbage_is_no_text),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(files_that_are_not_there),
        cmocka_unit_test(the_hash_is_that_of_the_bytes),
        cmocka_unit_test(settings_replace_values),
        cmocka_unit_test(settings_may_be_lists_or_nothing),
        cmocka_unit_test(keys_can_be_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
