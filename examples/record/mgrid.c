/* V-cycles over a line of cells: on level k every 2^k-th rank works, with neighbors 2^k away; ranks are a power of two.
 * Arguments: cells, cycles. */
#include <mpi.h>
#include <stdlib.h>

static int rank, ranks, cells;
static double *values;

static void smooth(int step) {
    if (rank % step)
        return;
    int count = cells / step, left = rank - step, right = rank + step;
    left = left < 0 ? MPI_PROC_NULL : left;
    right = right >= ranks ? MPI_PROC_NULL : right;
    MPI_Sendrecv(values, count, MPI_DOUBLE, left, 1, values + cells, count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(values, count, MPI_DOUBLE, right, 2, values + cells, count, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        values[i] = values[i] * 0.5 + values[cells + i] * 0.25 + 1e-3;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int cycles = argc > 2 ? atoi(argv[2]) : 5;
    cells = argc > 1 ? atoi(argv[1]) : 4096;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    values = calloc(2 * cells, sizeof(double));
    double norm = 1, all;
    for (int cycle = 0; cycle < cycles; cycle++) {
        for (int step = 1; step <= ranks; step *= 2)
            smooth(step);
        for (int step = ranks; step > 0; step /= 2)
            smooth(step);
        MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(values);
    MPI_Finalize();
    return 0;
}
