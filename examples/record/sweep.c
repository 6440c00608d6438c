/* A wave from each corner of a plane of ranks to the opposite one. Arguments: cells, sweeps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, dims[2] = {0, 0}, cells = argc > 1 ? atoi(argv[1]) : 240, sweeps = argc > 2 ? atoi(argv[2]) : 5;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    int x = rank / dims[1], y = rank % dims[1];
    double *edge = calloc(2 * cells, sizeof(double));
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (int corner = 0; corner < 4; corner++) {
            int dx = corner & 1 ? -1 : 1, dy = corner & 2 ? -1 : 1;
            int west = x - dx >= 0 && x - dx < dims[0] ? rank - dx * dims[1] : MPI_PROC_NULL;
            int east = x + dx >= 0 && x + dx < dims[0] ? rank + dx * dims[1] : MPI_PROC_NULL;
            int south = y - dy >= 0 && y - dy < dims[1] ? rank - dy : MPI_PROC_NULL;
            int north = y + dy >= 0 && y + dy < dims[1] ? rank + dy : MPI_PROC_NULL;
            MPI_Recv(edge, cells / dims[1], MPI_DOUBLE, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(edge + cells, cells / dims[0], MPI_DOUBLE, south, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < 2 * cells; i++)
                edge[i] = edge[i] * 0.5 + 1;
            MPI_Send(edge, cells / dims[1], MPI_DOUBLE, east, 1, MPI_COMM_WORLD);
            MPI_Send(edge + cells, cells / dims[0], MPI_DOUBLE, north, 2, MPI_COMM_WORLD);
        }
    free(edge);
    MPI_Finalize();
    return 0;
}
