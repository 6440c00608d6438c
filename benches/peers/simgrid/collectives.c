/* A collective among all ranks: OPERATION BYTES. Bytes as runcast counts them: allgather the result; scatter and gather all blocks;
 * alltoall the data of a rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int c, char **v) {
    MPI_Init(&c, &v);
    int r, p; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &p);
    const char *op = v[1]; long n = atol(v[2]);
    char *a = calloc(n * 2 + 64 * p, 1), *b = calloc(n * 2 + 64 * p, 1);
    int *cnt = malloc(sizeof(int) * p);
    for (int i = 0; i < p; i++) cnt[i] = n / p;
    double t0 = MPI_Wtime();
    if (!strcmp(op, "bcast")) MPI_Bcast(a, n, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (!strcmp(op, "reduce")) MPI_Reduce(a, b, n, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    else if (!strcmp(op, "allreduce")) MPI_Allreduce(a, b, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    else if (!strcmp(op, "allgather")) MPI_Allgather(a, n / p, MPI_BYTE, b, n / p, MPI_BYTE, MPI_COMM_WORLD);
    else if (!strcmp(op, "alltoall")) MPI_Alltoall(a, n / p, MPI_BYTE, b, n / p, MPI_BYTE, MPI_COMM_WORLD);
    else if (!strcmp(op, "gather")) MPI_Gather(a, n / p, MPI_BYTE, b, n / p, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (!strcmp(op, "scatter")) MPI_Scatter(a, n / p, MPI_BYTE, b, n / p, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (!strcmp(op, "reduce_scatter")) MPI_Reduce_scatter(a, b, cnt, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    else if (!strcmp(op, "scan")) MPI_Scan(a, b, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    else if (!strcmp(op, "exscan")) MPI_Exscan(a, b, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    else if (!strcmp(op, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
    else return 1;
    double t = MPI_Wtime() - t0, last;
    MPI_Reduce(&t, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r == 0) printf("RESULT 0 %.12f\n", last);
    MPI_Finalize();
    return 0;
}
