/* Computing times injected into SMPI programs, with seeded noise: a factor a run, a machine and a block, and interruptions.
   Repetition 0 has none. */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long state;
static double factor = 1, gain = 1;
static int noisy;

/* SplitMix64. */
static double uniform(void)
{
    unsigned long long z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double exponential(double mean) { return -mean * log(1 - uniform()); }

static double first_after(unsigned long long seed)
{
    state = seed;
    for (int i = 0; i < 9; i++) uniform();
    return uniform();
}

static void begin_noise(int repetition, int rank, int node)
{
    noisy = repetition > 0;
    if (!noisy) return;
    factor = 1 - 0.004 * log(1 - first_after(1000003ull * repetition));
    factor *= 1 + 0.01 * first_after(7919ull * repetition + 104729ull * (node + 1));
    first_after(15485863ull * repetition + 32452843ull * (rank + 1));
}

/* `seconds` of a core of `speed` flop/s; more processes than cores share them, `gain` of hardware threads apart. */
static void compute(double seconds, double speed)
{
    if (noisy) {
        seconds *= factor * (1 + exponential(0.004));
        double lost = 0;
        for (double at = exponential(20); at < seconds; at += exponential(20)) lost += exponential(0.004);
        seconds += lost;
    }
    if (seconds > 0) smpi_execute_flops(seconds * speed / gain);
}

static void report(double started, int processes)
{
    double time = MPI_Wtime() - started, last;
    int rank;
    MPI_Reduce(&time, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("RESULT %d %.9g\n", processes, last);
}
