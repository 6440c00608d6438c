/* Many visits, threads, memory; with the test's clock; with -DREAL the real one, with -DCPU that of
 * the thread's processor time. */
#define _GNU_SOURCE 1
#include "cll.h"
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef SLOWER
#define SLOWER 0
#endif
#ifndef METRIC
#define METRIC ""
#endif
CLL_EXPERIMENT(cll_x_F, "F", "F[0]+F[1]*n", "work.c", 3, "n,k", 2, "", METRIC, FLAGS, 1, "w");
CLL_EXPERIMENT(cll_x_G, "G", "G[0]", "work.c", 4, "", 0, "", "", 0, 1, "w");
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C"
#endif
unsigned long long cll_test_clock(void)
#ifdef REAL
    __attribute__((weak));
#elif defined CPU
/* What this thread has worked: nothing else on the machine lengthens it. */
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}
#else
;
static __thread unsigned long long ticks;
unsigned long long cll_test_clock(void) { return ticks; }
#endif

#if !defined REAL && !defined CPU
static __thread unsigned long long seed = 88172645463325252ull;
static unsigned next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33);
}
#endif

/* `visits` of F with `kinds` different values, each of some nanoseconds. */
static void visit(long visits, long kinds)
{
    long i;
    for (i = 0; i < visits; i++) {
        long kind = kinds > 0 ? i % kinds : i;
        CLL_REGION(g, cll_x_F, 2, (double)(kind), (double)(kind * 0.5));
#if !defined REAL && !defined CPU
        ticks += SLOWER + 100 + (unsigned)kind % 1000 + next() % 50;
#endif
        CLL_DONE(g);
    }
}

static void spin(double seconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) < seconds);
}

static pthread_barrier_t all_are_there, all_are_done;
static long visits_of_each;

static void *thread(void *number)
{
    visit(visits_of_each, 10);
    /* The even ones end before the report, the others go on. */
    if (*(int *)number % 2) {
        pthread_barrier_wait(&all_are_there);
        pthread_barrier_wait(&all_are_done);
    }
    return 0;
}

/* Goes on with samples while others write. */
static volatile int over;
static void *busy(void *number)
{
    (void)number;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        visit(100, 7);
        usleep(300);
    }
    return 0;
}

static void *reporting(void *number)
{
    int i;
    for (i = 0; i < 20; i++) {
        visit(200, 3);
        cll_report(*(int *)number ? "F" : 0, 0);
    }
    return 0;
}

static void *leaves_open(void *number)
{
    (void)number;
    CLL_REGION(g, cll_x_G, 0, 0.0);
    pthread_exit(0);
    CLL_DONE(g);
    return 0;
}

static void *short_lived(void *number)
{
    (void)number;
    visit(3, 1);
    return 0;
}

static int numbers[64];
static pthread_t threads[64];

static void start(int count, void *(*body)(void *))
{
    int i;
    for (i = 0; i < count; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], 0, body, &numbers[i])) exit(9);
    }
}

static void join(int count)
{
    int i;
    for (i = 0; i < count; i++) pthread_join(threads[i], 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long visits = argc > 2 ? atol(argv[2]) : 0, kinds = argc > 3 ? atol(argv[3]) : 1;
    int i;
    if (!strcmp(what, "visits")) visit(visits, kinds);
    if (!strcmp(what, "around")) {
        /* What is written out meanwhile is not the region's. */
        CLL_REGION(g, cll_x_G, 0, 0.0);
        visit(visits, kinds);
        CLL_DONE(g);
    }
    if (!strcmp(what, "threads")) {
        visits_of_each = visits;
        pthread_barrier_init(&all_are_there, 0, 5);
        pthread_barrier_init(&all_are_done, 0, 5);
        start(8, thread);
        for (i = 0; i < 8; i += 2) pthread_join(threads[i], 0);
        pthread_barrier_wait(&all_are_there);
        if (kinds) cll_report(0, 0);
        else exit(0);
        pthread_barrier_wait(&all_are_done);
        for (i = 1; i < 8; i += 2) pthread_join(threads[i], 0);
    }
    if (!strcmp(what, "busy")) {
        start(4, busy);
        for (i = 0; i < 10; i++) {
            usleep(3000);
            cll_report(0, 0);
        }
        __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
        join(4);
    }
    if (!strcmp(what, "busy-exit")) {
        start(4, busy);
        usleep(20000);
        exit(0);
    }
    if (!strcmp(what, "reporting")) {
        start(4, reporting);
        join(4);
    }
    if (!strcmp(what, "leaves-open")) {
        start(1, leaves_open);
        join(1);
    }
    if (!strcmp(what, "short-lived"))
        for (i = 0; i < visits; i++) {
            start(1, short_lived);
            join(1);
        }
    if (!strcmp(what, "cpu")) {
        for (i = 0; i < 5; i++) {
            CLL_REGION(g, cll_x_G, 0, 0.0);
            spin(2e-3);
            usleep(3000);
            CLL_DONE(g);
        }
        visit(50, 1);
    }
    if (!strcmp(what, "sleep")) {
        for (i = 0; i < 20; i++) {
            CLL_REGION(g, cll_x_G, 0, 0.0);
            spin(1e-3);
            CLL_DONE(g);
        }
    }
    {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%ld\n", usage.ru_maxrss);
    }
    return 0;
}
