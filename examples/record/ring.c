/* A token goes around a ring of ranks: cc: mpicc ring.c -o ring; arguments: rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, rounds = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    static double token[128];
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int round = 0; round < rounds; round++) {
        if (rank == 0)
            MPI_Send(token, 128, MPI_DOUBLE, next, 7, MPI_COMM_WORLD);
        MPI_Recv(token, 128, MPI_DOUBLE, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token[0] += rank;
        if (rank != 0)
            MPI_Send(token, 128, MPI_DOUBLE, next, 7, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%g\n", token[0]);
    MPI_Finalize();
    return 0;
}
