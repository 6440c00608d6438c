/* Records the MPI calls of a program and the processor time between them, over the profiling interface of MPI: the
 * program is neither changed nor linked again. One file, compiled by the mpicc of the program and loaded before it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define HIDDEN static __attribute__((unused))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* What RUNCAST_RECORD_* says. */
static struct {
    const char *dir;
    unsigned depth, window;
    uint64_t limit, flush_ns;
    int gate, counters;
} settings = {0, 4, 256, 64u << 20, 10000000000u, 0, 0};

/* Memory that trees and streams take, against the limit. Threads add to it without a lock: it is only a bound. */
static uint64_t memory_used;
static int memory_failed;

/* Things go wrong once: one line, and the program goes on. */
HIDDEN void complain(const char *what) {
    static int said;
    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        return;
    char line[512];
    int n = snprintf(line, sizeof line, "runcast record: %s; the program goes on\n", what);
    if (n > 0 && write(2, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return;
}

HIDDEN void *take(size_t bytes) {
    void *p = calloc(1, bytes);
    if (UNLIKELY(!p)) {
        memory_failed = 1;
        complain("no memory is left, recording has stopped");
        return 0;
    }
    __atomic_fetch_add(&memory_used, bytes + 16, __ATOMIC_RELAXED);
    return p;
}

HIDDEN void give(void *p, size_t bytes) {
    if (!p)
        return;
    free(p);
    __atomic_fetch_sub(&memory_used, bytes + 16, __ATOMIC_RELAXED);
}

/* Doubles the room of an array, from `cap` elements. NULL leaves the old one as it was. */
HIDDEN void *widen(void *old, size_t element, uint32_t *cap, uint32_t least) {
    uint32_t to = *cap ? *cap * 2 : least;
    void *p = take(element * to);
    if (!p)
        return 0;
    if (old)
        memcpy(p, old, element * *cap);
    give(old, element * *cap);
    *cap = to;
    return p;
}

/* A step of a 64-bit hash: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
HIDDEN uint64_t mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}
