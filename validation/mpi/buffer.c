/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers on the host, or on a device where the MPI library takes its addresses. The device's runtime is opened when it
 * is asked for, so that nothing has to be installed to build. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/base/mem.h"
#include "validation/mpi/sampling.h"

struct runtime {
    const char *library, *alloc, *release;
};
static const struct runtime runtimes[] = {
    [MEMORY_CUDA] = {"libcudart.so", "cudaMalloc", "cudaFree"},
    [MEMORY_HIP] = {"libamdhip64.so", "hipMalloc", "hipFree"},
};

/* Returns the address of a function of the runtime in *function. */
static void find(enum memory memory, bool release, void *function) {
    const struct runtime *r = &runtimes[memory];
    void *library = dlopen(r->library, RTLD_NOW | RTLD_GLOBAL);
    void *found = library ? dlsym(library, release ? r->release : r->alloc) : NULL;
    if (!found)
        give_up("--memory: %s cannot be used: %s", r->library, dlerror());
    memcpy(function, &found, sizeof found); // ISO C has no cast from data to functions
}

void *buffer_alloc(const struct settings *set, double bytes) {
    size_t n = (size_t)bytes + 1;
    if (set->memory == MEMORY_HOST)
        return mem_alloc(n, 1);
    int (*alloc)(void **p, size_t n);
    void *p = NULL;
    find(set->memory, false, &alloc);
    if (alloc(&p, n) != 0)
        give_up("--memory: no %.3g B on the device", bytes);
    return p;
}

void buffer_free(const struct settings *set, void *p) {
    int (*release)(void *p);
    if (set->memory == MEMORY_HOST) {
        free(p);
        return;
    }
    find(set->memory, true, &release);
    release(p);
}
