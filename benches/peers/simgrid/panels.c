/* A dense factorization, as its messages go: ROWS ORDER BLOCK. Pivots by columns, panels along rows, swapped rows along columns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <smpi/smpi.h>
int main(int c, char **v) {
    MPI_Init(&c, &v);
    int r, p; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &p);
    int P = atoi(v[1]), Q = p / P, N = atoi(v[2]), B = atoi(v[3]);
    MPI_Comm row, col;
    int i = r / Q, j = r % Q;
    MPI_Comm_split(MPI_COMM_WORLD, i, j, &row);
    MPI_Comm_split(MPI_COMM_WORLD, j, i, &col);
    char *a = malloc((size_t)N * B * 8 + 64), *b = malloc((size_t)N * B * 8 + 64);
    double t0 = MPI_Wtime();
    for (int k = 0; k < N / B; k++) {
        int left = N - (k + 1) * B, m = left / P, n = left / Q;
        if (left <= 0) break;
        if (j == k % Q) {
            for (int s = 0; s < 4; s++) MPI_Allreduce(a, b, B, MPI_DOUBLE, MPI_SUM, col);
            smpi_execute_flops((double)m * B * B);
        }
        MPI_Bcast(a, m * B, MPI_DOUBLE, k % Q, row);
        int w = n * B / P;
        MPI_Scatter(a, w, MPI_DOUBLE, b, w, MPI_DOUBLE, k % P, col);
        MPI_Allgather(b, w, MPI_DOUBLE, a, w, MPI_DOUBLE, col);
        smpi_execute_flops(2.0 * m * n * B);
    }
    double t = MPI_Wtime() - t0, last;
    MPI_Reduce(&t, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r == 0) printf("RESULT 0 %.12f\n", last);
    MPI_Finalize();
    return 0;
}
