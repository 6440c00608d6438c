/* Messages to all 26 neighbors in an open box of ranks. Arguments: cells a side, steps. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, side = argc > 1 ? atoi(argv[1]) : 24, steps = argc > 2 ? atoi(argv[2]) : 5;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int q = (int)lround(cbrt(ranks)), n = side / q, own[3] = {rank / (q * q), rank / q % q, rank % q};
    double *data = calloc(54 * n * n, sizeof(double));
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[52];
        int count = 0;
        for (int sends = 0; sends < 2; sends++)
            for (int number = 0; number < 27; number++) {
                int by[3] = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1}, to = 0, cells = 1, inside = number != 13;
                for (int dim = 0; dim < 3; dim++) {
                    int at = own[dim] + by[dim];
                    inside = inside && at >= 0 && at < q;
                    to = to * q + at;
                    cells *= by[dim] ? 1 : n;
                }
                double *place = data + (27 * sends + number) * n * n;
                if (inside && sends)
                    MPI_Isend(place, cells, MPI_DOUBLE, to, number, MPI_COMM_WORLD, &requests[count++]);
                else if (inside)
                    MPI_Irecv(place, cells, MPI_DOUBLE, to, 26 - number, MPI_COMM_WORLD, &requests[count++]);
            }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
