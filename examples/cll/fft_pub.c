/* A fast Fourier transform by divide and conquer on groups of processes, in the style of the Paderborn BSP library.
 *
 *   fft_pub [--check] [SIZE [REPETITIONS]]    SIZE, processes: powers of two, SIZE >= processes; --check: against the
 *                                             definition
 *
 * Every process has the input. A machine splits into two: one half transforms the even elements, the other half the odd
 * ones. Then each process exchanges what its group has found with its partner in the other group, and combines both. A
 * process that is alone transforms its part without the others. The exchange is oblivious: a process waits for the message
 * of its partner, and for nobody else.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pub.h"

static const double TWO_PI = 6.283185307179586476925286766559;

/* The factors of all levels: factors[k * (total / n)] is exp(-2 pi i k / n). */
static double complex *factors;
static long total;
/* Room for the elements of this process. */
static double complex *part;

static void combine(double complex *out, const double complex *odd, long half)
{
    long step = total / (2 * half);
    for (long k = 0; k < half; k++) {
        double complex turned = factors[k * step] * odd[k];
        double complex even = out[k];
        out[k] = even + turned;
        out[k + half] = even - turned;
    }
}

static void sequential(double complex *out, const double complex *in, long n, long stride)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    long half = n / 2;
    sequential(out, in, half, 2 * stride);
    sequential(out + half, in + stride, half, 2 * stride);
    combine(out, out + half, half);
}

/* The part of a process that is alone. Its elements are far apart where there are many processes: once together, they take
   the same time for any number of processes. */
static void alone(double complex *out, const double complex *in, long n, long stride)
{
    for (long k = 0; k < n; k++)
        part[k] = in[k * stride];
    sequential(out, part, n, 1);
}

static void fft(t_bsp *bsp, double complex *out, const double complex *in, long n, long stride)
{
    if (bsp_nprocs(bsp) == 1) {
#pragma cll G G[0] + G[1]*n*log2(n) metric(cpu)
        alone(out, in, n, stride);
#pragma cll end G
        return;
    }
    long half = n / 2;
    long size = half * (long)sizeof *out;
    int ends[2], is_odd, partner;
    t_bsp group;
#pragma cll A A[0]
    ends[1] = bsp_nprocs(bsp);
    ends[0] = ends[1] / 2;
    is_odd = bsp_pid(bsp) >= ends[0];
    partner = is_odd ? bsp_pid(bsp) - ends[0] : bsp_pid(bsp) + ends[0];
#pragma cll end A
#pragma cll B B[0]
    bsp_partition(bsp, &group, 2, ends);
#pragma cll end B
    double complex *mine = is_odd ? out + half : out;
    double complex *other = is_odd ? out : out + half;
    fft(&group, mine, is_odd ? in + stride : in, half, 2 * stride);
#pragma cll C C[0]
    bsp_done(&group);
#pragma cll end C
#pragma cll D D[0] + D[1]*size
    bsp_hpsend(bsp, partner, mine, (size_t)size);
    bsp_oblsync(bsp, 1);
#pragma cll end D
#pragma cll E E[0] + E[1]*size metric(cpu)
    memcpy(other, bspmsg_data(bsp_getmsg(bsp, 0)), (size_t)size);
#pragma cll end E
#pragma cll F F[0] + F[1]*half metric(cpu)
    combine(out, out + half, half);
#pragma cll end F
}

static double complex *room_for(long n)
{
    double complex *room = malloc((size_t)n * sizeof *room);
    if (!room) {
        fprintf(stderr, "fft_pub: no memory for %ld elements\n", n);
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
    t_bsp bsp;
    pub_init(&argc, &argv, &bsp);
#pragma cll parallel PUB bsp
    int check = argc > 1 && strcmp(argv[1], "--check") == 0;
    if (check) {
        argc--;
        argv++;
    }
    long repetitions = argc > 2 ? atol(argv[2]) : 1;
    long N = argc > 1 ? atol(argv[1]) : check ? 64 : 4096;
    int processes = bsp_nprocs(bsp);
    if (N < processes || (N & (N - 1)) != 0 || (processes & (processes - 1)) != 0 || repetitions < 1) {
        if (bsp_pid(bsp) == 0)
            fprintf(stderr, "usage: fft_pub [--check] [SIZE [REPETITIONS]], SIZE and processes powers of two, SIZE >= "
                            "processes\n");
        pub_exit();
        return 2;
    }
    total = N;
    double complex *in = room_for(N), *out = room_for(N);
    part = room_for(N / processes);
    factors = room_for(N / 2 + 1);
    for (long k = 0; k <= N / 2; k++)
        factors[k] = cexp(-I * TWO_PI * (double)k / (double)N);
    fill(in, N);
    /* Once without recording, for memory that is there, warm caches and open connections. */
#pragma cll off
    fft(&bsp, out, in, N, 1);
#pragma cll on
    for (long i = 0; i < repetitions; i++) {
        bsp_sync(bsp);
#pragma cll fft fft[0] + fft[1]*log2(P) + fft[2]*(N/P)*log2(N/P) + fft[3]*N*(P-1)/P
        fft(&bsp, out, in, N, 1);
#pragma cll end fft
    }
    double complex sum = 0;
    for (long k = 0; k < N; k++)
        sum += out[k] * ((double)(k % 7) - 3);
    int is_wrong = 0;
    if (bsp_pid(bsp) == 0)
        printf("fft of %ld elements: %.9e %+.9ei\n", N, creal(sum), cimag(sum));
    if (check) {
        double off = difference(out, in, N);
        is_wrong = !(off <= 1e-12);
        if (bsp_pid(bsp) == 0 || is_wrong)
            printf("against the definition: %s\n", is_wrong ? "wrong" : "right");
        fprintf(stderr, "difference %.2e\n", off);
    }
#pragma cll report all
    free(in);
    free(out);
    free(part);
    free(factors);
    pub_exit();
    return is_wrong;
}
