/* Neighbors at random, as in a graph without order: no structure is to be found. Argument: steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, steps = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned seed = 12345 + ranks;
    for (int step = 0; step < steps; step++) {
        /* The same permutation on every rank: a walk through all by a random stride. */
        seed = seed * 1103515245u + 12345u;
        int shift = 1 + (seed >> 16) % (ranks - 1), own = step, other = 0;
        for (int turn = 0; turn < 3; turn++)
            MPI_Sendrecv(&own, 1, MPI_INT, (rank + shift * (turn + 1)) % ranks, 1, &other, 1, MPI_INT,
                         (rank + ranks * 3 - shift * (turn + 1)) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
