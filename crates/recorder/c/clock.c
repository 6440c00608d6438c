/* Processor time of blocks. The clock of a thread's processor time is a system call, the monotonic one is not: for spans
 * below THETA, in which the scheduler takes no core away, processor time advances as wall time does; longer ones set it
 * right by the real clock. */
#define THETA 5000
#define LONG_BLOCK 100000

struct clocks {
    uint64_t wall, cpu; /* as last seen */
    uint64_t process, process_at; /* the process's clock, and this thread's when it was read */
    uint64_t entry; /* wall time of the entry into the call */
    uint64_t block, block_wall; /* since the last call that was recorded */
    uint64_t polling; /* time of tests that completed nothing */
    int backwards;
    double threads_sum; /* of spans with long blocks: processor time of all threads, of this one */
    double threads_weight;
};

/* Least processor time of an entry after an exit with nothing between: for short and for long spans. */
static uint64_t kappa[2];

HIDDEN uint64_t clock_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

HIDDEN void clocks_start(struct clocks *k) {
    k->process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    k->cpu = k->process_at = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    k->wall = clock_ns(CLOCK_MONOTONIC);
}

/* Of the span since the process's clock was read before, in which long blocks are nearly all. */
HIDDEN void block_threads(struct clocks *k, uint64_t cpu) {
    uint64_t process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (process > k->process && cpu > k->process_at) {
        k->threads_sum += (double)(process - k->process);
        k->threads_weight += (double)(cpu - k->process_at);
    }
    k->process = process;
    k->process_at = cpu;
}

/* At the entry into a call: the block before it ends. `long_spans` asks for the real clock whatever the span. */
HIDDEN void clocks_enter(struct clocks *k, int long_spans) {
    uint64_t t = clock_ns(CLOCK_MONOTONIC), span = t - k->wall, cpu;
    if (UNLIKELY(t < k->wall)) {
        k->backwards = 1;
        span = 0;
    }
    int real = span >= THETA || long_spans;
    if (real) {
        cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (span >= LONG_BLOCK)
            block_threads(k, cpu);
    } else
        cpu = k->cpu + span;
    uint64_t used = cpu > k->cpu ? cpu - k->cpu : 0;
    k->block += used > kappa[real] ? used - kappa[real] : 0;
    k->block_wall += span;
    k->cpu = cpu;
    k->wall = k->entry = t;
}

/* At the exit. Returns the wall time of the call. */
HIDDEN uint64_t clocks_leave(struct clocks *k, int long_spans) {
    uint64_t t = clock_ns(CLOCK_MONOTONIC);
    if (UNLIKELY(t < k->wall)) {
        k->backwards = 1;
        t = k->wall;
    }
    if (t - k->wall >= THETA || long_spans) {
        k->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        t = clock_ns(CLOCK_MONOTONIC);
    } else
        k->cpu += t - k->wall;
    k->wall = t;
    return t - k->entry;
}

HIDDEN void measure_kappa(void) {
    for (int real = 0; real < 2; real++) {
        uint64_t least = UINT64_MAX;
        struct clocks k = {0};
        kappa[real] = 0;
        clocks_start(&k);
        for (int i = 0; i < 1000; i++) {
            clocks_leave(&k, real);
            k.block = 0;
            clocks_enter(&k, real);
            if (k.block < least)
                least = k.block;
        }
        kappa[real] = least;
    }
}

/* Processor time of a million multiplications that wait for each other: about 2 ms, the speed of the core. */
HIDDEN uint64_t reference_loop(void) {
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    volatile double seed = 1.0000001;
    double x = seed, factor = seed;
    for (int i = 0; i < 1000000; i++) {
        x *= factor;
        __asm__ volatile("" : "+m"(x));
    }
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}
