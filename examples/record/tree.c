/* A sum up a binomial tree and back down. Argument: repetitions. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, repetitions = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < repetitions; i++) {
        double sum = rank, part;
        int bit = 1;
        for (; bit < ranks && !(rank & bit); bit *= 2)
            if (rank + bit < ranks) {
                MPI_Recv(&part, 1, MPI_DOUBLE, rank + bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += part;
            }
        if (rank != 0) {
            MPI_Send(&sum, 1, MPI_DOUBLE, rank - bit, 1, MPI_COMM_WORLD);
            MPI_Recv(&sum, 1, MPI_DOUBLE, rank - bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (bit /= 2; bit > 0; bit /= 2)
            if (rank + bit < ranks)
                MPI_Send(&sum, 1, MPI_DOUBLE, rank + bit, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
