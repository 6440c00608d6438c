/* Calls of many kinds, for any number of ranks; the argument says which. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, next, last;
static double x[64], y[64];

static void *thread(void *number) {
    double in[4];
    MPI_Request r[2];
    for (int i = 0; i < 50; i++) {
        MPI_Irecv(in, 4, MPI_DOUBLE, last, *(int *)number, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(x, 4, MPI_DOUBLE, next, *(int *)number, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    return 0;
}

static void threads(void) {
    pthread_t t[3];
    int number[] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, thread, &number[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}

/* One function that calls MPI, called from two places and through another function: three call sites. */
static __attribute__((noinline)) void sum(double *value) {
    MPI_Allreduce(value, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *value = y[0] * 0.5;
}

static __attribute__((noinline)) void through(double *value) {
    sum(value);
    *value += 1;
}

static void callers(void) {
    for (int i = 0; i < 10; i++) {
        through(x);
        sum(x);
        sum(x);
    }
}

static void window(void) {
    MPI_Win win;
    double *base;
    MPI_Win_allocate(80, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < 10; i++) {
        MPI_Win_fence(0, win);
        MPI_Put(x, 2, MPI_DOUBLE, next, 0, 2, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
}

static void persistent(void) {
    MPI_Request r[2];
    MPI_Recv_init(y, 10, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(x, 10, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 20; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void communicators(void) {
    MPI_Comm again, cart, row;
    int dims[] = {0, 0}, periods[] = {1, 0}, keep[] = {1, 0}, flag = 0;
    MPI_Request r;
    for (int i = 0; i < 5; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &again);
        MPI_Barrier(again);
        MPI_Comm_free(&again);
    }
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Cart_sub(cart, keep, &row);
    MPI_Bcast(x, 10, MPI_DOUBLE, 0, row);
    MPI_Iallreduce(x, y, 10, MPI_DOUBLE, MPI_SUM, cart, &r);
    while (!flag)
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Pcontrol(5);
}

static void any(void) {
    MPI_Status s;
    if (rank == 0)
        for (int i = 1; i < ranks; i++)
            MPI_Recv(y, 64, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    else
        MPI_Send(x, rank, MPI_DOUBLE, 0, rank, MPI_COMM_WORLD);
}

/* Never ends by itself; the second rank comes to an end of some kind. */
static void ends(const char *how) {
    for (int i = 0; i < 20000; i++) {
        MPI_Sendrecv(x, 10, MPI_DOUBLE, next, 0, y, 10, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(500);
        if (i != 100 || rank != 1)
            continue;
        if (!strcmp(how, "abort"))
            MPI_Abort(MPI_COMM_WORLD, 7);
        if (!strcmp(how, "kill"))
            kill(getpid(), SIGKILL);
        if (!strcmp(how, "fault"))
            raise(SIGFPE);
    }
}

int main(int argc, char **argv) {
    int provided;
    const char *what = argc > 1 ? argv[1] : "any";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    if (!strcmp(what, "threads"))
        threads();
    else if (!strcmp(what, "window"))
        window();
    else if (!strcmp(what, "callers"))
        callers();
    else if (!strcmp(what, "persistent"))
        persistent();
    else if (!strcmp(what, "communicators"))
        communicators();
    else if (!strcmp(what, "any"))
        any();
    else
        ends(what);
    MPI_Finalize();
    return 0;
}
