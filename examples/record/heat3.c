/* Faces of a periodic box on a Cartesian grid of ranks; a sum each fifth step. Arguments: cells a side, steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, side = argc > 1 ? atoi(argv[1]) : 36;
    int steps = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, dims);
    MPI_Comm box;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &box);
    double *face = calloc(12 * side * side, sizeof(double)), sum = 1, all;
    for (int step = 1; step <= steps; step++) {
        MPI_Request requests[12];
        int count = 0;
        for (int sends = 0; sends < 2; sends++)
            for (int dim = 0; dim < 3; dim++) {
                int down, up, cells = side / dims[(dim + 1) % 3] * (side / dims[(dim + 2) % 3]);
                MPI_Cart_shift(box, dim, 1, &down, &up);
                double *at = face + (6 * sends + 2 * dim) * side * side;
                if (sends) {
                    MPI_Isend(at, cells, MPI_DOUBLE, down, 2 * dim, box, &requests[count++]);
                    MPI_Isend(at + side * side, cells, MPI_DOUBLE, up, 2 * dim + 1, box, &requests[count++]);
                } else {
                    MPI_Irecv(at, cells, MPI_DOUBLE, up, 2 * dim, box, &requests[count++]);
                    MPI_Irecv(at + side * side, cells, MPI_DOUBLE, down, 2 * dim + 1, box, &requests[count++]);
                }
            }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 12 * side * side; i++)
            face[i] = face[i] * 0.5 + 1;
        if (step % 5 == 0)
            MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(face);
    MPI_Finalize();
    return 0;
}
