/* SPDX-License-Identifier: BSD-3-Clause */
/* Routing records that are recognised and not read. */
#include "workloads/records/record_read.h"

#include <ctype.h>
#include <string.h>

struct foreign {
    const char *start; /* first bytes */
    size_t n;
    const char *inside; /* also somewhere in the first bytes, or NULL */
    const char *what;
    const char *recipe;
};

#define PICKLE_RECIPE                                                                              \
    "python -c \"import numpy, pickle; numpy.save('counts.npy', pickle.load(open('FILE', "         \
    "'rb')))\" "                                                                                   \
    "(runs code from the file: only if you trust it)"
#define TORCH_RECIPE                                                                               \
    "python -c \"import numpy, torch; numpy.save('counts.npy', "                                   \
    "torch.load('FILE')['logical_count'].sum(0).numpy())\""

/* The first match counts. */
static const struct foreign foreign[] = {
    {"PK\3\4", 4, "data.pkl", "a PyTorch file", TORCH_RECIPE},
    // the number that starts a PyTorch file older than 1.6
    {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14, NULL, "a PyTorch file",
     TORCH_RECIPE},
    {"\x80\x02", 2, NULL, "a Python pickle", PICKLE_RECIPE},
    {"\x80\x03", 2, NULL, "a Python pickle", PICKLE_RECIPE},
    {"\x80\x04", 2, NULL, "a Python pickle", PICKLE_RECIPE},
    {"\x80\x05", 2, NULL, "a Python pickle", PICKLE_RECIPE},
    {"PAR1", 4, NULL, "a Parquet file",
     "python -c \"import pandas; pandas.read_parquet('FILE').to_csv('counts.csv', index=False)\""},
    {"\x1f\x8b", 2, NULL, "compressed with gzip", "gzip -dk FILE"},
};

static bool contains(const char *data, size_t n, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(data + i, word, length) == 0)
            return true;
    return false;
}

/* One long word of the alphabet: the reply of a server that returns routed experts. */
static bool is_base64(const char *data, size_t n) {
    enum { SHORTEST = 64 }; // no header line of a CSV is one word of that length
    size_t i = 0;
    while (i < n && data[i] && (isalnum((unsigned char)data[i]) || strchr("+/=\r\n", data[i])))
        i++;
    return i == n && n >= SHORTEST;
}

enum rc record_refuse(const char *data, size_t n, const char *name, struct err *e) {
    enum { HEAD = 256 }; // the name of a zip archive's first member is in there
    struct place at = {name, 0, 0};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const struct foreign *f = &foreign[i];
        if (n < f->n || memcmp(data, f->start, f->n) != 0 ||
            (f->inside && !contains(data, n < HEAD ? n : HEAD, f->inside)))
            continue;
        const char *file = strstr(f->recipe, "FILE");
        return err_at(e, RC_UNSUPPORTED, &at,
                      "%s, expected .npy, CSV or JSON; convert it first: %.*s%.150s%s", f->what,
                      (int)(file - f->recipe), f->recipe, name, file + strlen("FILE"));
    }
    if (is_base64(data, n))
        return err_at(
            e, RC_UNSUPPORTED, &at,
            "base64 without a shape, expected .npy, CSV or JSON; convert it first, L and k are "
            "yours to know: python -c \"import base64, numpy; numpy.save('ids.npy', "
            "numpy.frombuffer(base64.b64decode(open('%.150s').read()), '<i4').reshape(-1, L, k))\"",
            name);
    return RC_OK;
}
