/* Merge sort.
 *
 *   sort [SIZE [REPETITIONS]]
 *
 * The region S calls itself: each level of the recursion is a sample, so that one run of many elements tells the times of
 * fewer elements, too. M is the merging at each level.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 512 };

static void insertion(uint32_t *x, long n)
{
    for (long i = 1; i < n; i++) {
        uint32_t moved = x[i];
        long at = i;
        for (; at > 0 && x[at - 1] > moved; at--)
            x[at] = x[at - 1];
        x[at] = moved;
    }
}

static void merge(uint32_t *to, const uint32_t *left, const uint32_t *middle, const uint32_t *end)
{
    const uint32_t *right = middle;
    while (left < middle && right < end) {
        int is_left = *left <= *right;
        *to++ = is_left ? *left : *right;
        left += is_left;
        right += !is_left;
    }
    memcpy(to, left, (size_t)(middle - left) * sizeof *to);
    to += middle - left;
    memcpy(to, right, (size_t)(end - right) * sizeof *to);
}

/* Not recorded: a sample would cost more than the work. */
static void small(uint32_t *x, uint32_t *room, long n)
{
    if (n <= 16) {
        insertion(x, n);
        return;
    }
    small(x, room, n / 2);
    small(x + n / 2, room, n - n / 2);
    memcpy(room, x, (size_t)n * sizeof *x);
    merge(x, room, room + n / 2, room + n);
}

static void sort(uint32_t *x, uint32_t *room, long n)
{
    if (n <= FEW) {
        small(x, room, n);
        return;
    }
#pragma cll S S[0] + S[1]*n*log2(n) metric(cpu)
    long half = n / 2;
    sort(x, room, half);
    sort(x + half, room, n - half);
#pragma cll M M[0] + M[1]*n
    memcpy(room, x, (size_t)n * sizeof *x);
    merge(x, room, room + half, room + n);
#pragma cll end M
#pragma cll end S
}

int main(int argc, char **argv)
{
    long size = argc > 1 ? atol(argv[1]) : 100000;
    long repetitions = argc > 2 ? atol(argv[2]) : 1;
    if (size < 1 || repetitions < 1) {
        fprintf(stderr, "usage: sort [SIZE [REPETITIONS]]\n");
        return 2;
    }
    uint32_t *x = malloc((size_t)size * sizeof *x), *room = malloc((size_t)size * sizeof *room);
    if (!x || !room) {
        fprintf(stderr, "sort: no memory for %ld elements\n", size);
        return 1;
    }
    uint64_t sum = 0;
    uint64_t state = 1;
    for (long r = 0; r < repetitions; r++) {
        for (long i = 0; i < size; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[i] = (uint32_t)(state >> 32);
        }
        sort(x, room, size);
        for (long i = 0; i < size; i++) {
            if (i > 0 && x[i - 1] > x[i]) {
                fprintf(stderr, "sort: wrong order at %ld\n", i);
                return 1;
            }
            sum = sum * 31 + x[i];
        }
    }
    printf("sorted %ld elements: %016llx\n", size, (unsigned long long)sum);
#pragma cll report all
    free(x);
    free(room);
    return 0;
}
