/* Regions inside of regions, a loop between them, an else without braces. */
#include <assert.h>
#include <stdio.h>

struct matrix {
    int rows;
    double *value;
};

static double inner(const struct matrix *m, int n)
{
    double sum = 0;
#pragma cll inner inner[0] + inner[1]*n*m->rows
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m->rows; j++) sum += m->value[j] * i;
#pragma cll end inner
    return sum;
}

int main(void)
{
    double value[4] = { 1, 2, 3, 4 };
    struct matrix m = { 4, value };
    double total = 0;
    int k;
#pragma cll outer outer[0] + outer[1]*K var(K = 3)
    for (k = 0; k < 3; k++) {
        if (k == 1)
            total += 1;
        else
#pragma cll step step[0]*k
            total += inner(&m, k);
#pragma cll end step
    }
#pragma cll end outer
#pragma cll report all
    assert(__LINE__ == 37);
    printf("%g %s %d\n", total, __FILE__, __LINE__);
    return 0;
}
