/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/check.h"

#include "platforms/base/mem.h"
#include "workloads/records/npy.h"

/* An array file of version 1.0 (2.0, 3.0) with this header and data; the caller clears it. */
static struct buf file_of(int major, const char *header, const void *data, size_t n) {
    struct buf b = {0};
    size_t length = strlen(header);
    char start[12] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', (char)major, 0, (char)(length & 255), (char)(length >> 8),
        0,      0};
    buf_add(&b, start, major == 1 ? 10 : 12);
    buf_text(&b, header);
    buf_add(&b, data, n);
    return b;
}

static enum rc parse(int major, const char *header, const void *data, size_t n, struct npy *a,
                     struct buf *b, struct err *e) {
    *b = file_of(major, header, data, n);
    return npy_parse(b->text, b->n, "a.npy", a, e);
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }  \n"

static void all_types_are_decoded(void **state) {
    (void)state;
    static const struct {
        const char *header;
        const char *data;
        size_t n;
        double want[2];
    } cases[] = {
        {HEADER("|b1", "False", "(2,)"), "\0\1", 2, {0, 1}},
        {HEADER("|u1", "False", "(2,)"), "\x80\xff", 2, {128, 255}},
        {HEADER("|i1", "False", "(2,)"), "\x80\xff", 2, {-128, -1}},
        {HEADER("<u2", "False", "(2,)"), "\x01\x02\xff\xff", 4, {513, 65535}},
        {HEADER(">u2", "False", "(2,)"), "\x01\x02\xff\xff", 4, {258, 65535}},
        {HEADER("<i2", "False", "(2,)"), "\x00\x80\xfe\xff", 4, {-32768, -2}},
        {HEADER(">i2", "False", "(2,)"), "\x80\x00\xff\xfe", 4, {-32768, -2}},
        {HEADER("<u4", "False", "(2,)"), "\0\0\0\x80\1\0\0\0", 8, {2147483648.0, 1}},
        {HEADER(">u4", "False", "(2,)"), "\x80\0\0\0\0\0\0\1", 8, {2147483648.0, 1}},
        {HEADER("<i4", "False", "(2,)"), "\0\0\0\x80\xff\xff\xff\xff", 8, {-2147483648.0, -1}},
        {HEADER(">i4", "False", "(2,)"), "\x80\0\0\0\0\0\1\0", 8, {-2147483648.0, 256}},
        {HEADER("<u8", "False", "(1,)"), "\0\0\0\0\0\0\0\x80", 8, {0x1p63, 0}},
        {HEADER(">u8", "False", "(1,)"), "\0\0\0\0\0\0\1\0", 8, {256, 0}},
        {HEADER("<i8", "False", "(1,)"), "\0\0\0\0\0\0\0\x80", 8, {-0x1p63, 0}},
        {HEADER(">i8", "False", "(1,)"), "\xff\xff\xff\xff\xff\xff\xff\x00", 8, {-256, 0}},
        {HEADER("<f4", "False", "(2,)"), "\0\0\xc0\x3f\0\0\0\xc0", 8, {1.5, -2}},
        {HEADER(">f4", "False", "(2,)"), "\x3f\xc0\0\0\xc0\0\0\0", 8, {1.5, -2}},
        {HEADER("<f8", "False", "(1,)"), "\0\0\0\0\0\0\xf8\x3f", 8, {1.5, 0}},
        {HEADER(">f8", "False", "(1,)"), "\x3f\xf8\0\0\0\0\0\0", 8, {1.5, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int major = 1; major <= 3; major++) {
            struct npy a;
            struct buf b;
            struct err e;
            assert_ok(parse(major, cases[i].header, cases[i].data, cases[i].n, &a, &b, &e), &e);
            for (uint64_t j = 0; j < a.n_items; j++)
                assert_rel(npy_value(&a, j), cases[i].want[j], 0);
            buf_clear(&b);
        }
}

static void items_come_in_c_order(void **state) {
    (void)state;
    // a[i][j][k] = 100 i + 10 j + k of shape (2, 3, 4), written column by column
    char data[24];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                data[i + 2 * (j + 3 * k)] = (char)(100 * i + 10 * j + k);
    struct npy a;
    struct buf b;
    struct err e;
    assert_ok(parse(1, HEADER("|u1", "True", "(2, 3, 4)"), data, sizeof data, &a, &b, &e), &e);
    for (uint64_t n = 0; n < 24; n++)
        assert_rel(npy_value(&a, n), (double)(100 * (n / 12) + 10 * (n / 4 % 3) + n % 4), 0);
    char shape[NPY_TEXT];
    assert_string_equal(npy_shape_text(&a, shape), "(2, 3, 4)");
    buf_clear(&b);
}

static void headers_may_be_written_differently(void **state) {
    (void)state;
    static const char *const good[] = {
        "{\"shape\":(3L,),\"descr\":\"|u1\",\"fortran_order\":False}",
        "  { 'fortran_order' :False , 'shape': ( 3 , ) ,'descr':\n'|u1'}\n\n",
        "{'descr': '<u1', 'fortran_order': True, 'shape': (3L,), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3,)}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct npy a;
        struct buf b;
        struct err e;
        assert_ok(parse(1, good[i], "abc", 3, &a, &b, &e), &e);
        assert_int_equal(a.n_items, 3);
        buf_clear(&b);
    }
}

static void a_scalar_has_one_item(void **state) {
    (void)state;
    struct npy a;
    struct buf b;
    struct err e;
    assert_ok(parse(1, HEADER("|u1", "False", "()"), "a", 1, &a, &b, &e), &e);
    assert_int_equal(a.n_dims, 0);
    assert_rel(npy_value(&a, 0), 'a', 0);
    buf_clear(&b);
    assert_ok(parse(1, HEADER("<i8", "False", "(0, 3)"), "", 0, &a, &b, &e), &e);
    assert_int_equal(a.n_items, 0);
    buf_clear(&b);
}

static void broken_headers_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header;
        enum rc rc;
        const char *message;
    } bad[] = {
        {"", RC_SYNTAX, "array header: expected '{', found the end of the header"},
        {"{'descr': '|u1', 'fortran_order': False}", RC_SYNTAX, "key 'shape' is missing"},
        {"{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", RC_SYNTAX,
         "second key 'descr'"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3,), 'x': 1}", RC_SYNTAX,
         "unknown key 'x'"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (3,)} x", RC_SYNTAX,
         "expected nothing after '}', found x"},
        {"{'descr': '|u1' 'fortran_order': False, 'shape': (3,)}", RC_SYNTAX,
         "expected ',' or '}'"},
        {"{'descr' '|u1', 'fortran_order': False, 'shape': (3,)}", RC_SYNTAX, "expected ':'"},
        {"{'descr': '|u1', 'fortran_order': 0, 'shape': (3,)}", RC_SYNTAX,
         "expected True or False, found 0, 'shape'"},
        {HEADER("|u1", "False", "(3)"), RC_SYNTAX, "expected ',' in a shape of one dimension"},
        {HEADER("|u1", "False", "[3]"), RC_SYNTAX, "expected the shape, '('"},
        {HEADER("|u1", "False", "(3,,)"), RC_SYNTAX, "expected a dimension, found ,)"},
        {HEADER("|u1", "False", "(1 3)"), RC_SYNTAX, "expected ',' or ')' in the shape"},
        {HEADER("|u1", "False", "(-3,)"), RC_SYNTAX, "expected a dimension, found -3,)"},
        {HEADER("|u1", "False", "(3,"), RC_SYNTAX, "expected a dimension"},
        {HEADER("|u1", "False", "(1,1,1,1,1,1,1,1,3)"), RC_UNSUPPORTED, "more than 8 dimensions"},
        {HEADER("|u1", "False", "(18446744073709551616,)"), RC_RANGE, "a dimension is above 2^64"},
        {HEADER("<i8", "False", "(4294967296, 4294967296)"), RC_RANGE,
         "shape (4294967296, 4294967296) holds more than 2^64 bytes"},
        {HEADER("|u1", "False", "(2,)"), RC_SHAPE,
         "too long: 3 bytes of data, but shape (2,) of 1-byte items needs 2"},
        {HEADER("<i2", "False", "(2,)"), RC_SHAPE,
         "cut short: 3 bytes of data, but shape (2,) of 2-byte items needs 4"},
        {HEADER("|O", "False", "(3,)"), RC_UNSUPPORTED, "array of type '|O' (Python objects)"},
        {HEADER("<U5", "False", "(3,)"), RC_UNSUPPORTED, "'<U5' (text or raw bytes)"},
        {HEADER("<c16", "False", "(3,)"), RC_UNSUPPORTED, "'<c16' (complex numbers)"},
        {HEADER("<M8[ns]", "False", "(3,)"), RC_UNSUPPORTED, "(dates or times)"},
        {HEADER("<f2", "False", "(3,)"), RC_UNSUPPORTED, "'<f2' (a type that is not supported)"},
        {HEADER("|i8", "False", "(3,)"), RC_UNSUPPORTED, "'|i8'"},
        {HEADER("i8", "False", "(3,)"), RC_UNSUPPORTED, "'i8'"},
        {HEADER("", "False", "(3,)"), RC_UNSUPPORTED, "array of type ''"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,)}", RC_UNSUPPORTED,
         "structured array"},
        {"{'descr': 3, 'fortran_order': False, 'shape': (3,)}", RC_SYNTAX,
         "expected the type as text, found 3"},
        {"{'descr': '\\x7cu1', 'fortran_order': False, 'shape': (3,)}", RC_UNSUPPORTED,
         "'\\x7cu1'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct npy a = {.n_items = 77};
        struct buf b;
        struct err e;
        assert_fails(parse(1, bad[i].header, "abc", 3, &a, &b, &e), bad[i].rc, &e, bad[i].message);
        assert_int_equal(strncmp(e.text, "a.npy: ", 7), 0);
        assert_int_equal(a.n_items, 77); // untouched
        buf_clear(&b);
    }
}

static void every_cut_is_refused(void **state) {
    (void)state;
    for (int major = 1; major <= 2; major++) {
        struct buf b = file_of(major, HEADER("|u1", "False", "(3,)"), "abc", 3);
        for (size_t n = 0; n < b.n; n++) {
            struct npy a;
            struct err e;
            char *copy = mem_alloc(n, 1); // so that a sanitizer sees a read beyond the cut
            memcpy(copy, b.text, n);
            if (npy_parse(copy, n, "a.npy", &a, &e) == RC_OK)
                fail_msg("cut at byte %zu of %zu was accepted", n, b.n);
            free(copy);
        }
        b.text[6] = 4;
        struct npy a;
        struct err e;
        assert_fails(npy_parse(b.text, b.n, "a.npy", &a, &e), RC_UNSUPPORTED, &e, "version 4.0");
        b.text[6] = (char)major;
        b.text[9] = '\xff';
        assert_fails(npy_parse(b.text, b.n, "a.npy", &a, &e), RC_SYNTAX, &e,
                     "cut short inside the header");
        buf_clear(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_are_decoded),
        cmocka_unit_test(items_come_in_c_order),
        cmocka_unit_test(headers_may_be_written_differently),
        cmocka_unit_test(a_scalar_has_one_item),
        cmocka_unit_test(broken_headers_are_refused),
        cmocka_unit_test(every_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
