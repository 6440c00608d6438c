/* A master gives out tasks, workers return results in any order. Arguments: tasks, steps of work in each. */
#include <mpi.h>
#include <stdlib.h>

static double work(int steps) {
    double x = 1.5;
    for (int i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, tasks = argc > 1 ? atoi(argv[1]) : 200, steps = argc > 2 ? atoi(argv[2]) : 1000;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Status status;
    double result = 0;
    if (rank == 0) {
        int given = 0, none = -1;
        for (int worker = 1; worker < ranks; worker++, given++)
            MPI_Send(given < tasks ? &given : &none, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
        for (int done = 0; done < tasks; done++) {
            MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            MPI_Send(given < tasks ? &given : &none, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
            given++;
        }
    } else
        for (;;) {
            int task;
            MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (task < 0)
                break;
            result = work(steps);
            MPI_Send(&result, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    MPI_Finalize();
    return 0;
}
