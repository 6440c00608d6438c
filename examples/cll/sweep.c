/* A sweep over memory: the sum of an array, whose size decides which cache it comes from.
 *
 *   sweep [ELEMENTS [REPETITIONS]]
 *
 * The formula is a straight line. The constants are other ones where the working set outgrows a cache: seg(bytes) says
 * along what to look for these places.
 */
#include <stdio.h>
#include <stdlib.h>

static double add(const double *x, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 100000;
    long repetitions = argc > 2 ? atol(argv[2]) : 5;
    if (n < 1 || repetitions < 1) {
        fprintf(stderr, "usage: sweep [ELEMENTS [REPETITIONS]]\n");
        return 2;
    }
    double *x = malloc((size_t)n * sizeof *x);
    if (!x) {
        fprintf(stderr, "sweep: no memory for %ld elements\n", n);
        return 1;
    }
    for (long i = 0; i < n; i++)
        x[i] = (double)(i % 1000);
    double sum = add(x, n);
    for (long i = 0; i < repetitions; i++) {
        double again;
#pragma cll sum sum[0] + sum[1]*n var(bytes = n*(long)sizeof *x) seg(bytes) metric(cpu)
        again = add(x, n);
#pragma cll end sum
        sum += again;
    }
    printf("sum of %ld elements: %.17g\n", n, sum);
#pragma cll report all
    free(x);
    return 0;
}
