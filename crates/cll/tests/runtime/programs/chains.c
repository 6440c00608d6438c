/* How long the chains of the table get: `chains FAMILY COUNT` visits a region with that many different values, and
 * prints how many entries a visit looks at in the mean, and the longest chain. Without arguments: published hashes. */
#include "cll.h"
CLL_EXPERIMENT(cll_x_F, "F", "F[0]+F[1]*n", "chains.c", 4, "k,n", 2, "", "", CLL_MODE_AGGREGATE, 1, "c");
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C"
#endif
unsigned long long cll_test_clock(void)
{
    static unsigned long long ticks;
    return ticks += 10;
}

static double value(const char *family, long i)
{
    if (!strcmp(family, "integers")) return (double)i;
    if (!strcmp(family, "negative")) return -(double)i;
    if (!strcmp(family, "multiples")) return 1024.0 * (double)i;
    if (!strcmp(family, "large")) return ldexp(1.0, 40) + (double)i;
    if (!strcmp(family, "powers")) return ldexp(1.0, (int)(i - 1000));
    if (!strcmp(family, "eighths")) return (double)i / 8;
    if (!strcmp(family, "tenths")) return (double)i * 0.1;
    exit(2);
}

int main(int argc, char **argv)
{
    const double one[] = { 5 }, two[] = { 4096, 3 };
    long count = argc > 2 ? atol(argv[2]) : 0, i, longest = 0;
    double looked_at = 0;
    if (argc < 3) {
        printf("%016llx %016llx %016llx\n", cll_hash_(7, one, 0), cll_hash_(7, one, 1), cll_hash_(7, two, 2));
        return 0;
    }
    for (i = 0; i < count; i++) {
        /* A grid: two values that both repeat. */
        int grid = !strcmp(argv[1], "grid");
        double k = grid ? (double)(i / 100) : 1, n = grid ? (double)(i % 100) : value(argv[1], i);
        CLL_REGION(g, cll_x_F, 2, k, n);
        CLL_DONE(g);
    }
    for (i = 0; i < (long)cll_self_->table_size; i++) {
        const cll_entry *entry;
        long chain = 0;
        for (entry = cll_self_->table[i]; entry; entry = entry->next) looked_at += (double)++chain;
        if (chain > longest) longest = chain;
    }
    printf("%lu %.4f %ld\n", cll_self_->entries, looked_at / (double)count, longest);
    return 0;
}
