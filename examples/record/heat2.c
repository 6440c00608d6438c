/* Heat on a square of N x N points over a grid of ranks, with the norm every ten steps. Arguments: N, steps. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double *now, *next;
static int rows, columns, up, down, left, right;
static MPI_Datatype column;

static void exchange(void) {
    int w = columns + 2;
    MPI_Request r[8];
    MPI_Irecv(now + 1, columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(now + (rows + 1) * w + 1, columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(now + w, 1, column, left, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Irecv(now + w + columns + 1, 1, column, right, 3, MPI_COMM_WORLD, &r[3]);
    MPI_Isend(now + w + 1, columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[4]);
    MPI_Isend(now + rows * w + 1, columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &r[5]);
    MPI_Isend(now + w + 1, 1, column, left, 3, MPI_COMM_WORLD, &r[6]);
    MPI_Isend(now + w + columns, 1, column, right, 2, MPI_COMM_WORLD, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, q[2] = {0, 0}, n = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 200;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, q);
    int i = rank / q[1], j = rank % q[1];
    rows = n / q[0], columns = n / q[1];
    up = i > 0 ? rank - q[1] : MPI_PROC_NULL, down = i < q[0] - 1 ? rank + q[1] : MPI_PROC_NULL;
    left = j > 0 ? rank - 1 : MPI_PROC_NULL, right = j < q[1] - 1 ? rank + 1 : MPI_PROC_NULL;
    int w = columns + 2;
    now = calloc((size_t)(rows + 2) * w, sizeof *now), next = calloc((size_t)(rows + 2) * w, sizeof *next);
    MPI_Type_vector(rows, 1, w, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    now[w + 1] = rank == 0;
    for (int step = 1; step <= steps; step++) {
        double sum = 0, all;
        exchange();
        for (int y = 1; y <= rows; y++)
            for (int x = 1; x <= columns; x++) {
                next[y * w + x] = (now[(y - 1) * w + x] + now[(y + 1) * w + x] + now[y * w + x - 1] + now[y * w + x + 1]) / 4;
                sum += next[y * w + x];
            }
        double *old = now;
        now = next, next = old;
        if (step % 10 == 0)
            MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
