/* Machines as values and as pointers; two files in one program; MPI that the program itself starts. */
#include "pub.h"

int forms_other(t_bsp *bsp);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    t_bsp *bsp;
    pub_init(&argc, &argv, &bsp);
    const t_bsp copy = *bsp;
    int ends[1];
    ends[0] = bsp_nprocs(copy);
    t_bsp value, *pointer;
    bsp_partition(bsp, &value, 1, ends);
    bsp_partition(&value, &pointer, 1, ends);
    int sum = forms_other(pointer) + forms_other(&value);
    bsp_done(&pointer);
    bsp_done(&value);
    bsp_sync(copy);
    int size = 0;
    MPI_Comm_size(bsp_comm(bsp), &size);
    if (sum == size * (size - 1))
        printf("ok forms;\n");
    pub_exit();
    int is_over = 1;
    MPI_Finalized(&is_over);
    if (!is_over)
        printf("ok mine;\n");
    return MPI_Finalize();
}
