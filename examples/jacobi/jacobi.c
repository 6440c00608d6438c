/* The work of one worker of Jacobi's method, by itself: its block of the rows of x' = C x + d.
 *
 *   jacobi SIZE WORKERS [ITERATIONS]
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 800;
    long workers = argc > 2 ? atol(argv[2]) : 1;
    long iterations = argc > 3 ? atol(argv[3]) : 50;
    if (size < 1 || workers < 1 || workers > size || iterations < 1) {
        fprintf(stderr, "usage: jacobi SIZE WORKERS [ITERATIONS]\n");
        return 2;
    }
    long rows = (size + workers - 1) / workers;
    double *c = malloc(sizeof *c * (size_t)(rows * size)), *x = malloc(sizeof *x * (size_t)size);
    double *next = malloc(sizeof *next * (size_t)rows);
    if (!c || !x || !next)
        return 1;
    for (long k = 0; k < rows * size; k++)
        c[k] = 1.0 / (double)(k % 97 + 2 * size);
    for (long k = 0; k < size; k++)
        x[k] = 1.0;
    for (long iteration = 0; iteration < iterations; iteration++) {
#pragma cll map map[0] + map[1]*size*size/workers metric(cpu)
        for (long i = 0; i < rows; i++) {
            double sum = 1.0;
            for (long j = 0; j < size; j++)
                sum += c[i * size + j] * x[j];
            next[i] = sum;
        }
#pragma cll end map
        for (long i = 0; i < rows; i++)
            x[i] = next[i];
    }
    printf("x[0] = %.12f after %ld iterations\n", x[0], iterations);
    return 0;
}
