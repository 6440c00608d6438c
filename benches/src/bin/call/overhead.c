/* What a pair of begin and end costs: `overhead pairs BLOCKS THREADS [VALUES]`, with the clock and the mode of the
 * environment; with VALUES, the second recorded value runs through so many integers, not through two.
 * Blocks of 2,000 pairs, of empty turns and of single readings of both clocks take turns; the cheapest counts.
 * `overhead visits N` is for the peak of memory. */
#define _GNU_SOURCE 1
#include "cll.h"
CLL_EXPERIMENT(cll_x_pair, "pair", "pair[0]+pair[1]*n", "overhead.c", 5, "n,m", 2, "", "", 0, 1, "");
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { PAIRS = 2000, MOST_THREADS = 64 };
static long blocks, values;
static pthread_barrier_t together;
static double best[MOST_THREADS][4], wall_s[MOST_THREADS];
static volatile int sink[MOST_THREADS][32];

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void least(double *least, double start)
{
    double each = (now_ns() - start) / PAIRS;
    if (*least == 0 || each < *least) *least = each;
}

__attribute__((noinline)) static void pairs(volatile int *to)
{
    int i;
    for (i = 0; i < PAIRS; i++) {
        CLL_REGION(cll_g1, cll_x_pair, 2, (double)(i & 7), (double)(i & 1));
        *to = i;
        CLL_DONE(cll_g1);
    }
}

__attribute__((noinline)) static void turns(volatile int *to, long *value)
{
    int i;
    for (i = 0; i < PAIRS; i++) {
        CLL_REGION(cll_g1, cll_x_pair, 2, 1.0, (double)*value);
        *to = i;
        CLL_DONE(cll_g1);
        if (++*value == values) *value = 0;
    }
}

static void *measure(void *argument)
{
    long number = (long)argument, block;
    volatile int *to = sink[number];
    double start, began;
    long value = 0;
    int i;
    for (i = 0; i <= values / PAIRS; i++) values ? turns(to, &value) : pairs(to);
    pthread_barrier_wait(&together);
    began = now_ns();
    for (block = 0; block < blocks; block++) {
        start = now_ns();
        values ? turns(to, &value) : pairs(to);
        least(&best[number][0], start);
        start = now_ns();
        for (i = 0; i < PAIRS; i++) *to = i;
        least(&best[number][1], start);
        start = now_ns();
        for (i = 0; i < PAIRS; i++) *to = (int)cll_mono_now_();
        least(&best[number][2], start);
        start = now_ns();
        for (i = 0; i < PAIRS; i++) *to = (int)cll_counter_now_();
        least(&best[number][3], start);
    }
    wall_s[number] = 1e-9 * (now_ns() - began);
    return 0;
}

int main(int argc, char **argv)
{
    long i, count = argc > 3 ? atol(argv[3]) : 1, k;
    struct rusage usage;
    if (argc > 2 && !strcmp(argv[1], "visits")) {
        long visits = atol(argv[2]) / PAIRS;
        for (i = 0; i < visits; i++) pairs(sink[0]);
    } else {
        pthread_t threads[MOST_THREADS];
        if (count < 1 || count > MOST_THREADS) return 2;
        blocks = argc > 2 ? atol(argv[2]) : 150;
        values = argc > 4 ? atol(argv[4]) : 0;
        pthread_barrier_init(&together, 0, (unsigned)count);
        for (i = 0; i < count; i++)
            if (pthread_create(&threads[i], 0, measure, (void *)i)) return 1;
        for (i = 0; i < count; i++) pthread_join(threads[i], 0);
        for (k = 0; k < 4; k++) {
            double sum = 0;
            for (i = 0; i < count; i++) sum += best[i][k];
            printf("%.3f ", sum / (double)count);
        }
        printf("\n");
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
