/* A sort by samples: everyone sends everyone a part whose size follows the data. Arguments: numbers a rank, rounds. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, own = argc > 1 ? atoi(argv[1]) : 2000, rounds = argc > 2 ? atoi(argv[2]) : 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *counts = calloc(4 * ranks, sizeof(int)), *starts = counts + ranks, *into = starts + ranks, *at = into + ranks;
    int *numbers = malloc(own * sizeof(int));
    unsigned seed = 17 * rank + 1;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < ranks; i++)
            counts[i] = 0;
        for (int i = 0; i < own; i++) {
            seed = seed * 1103515245u + 12345u;
            counts[(seed >> 8) % ranks]++;
            numbers[i] = (int)seed;
        }
        MPI_Alltoall(counts, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD);
        int all = 0;
        for (int i = 0; i < ranks; i++) {
            starts[i] = i > 0 ? starts[i - 1] + counts[i - 1] : 0;
            at[i] = all;
            all += into[i];
        }
        int *got = malloc((all + 1) * sizeof(int));
        MPI_Alltoallv(numbers, counts, starts, MPI_INT, got, into, at, MPI_INT, MPI_COMM_WORLD);
        free(got);
    }
    MPI_Finalize();
    return 0;
}
