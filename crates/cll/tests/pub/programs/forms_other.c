/* The other file. */
#include "pub.h"

/* The sum of the numbers of all processes. */
int forms_other(t_bsp *bsp)
{
    int me = bsp_pid(bsp), sum = 0;
    for (int to = 0; to < bsp_nprocs(*bsp); to++)
        bsp_send(*bsp, to, &me, sizeof me);
    bsp_sync(bsp);
    for (int k = 0; k < bsp_nmsgs(bsp); k++)
        sum += *(const int *)bspmsg_data(bsp_getmsg(bsp, k));
    return sum;
}
