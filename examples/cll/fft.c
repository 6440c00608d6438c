/* A fast Fourier transform by divide and conquer.
 *
 *   fft [--check] [SIZE [REPETITIONS]]    SIZE: a power of two; --check: against the definition
 *
 * G is the whole transform; seg(n): its constants may be other ones where it outgrows a cache. Inside of the recursion, D
 * divides into even and odd elements and C combines; both are recorded at every level, so that one run tells their times at
 * many sizes.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 64 };

static const double TWO_PI = 6.283185307179586476925286766559;

/* The factors of all levels: factors[k * (size / n)] is exp(-2 pi i k / n). */
static double complex *factors;
static long size;

/* Small transforms are not recorded: a sample would cost as much as they do. */
static void small(double complex *out, const double complex *in, long n, long stride)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    long half = n / 2;
    small(out, in, half, 2 * stride);
    small(out + half, in + stride, half, 2 * stride);
    for (long k = 0; k < half; k++) {
        double complex even = out[k];
        double complex odd = factors[k * (size / n)] * out[k + half];
        out[k] = even + odd;
        out[k + half] = even - odd;
    }
}

/* The transform of in to out; room is for n elements, and in is used up. */
static void fft(double complex *out, double complex *in, double complex *room, long n)
{
    if (n <= LEAF) {
        small(out, in, n, 1);
        return;
    }
    long half = n / 2;
#pragma cll D D[0] + D[1]*n
    for (long k = 0; k < half; k++) {
        room[k] = in[2 * k];
        room[k + half] = in[2 * k + 1];
    }
#pragma cll end D
    fft(in, room, out, half);
    fft(in + half, room + half, out + half, half);
#pragma cll C C[0] + C[1]*n
    for (long k = 0; k < half; k++) {
        double complex odd = factors[k * (size / n)] * in[k + half];
        out[k] = in[k] + odd;
        out[k + half] = in[k] - odd;
    }
#pragma cll end C
}

static double complex *room_for(long n)
{
    double complex *room = malloc((size_t)n * sizeof *room);
    if (!room) {
        fprintf(stderr, "fft: no memory for %ld elements\n", n);
        exit(1);
    }
    return room;
}

/* Any input will do, as long as it is the same everywhere. */
static void fill(double complex *x, long n)
{
    unsigned long long state = 1;
    for (long k = 0; k < n; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double re = (double)(state >> 33) / 4294967296.0 - 0.25;
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[k] = re + I * ((double)(state >> 33) / 4294967296.0 - 0.25);
    }
}

/* The largest difference from the definition, relative to the largest element. */
static double difference(const double complex *out, const double complex *in, long n)
{
    double largest = 0, off = 0;
    for (long k = 0; k < n; k++) {
        double complex sum = 0;
        for (long j = 0; j < n; j++)
            sum += in[j] * cexp(-I * TWO_PI * (double)(j * k % n) / (double)n);
        largest = fmax(largest, cabs(sum));
        off = fmax(off, cabs(sum - out[k]));
    }
    return off / largest;
}

int main(int argc, char **argv)
{
    int check = argc > 1 && strcmp(argv[1], "--check") == 0;
    if (check) {
        argc--;
        argv++;
    }
    long repetitions = argc > 2 ? atol(argv[2]) : 1;
    size = argc > 1 ? atol(argv[1]) : check ? 64 : 4096;
    if (size < 1 || (size & (size - 1)) != 0 || repetitions < 1) {
        fprintf(stderr, "usage: fft [--check] [SIZE [REPETITIONS]], SIZE a power of two\n");
        return 2;
    }
    double complex *in = room_for(size), *work = room_for(size), *room = room_for(size), *out = room_for(size);
    factors = room_for(size / 2 + 1);
    for (long k = 0; k <= size / 2; k++)
        factors[k] = cexp(-I * TWO_PI * (double)k / (double)size);
    fill(in, size);
    /* Once without recording, for memory that is there and caches that are warm. */
#pragma cll off
    memcpy(work, in, (size_t)size * sizeof *in);
    fft(out, work, room, size);
#pragma cll on
    for (long i = 0; i < repetitions; i++) {
        memcpy(work, in, (size_t)size * sizeof *in);
        long n = size;
#pragma cll G G[0] + G[1]*n*log2(n) seg(n) metric(cpu)
        fft(out, work, room, n);
#pragma cll end G
    }
    double complex sum = 0;
    for (long k = 0; k < size; k++)
        sum += out[k] * ((double)(k % 7) - 3);
    printf("fft of %ld elements: %.9e %+.9ei\n", size, creal(sum), cimag(sum));
    int is_wrong = 0;
    if (check) {
        double off = difference(out, in, size);
        is_wrong = !(off <= 1e-12);
        printf("against the definition: %s\n", is_wrong ? "wrong" : "right");
        fprintf(stderr, "difference %.2e\n", off);
    }
#pragma cll report all
    free(in);
    free(work);
    free(room);
    free(out);
    free(factors);
    return is_wrong;
}
