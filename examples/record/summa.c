/* A matrix product on a square of ranks: blocks of a row and of a column go to all in it. Arguments: size, repetitions. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, size = argc > 1 ? atoi(argv[1]) : 144, repetitions = argc > 2 ? atoi(argv[2]) : 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int q = (int)lround(sqrt(ranks)), n = size / q;
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, rank / q, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % q, rank, &column);
    double *a = calloc(4 * n * n, sizeof(double)), *b = a + n * n, *c = b + n * n, *d = c + n * n, sum = 0, all;
    for (int i = 0; i < n * n; i++)
        a[i] = b[i] = i;
    for (int repetition = 0; repetition < repetitions; repetition++)
        for (int k = 0; k < q; k++) {
            MPI_Bcast(a, n * n, MPI_DOUBLE, k, row);
            MPI_Bcast(b, n * n, MPI_DOUBLE, k, column);
            for (int i = 0; i < n; i++)
                for (int l = 0; l < n; l++)
                    for (int j = 0; j < n; j++)
                        d[i * n + j] += a[i * n + l] * b[l * n + j];
        }
    for (int i = 0; i < n * n; i++)
        sum += d[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
