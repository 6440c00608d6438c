/* Exchanges with the ranks that differ in one bit, over all bits. Argument: repetitions. A power of two of ranks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, repetitions = argc > 1 ? atoi(argv[1]) : 500;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double mine[16], other[16];
    for (int i = 0; i < repetitions; i++)
        for (int bit = 1; bit < ranks; bit *= 2) {
            MPI_Sendrecv(mine, 16, MPI_DOUBLE, rank ^ bit, 0, other, 16, MPI_DOUBLE, rank ^ bit, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int k = 0; k < 16; k++)
                mine[k] += other[k];
        }
    MPI_Finalize();
    return 0;
}
