#include "cll.h"
CLL_EXPERIMENT(cll_x_shared, "shared", "shared[0]+shared[1]*P", "two.c", 3, "P", 1, "", "", 0, 1, "aaaa");
CLL_EXPERIMENT(cll_x_differ, "differ", "differ[0]", "two.c", 5, "", 0, "", "", 0, 1, "aaaa");
#include <locale.h>
#ifdef __cplusplus
extern "C"
#endif
void other(double P);

int main(int argc, char **argv)
{
    double P = argc > 1 ? 0.5 : 8;
    (void)argv;
    if (argc > 1) setlocale(LC_ALL, "de_DE.UTF-8");
    {
        CLL_REGION(cll_g1, cll_x_shared, 1, (double)(P));
        CLL_DONE(cll_g1);
    }
    {
        CLL_REGION(cll_g2, cll_x_differ, 0, 0.0);
        CLL_DONE(cll_g2);
    }
    other(P);
    return 0;
}
