/* A Fourier transform by columns: a transpose before and after each step. Arguments: numbers, steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, all = argc > 1 ? atoi(argv[1]) : 16384, steps = argc > 2 ? atoi(argv[2]) : 6;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int own = all / ranks, block = own / ranks;
    double *from = calloc(2 * own, sizeof(double)), *to = from + own;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < own; i++)
            for (int j = 0; j < 20; j++)
                from[i] = from[i] * 0.99 + 1;
        MPI_Alltoall(from, block, MPI_DOUBLE, to, block, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Alltoall(to, block, MPI_DOUBLE, from, block, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    free(from);
    MPI_Finalize();
    return 0;
}
