/* Panels of a factorization: each is sent to all by its owner; the rest gets smaller. Arguments: size, panels. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, size = argc > 1 ? atoi(argv[1]) : 512, panels = argc > 2 ? atoi(argv[2]) : 32;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int width = size / panels;
    double *panel = calloc(size * width, sizeof(double)), largest = 1, all;
    for (int k = 0; k < panels; k++) {
        MPI_Allreduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Bcast(panel, (size - k * width) * width, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < (size - k * width) * width; i++)
            for (int j = 0; j < width / ranks + 1; j++)
                panel[i] = panel[i] * 0.999 + 1e-3;
    }
    free(panel);
    MPI_Finalize();
    return 0;
}
