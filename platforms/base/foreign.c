/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/base/foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { HEAD = 1024 }; /* bytes that rules look at */

static bool starts(const char *data, size_t n, const char *word, size_t length) {
    return n >= length && memcmp(data, word, length) == 0;
}

static bool contains(const char *data, size_t n, const char *word) {
    size_t length = strlen(word), end = n < HEAD ? n : HEAD;
    for (size_t i = 0; i + length <= end; i++)
        if (memcmp(data + i, word, length) == 0)
            return true;
    return false;
}

/* An archive with a pickle in it, or the number that starts a PyTorch file older than 1.6. */
static bool is_torch(const char *data, size_t n) {
    return (starts(data, n, "PK\3\4", 4) && contains(data, n, "data.pkl")) ||
           starts(data, n, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
}

static bool is_pickle(const char *data, size_t n) {
    return n >= 2 && data[0] == '\x80' && data[1] >= 2 && data[1] <= 5;
}

static bool is_parquet(const char *data, size_t n) {
    return starts(data, n, "PAR1", 4);
}

static bool is_gzip(const char *data, size_t n) {
    return starts(data, n, "\x1f\x8b", 2);
}

static bool is_simgrid(const char *data, size_t n) {
    return contains(data, n, "simgrid.dtd") || (starts(data, n, "<", 1) && contains(data, n, "<platform"));
}

static bool is_astra(const char *data, size_t n) {
    return contains(data, n, "npus_count") && contains(data, n, "topology");
}

/* "12 4 2 2 12 H100": five whole numbers and a word that begins with a letter. */
static bool is_simai(const char *data, size_t n) {
    size_t i = 0;
    for (int number = 0; number < 5; number++) {
        size_t first = i;
        while (i < n && isdigit((unsigned char)data[i]))
            i++;
        if (i == first || i == n || data[i] != ' ')
            return false;
        i++;
    }
    return i < n && isalpha((unsigned char)data[i]);
}

static bool is_topo(const char *data, size_t n) {
    return contains(data, n, "GPU0") && contains(data, n, "GPU1") && contains(data, n, "CPU Affinity");
}

/* A description of ours where something else is expected. */
static bool is_ours(const char *data, size_t n) {
    return starts(data, n, "schema: moesim/", 15) || contains(data, n, "\nschema: moesim/");
}

/* One long word of the alphabet: the reply of a server that returns routed experts. */
static bool is_base64(const char *data, size_t n) {
    enum { SHORTEST = 64 }; // no header line of a CSV is one word of that length
    size_t i = 0;
    while (i < n && data[i] && (isalnum((unsigned char)data[i]) || strchr("+/=\r\n", data[i])))
        i++;
    return i == n && n >= SHORTEST;
}

struct rule {
    const char *what;
    bool (*test)(const char *data, size_t n);
    const char *answer; /* FILE stands for the name */
    unsigned not_for;   /* bits 1 << enum foreign_for: askers that read such a file, or say more */
};

#define KEYS "'moesim platform keys' explains the keys"

/* The first match counts. */
static const struct rule rules[] = {
    {"a PyTorch file", is_torch,
     "convert it first: python -c \"import numpy, torch; numpy.save('counts.npy', "
     "torch.load('FILE')['logical_count'].sum(0).numpy())\"", 0},
    {"a Python pickle", is_pickle,
     "convert it first: python -c \"import numpy, pickle; numpy.save('counts.npy', pickle.load(open('FILE', 'rb')))\" "
     "(runs code from the file: only if you trust it)", 0},
    {"a Parquet file", is_parquet,
     "convert it first: python -c \"import pandas; pandas.read_parquet('FILE').to_csv('counts.csv', index=False)\"", 0},
    {"compressed with gzip", is_gzip, "convert it first: gzip -dk FILE", 0},
    {"a SimGrid platform in XML", is_simgrid,
     "'moesim platform xml' writes such files, smpirun takes them; a platform here is YAML: groups, ranks_per_group, "
     "fast.bandwidth, slow.bandwidth; " KEYS, 0},
    {"an ASTRA-sim network", is_astra,
     "--platform takes YAML that follows from it: npus_count [a, b] is ranks_per_group: a, groups: b; bandwidth [x, y] "
     "in GB/s is fast.bandwidth and slow.bandwidth, latency in ns fast.latency and slow.latency; " KEYS, 0},
    {"a SimAI topology", is_simai,
     "--platform takes YAML that follows from it: the second number of the first line is ranks_per_group, GPUs over it "
     "groups; the rate of a GPU's link to its NVSwitch is fast.bandwidth, to another switch slow.bandwidth; " KEYS, 0},
    {"the output of 'nvidia-smi topo -m'", is_topo,
     "--platform takes YAML that follows from it: as many ranks_per_group as it has GPUs, NV12 means fast over 12 "
     "NVLinks, PIX to SYS fast over PCIe; it has no rates, so fast.bandwidth and slow.bandwidth are yours to know; "
     KEYS, 0},
    {"a description of moesim", is_ours,
     "the first line, schema, names which: --platform takes a platform, --workload a workload", 1U << FOREIGN_YAML},
    {"base64 without a shape", is_base64,
     "convert it first, L and k are yours to know: python -c \"import base64, numpy; numpy.save('ids.npy', "
     "numpy.frombuffer(base64.b64decode(open('FILE').read()), '<i4').reshape(-1, L, k))\"",
     1U << FOREIGN_YAML | 1U << FOREIGN_PLACEMENT},
};

enum rc foreign_refuse(const char *data, size_t n, const char *name, enum foreign_for asker, struct err *e) {
    static const char *const expected[] = {".npy, CSV or JSON", "JSON or .npy", "YAML"};
    struct place at = {name, 0, 0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *r = &rules[i];
        if ((r->not_for >> asker & 1U) || !r->test(data, n))
            continue;
        const char *file = strstr(r->answer, "FILE");
        int before = (int)(file ? (size_t)(file - r->answer) : strlen(r->answer));
        return err_at(e, RC_UNSUPPORTED, &at, "%s, expected %s; %.*s%.150s%s", r->what, expected[asker], before,
                      r->answer, file ? name : "", file ? file + strlen("FILE") : "");
    }
    return RC_OK;
}
