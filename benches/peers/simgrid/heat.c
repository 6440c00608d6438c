/* Heat in three dimensions: blocking exchange of faces, even coordinates send first; the update is bound by memory.
   heat CELLS STEPS PROCESSES_A_MACHINE REPETITION BYTES_A_CELL */
#include "injected.h"

#define SPEED 10e9

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 6) MPI_Abort(MPI_COMM_WORLD, 2);
    int rank, processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    double cells = atof(argv[1]), bytes = atof(argv[5]);
    int steps = atoi(argv[2]), per = atoi(argv[3]), repetition = atoi(argv[4]);
    int side = (int)floor(cbrt(processes) + 0.5);
    double length = cells / side;
    int face = 8 * (int)floor(length * length + 0.5);
    int machines = (processes + per - 1) / per;
    int placed = rank / per == machines - 1 ? processes - per * (machines - 1) : per;
    begin_noise(repetition, rank, rank / per);
    if (placed > 12) gain = 1.22;
    double bandwidth = pow(pow(1 / 7.5e9, 4) + pow(placed / 36e9, 4), -0.25);
    double update = bytes * length * length * length / bandwidth, pack = 2.0 * face / 6e9;
    /* Bound by memory: sharing the cores must not slow it down once more. */
    if (placed > 12) update *= 12 * gain / placed;
    int at[3] = { rank / (side * side), rank / side % side, rank % side }, stride[3] = { side * side, side, 1 };
    char *buffer = SMPI_SHARED_MALLOC(face + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    double started = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        for (int d = 0; d < 3; d++)
            for (int way = -1; way <= 1; way += 2) {
                int to = at[d] + way >= 0 && at[d] + way < side ? rank + way * stride[d] : -1;
                int from = at[d] - way >= 0 && at[d] - way < side ? rank - way * stride[d] : -1;
                for (int turn = 0; turn < 2; turn++) {
                    if ((at[d] % 2 == 0) == (turn == 0)) {
                        if (to < 0) continue;
                        compute(pack, SPEED);
                        MPI_Send(buffer, face, MPI_CHAR, to, d, MPI_COMM_WORLD);
                    } else if (from >= 0) {
                        MPI_Recv(buffer, face, MPI_CHAR, from, d, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    }
                }
            }
        compute(update, SPEED);
    }
    report(started, processes);
    MPI_Finalize();
    return 0;
}
