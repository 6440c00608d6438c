/* The product of two square matrices.
 *
 *   matmul [SIZE [REPETITIONS]]
 */
#include <stdio.h>
#include <stdlib.h>

/* c = a * b; the inner loop runs along rows of b and c. */
static void multiply(long n, double *restrict c, const double *restrict a, const double *restrict b)
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (long k = 0; k < n; k++) {
            double factor = a[i * n + k];
            for (long j = 0; j < n; j++)
                c[i * n + j] += factor * b[k * n + j];
        }
    }
}

static double *matrix(long n, long seed)
{
    double *m = malloc((size_t)(n * n) * sizeof *m);
    if (!m) {
        fprintf(stderr, "matmul: no memory for %ld x %ld elements\n", n, n);
        exit(1);
    }
    for (long i = 0; i < n * n; i++)
        m[i] = (double)((i * 37 + seed) % 101) / 100.0 - 0.5;
    return m;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 128;
    long repetitions = argc > 2 ? atol(argv[2]) : 1;
    if (n < 1 || n > 20000 || repetitions < 1) {
        fprintf(stderr, "usage: matmul [SIZE [REPETITIONS]]\n");
        return 2;
    }
    double *a = matrix(n, 5), *b = matrix(n, 11), *c = matrix(n, 0);
    for (long i = 0; i < repetitions; i++) {
#pragma cll C C[0] + C[1]*n^3 metric(cpu)
        multiply(n, c, a, b);
#pragma cll end C
    }
    double sum = 0;
    for (long i = 0; i < n * n; i++)
        sum += c[i] * (double)(i % 13);
    printf("product of %ld x %ld: %.9e\n", n, n, sum);
#pragma cll report all
    free(a);
    free(b);
    free(c);
    return 0;
}
