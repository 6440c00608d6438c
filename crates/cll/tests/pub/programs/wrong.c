/* Mistakes; each ends with an error, none with a hang. Two processes. */
#include "pub.h"

static void token(t_bsp bsp, int from, int to)
{
    int word = 0;
    if (bsp_pid(bsp) == from)
        MPI_Send(&word, 1, MPI_INT, to, 7, bsp_comm(bsp));
    else if (bsp_pid(bsp) == to)
        MPI_Recv(&word, 1, MPI_INT, from, 7, bsp_comm(bsp), MPI_STATUS_IGNORE);
}

/* Two messages of one superstep, where process 1 waits for one: the second when it has gone on. */
static void two_for_one(t_bsp bsp)
{
    int me = bsp_pid(bsp);
    if (me == 0)
        bsp_send(bsp, 1, &me, sizeof me);
    else
        bsp_oblsync(bsp, 1);
    token(bsp, 1, 0);
    if (me == 0) {
        bsp_send(bsp, 1, &me, sizeof me);
        bsp_oblsync(bsp, 0);
    }
    token(bsp, 0, 1);
}

int main(int argc, char **argv)
{
    t_bsp bsp, part;
    int ends[2] = {1, 2}, whole[1] = {2}, falling[2] = {1, 1}, short_of[1] = {1};
    pub_init(&argc, &argv, &bsp);
    int me = bsp_pid(bsp);
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "late-oblsync") == 0) {
        two_for_one(bsp);
        /* Whether it has arrived yet is up to MPI: the superstep after next, at the latest, is behind it. */
        if (me == 0)
            bsp_send(bsp, 1, &me, sizeof me);
        bsp_oblsync(bsp, me);
        puts("not reached by process 1");
    } else if (strcmp(what, "late-sync") == 0) {
        two_for_one(bsp);
        bsp_sync(bsp);
    } else if (strcmp(what, "late-exit") == 0) {
        two_for_one(bsp);
    } else if (strcmp(what, "at-once") == 0) {
        bsp_oblsync(bsp, 0);
        for (int i = 0; me == 0 && i < 3; i++)
            bsp_send(bsp, 1, &me, sizeof me);
        token(bsp, 0, 1);
        bsp_oblsync(bsp, me);
        bsp_sync(bsp);
    } else if (strcmp(what, "part") == 0) {
        bsp_partition(bsp, &part, 1, whole);
        for (int i = 0; me == 0 && i < 2; i++)
            bsp_send(part, 1, &me, sizeof me);
        bsp_oblsync(part, me);
        bsp_done(&part);
        bsp_sync(bsp);
    } else if (strcmp(what, "few") == 0) {
        if (me == 0)
            bsp_send(bsp, 1, &me, sizeof me);
        bsp_oblsync(bsp, 2 * me);
    } else if (strcmp(what, "few-sync") == 0) {
        if (me == 1)
            bsp_sync(bsp);
    } else if (strcmp(what, "both-wait") == 0) {
        bsp_oblsync(bsp, 1);
    } else if (strcmp(what, "no-sync") == 0) {
        if (me == 0)
            bsp_send(bsp, 1, &me, sizeof me);
    } else if (strcmp(what, "to") == 0) {
        bsp_send(bsp, 2, &me, sizeof me);
    } else if (strcmp(what, "falling") == 0) {
        bsp_partition(bsp, &part, 2, falling);
    } else if (strcmp(what, "short") == 0) {
        bsp_partition(bsp, &part, 1, short_of);
    } else if (strcmp(what, "negative") == 0) {
        bsp_oblsync(bsp, -1);
    } else if (strcmp(what, "open") == 0) {
        bsp_partition(bsp, &part, 2, ends);
    } else if (strcmp(what, "root-done") == 0) {
        bsp_done(&bsp);
    } else if (strcmp(what, "used-up") == 0) {
        bsp_partition(bsp, &part, 2, ends);
        bsp_done(&part);
        bsp_sync(part);
    } else if (strcmp(what, "no-message") == 0) {
        bspmsg_data(bsp_getmsg(bsp, 0));
    }
    pub_exit();
    puts("ended;");
    return 0;
}
