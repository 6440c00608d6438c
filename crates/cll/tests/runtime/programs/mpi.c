/* Ranks that report together, or not. */
#include "cll.h"
CLL_EXPERIMENT(cll_x_F, "F", "F[0]+F[1]*n", "mpi.c", 3, "n", 1, "n/P", "", 0, 1, "m");
CLL_EXPERIMENT(cll_x_G, "G", "G[0]", "mpi.c", 4, "", 0, "", "", 0, 1, "m");
#ifdef APART
CLL_EXPERIMENT(cll_x_H, "H", "H[0]", "mpi.c", 5, "", 0, "", "", 0, 1, "m");
#endif
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void visits(int count)
{
    int i;
    for (i = 0; i < count; i++) {
        CLL_REGION(g1, cll_x_F, 1, (double)(i));
        CLL_DONE(g1);
    }
}

int main(int argc, char **argv)
{
    int rank, size, level;
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Comm half = MPI_COMM_NULL;
    if (!strcmp(mode, "before")) { visits(2); cll_report(0, 0); }
    if (!strcmp(mode, "threads")) MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    else MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cll_parallel(CLL_MPI, 0);
    if (!strcmp(mode, "halves")) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        { MPI_Comm cll_c = (half); cll_use_comm(&cll_c, sizeof cll_c); }
    }
    /* Different numbers of visits; G in rank 0 alone. */
    visits(!strcmp(mode, "large") ? 40000 : 3 + rank);
    if (rank == 0) {
        CLL_REGION(g2, cll_x_G, 0, 0.0);
        CLL_DONE(g2);
    }
    if (!strcmp(mode, "report") || !strcmp(mode, "halves") || !strcmp(mode, "threads") || !strcmp(mode, "large") || !strcmp(mode, "around"))
        cll_report(0, 0);
    if (!strcmp(mode, "named")) cll_report("F", "named.csv");
    if (!strcmp(mode, "some") && rank != size - 1) cll_report(0, 0);
    if (!strcmp(mode, "notroot") && rank != 0) cll_report(0, 0);
    if (!strcmp(mode, "twice")) {
        /* The last rank skips the first of two. */
        if (rank != size - 1) cll_report(0, 0);
        visits(1);
        cll_report(0, 0);
    }
    if (!strcmp(mode, "late")) {
        if (rank == 1) sleep(1);
        cll_report(0, 0);
    }
    if (!strcmp(mode, "abort")) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
        sleep(20);
    }
    if (!strcmp(mode, "exit")) exit(0);
    if (strcmp(mode, "apart")) MPI_Barrier(MPI_COMM_WORLD);
    else cll_report(0, 0);
    {
        CLL_REGION(g3, cll_x_F, 1, 100.0);
        CLL_DONE(g3);
    }
    if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
    if (!strcmp(mode, "around")) {
        CLL_REGION(g4, cll_x_G, 0, 0.0);
        MPI_Finalize();
        CLL_DONE(g4);
    } else {
        MPI_Finalize();
    }
    if (!strcmp(mode, "after")) visits(1);
    return 0;
}
#include "cll_mpi.h"
