/* A message of more than 2 GiB, from where it is: process 0 to process 1. */
#include "pub.h"

int main(int argc, char **argv)
{
    t_bsp bsp;
    pub_init(&argc, &argv, &bsp);
    size_t words = ((size_t)1 << 28) + 5; /* of 8 bytes: 2 GiB and 40 bytes */
    uint64_t *data = NULL;
    if (bsp_pid(bsp) == 0) {
        data = malloc(words * sizeof *data);
        for (size_t i = 0; data && i < words; i++)
            data[i] = i * 0x9e3779b97f4a7c15u;
        bsp_hpsend(bsp, 1, data, words * sizeof *data);
    }
    bsp_oblsync(bsp, bsp_pid(bsp) == 1);
    free(data);
    if (bsp_pid(bsp) == 1) {
        t_bspmsg *message = bsp_getmsg(bsp, 0);
        const uint64_t *got = bspmsg_data(message);
        size_t wrong = bspmsg_size(message) != words * sizeof *got;
        for (size_t i = 0; wrong == 0 && i < words; i++)
            wrong += got[i] != i * 0x9e3779b97f4a7c15u;
        printf("%s big;\n", wrong == 0 ? "ok" : "wrong");
    }
    pub_exit();
    return 0;
}
