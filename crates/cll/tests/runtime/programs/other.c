#include "cll.h"
CLL_EXPERIMENT(cll_x_shared, "shared", "shared[0]+shared[1]*P", "other.c", 7, "P", 1, "", "", 0, 1, "bbbb");
CLL_EXPERIMENT(cll_x_differ, "differ", "differ[0]+differ[1]*P", "other.c", 9, "P", 1, "", "", 0, 1, "bbbb");
#ifdef __cplusplus
extern "C"
#endif
void other(double P);

void other(double P)
{
    int i;
    for (i = 0; i < 2; i++) {
        CLL_REGION(cll_g1, cll_x_shared, 1, (double)(P));
        CLL_DONE(cll_g1);
    }
    {
        CLL_REGION(cll_g2, cll_x_differ, 1, (double)(P));
        CLL_DONE(cll_g2);
    }
}
