/* Jobs of 1.6 MB to slaves on demand, results of 80 kB back.
   mslave JOBS REPETITION SECONDS_A_JOB SECONDS_A_RESULT */
#include "injected.h"

#define SPEED 4e9

enum { OUT = 1600000, BACK = 80000, JOB = 1, RESULT = 2, END = 3 };

static void master(int jobs, int slaves, double collect, char *buffer)
{
    MPI_Request *first = malloc(slaves * sizeof *first);
    int given = 0, done = 0;
    for (; given < slaves && given < jobs; given++)
        MPI_Isend(buffer, OUT, MPI_CHAR, given + 1, JOB, MPI_COMM_WORLD, &first[given]);
    int started = given;
    while (done < jobs) {
        MPI_Status status;
        MPI_Recv(buffer, BACK, MPI_CHAR, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        done++;
        compute(collect, SPEED);
        if (given < jobs) {
            MPI_Send(buffer, OUT, MPI_CHAR, status.MPI_SOURCE, JOB, MPI_COMM_WORLD);
            given++;
        }
    }
    MPI_Waitall(started, first, MPI_STATUSES_IGNORE);
    for (int slave = 1; slave <= slaves; slave++) MPI_Send(buffer, 0, MPI_CHAR, slave, END, MPI_COMM_WORLD);
    free(first);
}

static void slave(double work, char *buffer)
{
    for (;;) {
        MPI_Status status;
        MPI_Recv(buffer, OUT, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == END) return;
        compute(work, SPEED);
        MPI_Send(buffer, BACK, MPI_CHAR, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
    int rank, processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    begin_noise(atoi(argv[2]), rank, rank);
    char *buffer = SMPI_SHARED_MALLOC(OUT);
    MPI_Barrier(MPI_COMM_WORLD);
    double started = MPI_Wtime();
    if (rank == 0)
        master(atoi(argv[1]), processes - 1, atof(argv[4]), buffer);
    else
        slave(atof(argv[3]), buffer);
    report(started, processes - 1);
    MPI_Finalize();
    return 0;
}
