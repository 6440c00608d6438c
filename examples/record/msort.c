/* Numbers go down a binomial tree in halves, are sorted, and come back merged. Arguments: numbers, repetitions. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int less(const void *a, const void *b) {
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, all = argc > 1 ? atoi(argv[1]) : 4096, repetitions = argc > 2 ? atoi(argv[2]) : 4;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *own = malloc(2 * all * sizeof(int)), *other = own + all, part = all / ranks;
    for (int repetition = 0; repetition < repetitions; repetition++) {
        int bit = 1;
        while (bit < ranks && !(rank & bit))
            bit *= 2;
        for (int i = 0; i < all && rank == 0; i++)
            own[i] = i * 7919 % all;
        if (rank != 0)
            MPI_Recv(own, bit * part, MPI_INT, rank - bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int half = bit / 2; half > 0; half /= 2)
            MPI_Send(own + half * part, half * part, MPI_INT, rank + half, 1, MPI_COMM_WORLD);
        qsort(own, part, sizeof(int), less);
        for (int half = 1; half < bit; half *= 2) {
            MPI_Recv(other, half * part, MPI_INT, rank + half, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            memcpy(own + half * part, other, half * part * sizeof(int));
            qsort(own, 2 * half * part, sizeof(int), less);
        }
        if (rank != 0)
            MPI_Send(own, bit * part, MPI_INT, rank - bit, 2, MPI_COMM_WORLD);
    }
    free(own);
    MPI_Finalize();
    return 0;
}
