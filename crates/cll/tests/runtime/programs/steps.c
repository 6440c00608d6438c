/* Calls of MPI that supersteps are made of: a shift along a line, neighbors in a ring, a sum, and a message from anybody. */
#include "cll.h"
CLL_EXPERIMENT(cll_x_all, "all", "all[0]+all[1]*n", "steps.c", 3, "n", 1, "n", "", 0, 1, "m");
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, in[2], out = 7, sum = 0, left, right;
    double many[4] = { 0 }, got[4];
    MPI_Comm half;
    MPI_Status statuses[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cll_parallel(CLL_MPI, 0);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    {
        MPI_Request requests[4];
        CLL_REGION(g, cll_x_all, 1, 4.0);
        MPI_Irecv(&in[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&out, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, statuses);
        MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank + 1 < size) MPI_Send(many, 4, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
        if (rank > 0) MPI_Recv(got, 4, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CLL_DONE(g);
    }
    if (argc > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Barrier(half);
        if (rank == 0) MPI_Recv(got, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(many, 4, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum == 7 * size ? 0 : 1;
}
#include "cll_mpi.h"
