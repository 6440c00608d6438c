/* Ranks of MPI: a region that all enter, and one that only rank 1 enters. */
#include <mpi.h>
#include <stdio.h>
#pragma cll parallel MPI

int main(int argc, char **argv)
{
    int rank, all = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma parallel MPI MPI_COMM_WORLD
    for (int n = 1; n <= 4; n++) {
#pragma cll together together[0] + together[1]*n/P
        MPI_Allreduce(&n, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma cll end together
        sum += all / 2;
    }
    for (int n = 0; n < 3 * rank; n++) {
#pragma cll own own[0]*n
        sum += 0;
#pragma cll end own
    }
#pragma cll report all
    if (rank == 0) printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
