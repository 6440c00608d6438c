/* Jacobi's iteration for the heat in a square plate, on threads.
 *
 *   stencil [SIZE [STEPS]]        OMP_NUM_THREADS: how many threads
 *
 * `step` is one sweep over the plate as the whole program sees it. `band` is the part of one thread, recorded by that
 * thread, with the number of rows that it has got.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

static void relax(double *restrict to, const double *restrict from, long n, long first, long rows)
{
    for (long i = first; i < first + rows; i++) {
        for (long j = 1; j < n - 1; j++)
            to[i * n + j] = 0.25 * (from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                                    from[i * n + j + 1]);
    }
}

static void sweep(double *to, const double *from, long n)
{
#pragma omp parallel
    {
        long thread = 0, threads = 1;
#ifdef _OPENMP
        thread = omp_get_thread_num();
        threads = omp_get_num_threads();
#endif
        long first = 1 + (n - 2) * thread / threads;
        long rows = 1 + (n - 2) * (thread + 1) / threads - first;
#pragma cll band band[0] + band[1]*rows*n metric(cpu)
        relax(to, from, n, first, rows);
#pragma cll end band
    }
}

/* One side is hot. */
static double *plate(long n)
{
    double *t = malloc((size_t)(n * n) * sizeof *t);
    if (!t) {
        fprintf(stderr, "stencil: no memory for %ld x %ld elements\n", n, n);
        exit(1);
    }
    for (long i = 0; i < n * n; i++)
        t[i] = i < n ? 100 : 0;
    return t;
}

int main(int argc, char **argv)
{
#pragma cll parallel OMP
    long n = argc > 1 ? atol(argv[1]) : 256;
    long steps = argc > 2 ? atol(argv[2]) : 10;
    if (n < 3 || n > 50000 || steps < 1) {
        fprintf(stderr, "usage: stencil [SIZE [STEPS]], SIZE at least 3\n");
        return 2;
    }
    double *from = plate(n), *to = plate(n);
    for (long i = 0; i < steps; i++) {
#pragma cll step step[0] + step[1]*n^2/P
        sweep(to, from, n);
#pragma cll end step
        double *swap = from;
        from = to;
        to = swap;
    }
    double sum = 0;
    for (long i = 0; i < n * n; i++)
        sum += from[i];
    printf("heat in %ld x %ld after %ld steps: %.12e\n", n, n, steps, sum);
#pragma cll report all
    free(from);
    free(to);
    return 0;
}
