/* What holds for any number of processes; each scenario checks itself. Prints "ok SCENARIO" once a process. */
#include <unistd.h>
#include "pub.h"

static t_bsp all;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "rank %d, line %d: not so: %s\n", bsp_pid(all), __LINE__, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 3); \
        } \
    } while (0)

typedef struct note {
    int from, number, superstep;
} note;

static int is_note(t_bspmsg *message, int from, int number, int superstep)
{
    note n;
    if (!message || bspmsg_size(message) != sizeof n || bspmsg_src(message) != from)
        return 0;
    memcpy(&n, bspmsg_data(message), sizeof n);
    return n.from == from && n.number == number && n.superstep == superstep;
}

/* Without any message of the library: a process waits for another one outside of it. */
static void token_to(int rank)
{
    int token = 1;
    MPI_Send(&token, 1, MPI_INT, rank, 7, bsp_comm(all));
}

static void token_from(int rank)
{
    int token = 0;
    MPI_Recv(&token, 1, MPI_INT, rank, 7, bsp_comm(all), MPI_STATUS_IGNORE);
    CHECK(token == 1);
}

/* By sender, then in order of sending; oneself, too. */
static void order(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    for (int superstep = 0; superstep < 5; superstep++) {
        for (int number = 0; number < 3; number++) {
            for (int to = processes - 1; to >= 0; to--) {
                note n = {me, number, superstep};
                bsp_send(all, to, &n, sizeof n);
                n.number = -1; /* it was copied */
            }
        }
        bsp_oblsync(all, 3 * processes);
        CHECK(bsp_nmsgs(all) == 3 * processes);
        for (int k = 0; k < 3 * processes; k++)
            CHECK(is_note(bsp_getmsg(all, k), k / 3, k % 3, superstep));
        CHECK(bsp_getmsg(all, 3 * processes) == NULL && bsp_getmsg(all, -1) == NULL);
    }
    bsp_oblsync(all, 0);
    CHECK(bsp_nmsgs(all) == 0 && bsp_getmsg(all, 0) == NULL);
}

/* bsp_sync finds out by itself how many messages there are. */
static void barrier(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    for (int superstep = 0; superstep < 10; superstep++) {
        for (int to = 0; to < processes; to++) {
            for (int number = 0; number < (me + 2 * to + superstep) % 4; number++) {
                note n = {me, number, superstep};
                bsp_send(all, to, &n, sizeof n);
            }
        }
        bsp_sync(all);
        int k = 0;
        for (int from = 0; from < processes; from++) {
            for (int number = 0; number < (from + 2 * me + superstep) % 4; number++)
                CHECK(is_note(bsp_getmsg(all, k++), from, number, superstep));
        }
        CHECK(bsp_nmsgs(all) == k);
    }
}

/* Nobody leaves bsp_sync before all are there. */
static void is_barrier(void)
{
    double arrived = 0, left;
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    bsp_sync(all);
    if (me == processes - 1)
        usleep(100000);
    arrived = MPI_Wtime();
    bsp_sync(all);
    left = MPI_Wtime();
    double last = 0, first = 0;
    MPI_Allreduce(&arrived, &last, 1, MPI_DOUBLE, MPI_MAX, bsp_comm(all));
    MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MIN, bsp_comm(all));
    CHECK(first >= last); /* one machine, one clock */
}

/* Process 0 does all its supersteps, partitions included, before the others begin: nothing of it waits. */
static void early(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    int ends[1] = {processes};
    t_bsp part;
    if (me != 0)
        token_from(0);
    for (int superstep = 0; superstep < 4; superstep++) {
        if (me == 0) {
            for (int to = 1; to < processes; to++) {
                for (int number = 0; number <= superstep; number++) {
                    note n = {0, number, superstep};
                    bsp_send(all, to, &n, sizeof n);
                }
            }
        }
        bsp_oblsync(all, me == 0 ? 0 : superstep + 1);
        for (int k = 0; me != 0 && k <= superstep; k++)
            CHECK(is_note(bsp_getmsg(all, k), 0, k, superstep));
        bsp_partition(all, &part, 1, ends);
        for (int inner = 0; inner < 3; inner++) {
            note n = {0, inner, superstep};
            for (int to = 1; me == 0 && to < processes; to++)
                bsp_send(part, to, &n, sizeof n);
            bsp_oblsync(part, me != 0);
            CHECK(me == 0 || is_note(bsp_getmsg(part, 0), 0, inner, superstep));
        }
        bsp_done(&part);
    }
    for (int to = 1; me == 0 && to < processes; to++)
        token_to(to);
    bsp_sync(all);
}

/* A count of bsp_sync may be too early, too. */
static void early_sync(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    int ends[1] = {processes};
    t_bsp part;
    for (int i = 0; i < 5; i++) {
        if (me % 2 == 1)
            usleep(2000);
        bsp_partition(all, &part, 1, ends);
        note n = {me, i, 0};
        bsp_send(part, (me + 1) % processes, &n, sizeof n);
        bsp_sync(part);
        CHECK(bsp_nmsgs(part) == 1 && is_note(bsp_getmsg(part, 0), (me + processes - 1) % processes, i, 0));
        bsp_done(&part);
    }
    bsp_sync(all);
}

/* A ring in the machine, then in its parts, {first one, the others}, until there is but one process. */
static void ring(const t_bsp *bsp, int depth)
{
    int me = bsp_pid(bsp), processes = bsp_nprocs(bsp);
    note n = {me, depth, processes};
    bsp_send(bsp, (me + 1) % processes, &n, sizeof n);
    if (processes > 1) {
        int ends[2] = {1, processes};
        t_bsp part;
        bsp_partition(bsp, &part, 2, ends);
        CHECK(bsp_nprocs(part) == (me == 0 ? 1 : processes - 1) && bsp_pid(part) == (me == 0 ? 0 : me - 1));
        ring(&part, depth + 1);
        bsp_done(&part);
    }
    bsp_oblsync(bsp, 1);
    CHECK(is_note(bsp_getmsg(bsp, 0), (me + processes - 1) % processes, depth, processes));
}

static void nested(void)
{
    for (int i = 0; i < 3; i++)
        ring(&all, 0);
    bsp_sync(all);
}

/* The same ranges again and again: process 0 of each group runs ahead. */
static void successive(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    int ends[2] = {(processes + 1) / 2, processes};
    int groups = processes > 1 ? 2 : 1;
    for (int i = 0; i < 500; i++) {
        t_bsp part;
        bsp_partition(all, &part, groups, ends);
        int mine = bsp_pid(part), others = bsp_nprocs(part);
        note n = {mine, i, me};
        for (int to = 1; mine == 0 && to < others; to++)
            bsp_send(part, to, &n, sizeof n);
        bsp_oblsync(part, mine != 0);
        CHECK(mine == 0 || is_note(bsp_getmsg(part, 0), 0, i, me - mine));
        bsp_done(&part);
        if (me == processes - 1 && i % 100 == 0)
            usleep(1000);
    }
    bsp_sync(all);
}

/* Unequal groups, each in its own number of supersteps. */
static void unequal(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    int ends[8], groups = 0;
    for (int end = 1; end < processes; end += groups)
        ends[groups++] = end;
    ends[groups++] = processes;
    t_bsp part;
    bsp_partition(all, &part, groups, ends);
    int group = 0;
    while (me >= ends[group])
        group++;
    CHECK(bsp_nprocs(part) == ends[group] - (group > 0 ? ends[group - 1] : 0));
    CHECK(bsp_pid(part) == me - (group > 0 ? ends[group - 1] : 0));
    for (int superstep = 0; superstep <= 3 * group; superstep++) {
        note n = {bsp_pid(part), group, superstep};
        for (int to = 0; to < bsp_nprocs(part); to++)
            bsp_send(part, to, &n, sizeof n);
        bsp_oblsync(part, bsp_nprocs(part));
        for (int k = 0; k < bsp_nprocs(part); k++)
            CHECK(is_note(bsp_getmsg(part, k), k, group, superstep));
    }
    bsp_done(&part);
    bsp_sync(all);
}

/* Two parts of one machine that are open at the same time. */
static void side_by_side(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    int ends[1] = {processes};
    t_bsp *left, *right;
    bsp_partition(all, &left, 1, ends);
    bsp_partition(all, &right, 1, ends);
    for (int i = 0; i < 3; i++) {
        note a = {me, 1, i}, b = {me, 2, i};
        bsp_send(right, (me + 1) % processes, &b, sizeof b);
        bsp_send(left, (me + 1) % processes, &a, sizeof a);
        bsp_oblsync(left, 1);
        bsp_oblsync(right, 1);
        CHECK(is_note(bsp_getmsg(left, 0), (me + processes - 1) % processes, 1, i));
        CHECK(is_note(bsp_getmsg(right, 0), (me + processes - 1) % processes, 2, i));
    }
    bsp_done(&left);
    bsp_done(&right);
    CHECK(left == NULL && right == NULL);
    bsp_sync(all);
}

static unsigned char byte_of(size_t at, int from, int number) { return (unsigned char)(at * 7 + at / 251 + (size_t)(from * 31 + number)); }

/* Sizes around the borders of pieces, among them none at all; both ways of sending. */
static void sizes(void)
{
    static const size_t bytes[] = {0, 1, PUB_INLINE_BYTES - 1, PUB_INLINE_BYTES, PUB_INLINE_BYTES + 1, PUB_CHUNK_BYTES - 1,
                                   PUB_CHUNK_BYTES, PUB_CHUNK_BYTES + 1, 2 * PUB_CHUNK_BYTES, 100 * PUB_CHUNK_BYTES + 3};
    enum { KINDS = sizeof bytes / sizeof *bytes };
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    unsigned char *data[KINDS];
    for (int is_lent = 0; is_lent < 2; is_lent++) {
        for (int i = 0; i < KINDS; i++) {
            data[i] = bytes[i] > 0 ? malloc(bytes[i]) : NULL;
            for (size_t at = 0; at < bytes[i]; at++)
                data[i][at] = byte_of(at, me, i);
            for (int to = 0; to < processes; to++) {
                if (is_lent)
                    bsp_hpsend(all, to, data[i], bytes[i]);
                else
                    bsp_send(all, to, data[i], bytes[i]);
            }
            if (!is_lent && bytes[i] > 0)
                memset(data[i], 0xee, bytes[i]);
        }
        bsp_oblsync(all, KINDS * processes);
        for (int i = 0; i < KINDS; i++) {
            if (is_lent && bytes[i] > 0)
                memset(data[i], 0xee, bytes[i]);
            free(data[i]);
        }
        for (int k = 0; k < KINDS * processes; k++) {
            t_bspmsg *message = bsp_getmsg(all, k);
            const unsigned char *got = bspmsg_data(message);
            CHECK(bspmsg_src(message) == k / KINDS && bspmsg_size(message) == bytes[k % KINDS] && got != NULL);
            for (size_t at = 0; at < bytes[k % KINDS]; at++)
                CHECK(got[at] == byte_of(at, k / KINDS, k % KINDS));
        }
    }
}

/* What was received is sent on, from where it is; after bsp_done it is still there until the parent synchronizes. */
static void pass_on(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all), last = (me + processes - 1) % processes;
    int ends[1] = {processes};
    size_t bytes = 3 * PUB_CHUNK_BYTES;
    unsigned char *mine = malloc(bytes);
    for (size_t at = 0; at < bytes; at++)
        mine[at] = byte_of(at, me, 0);
    t_bsp part;
    bsp_partition(all, &part, 1, ends);
    bsp_hpsend(part, (me + 1) % processes, mine, bytes);
    bsp_oblsync(part, 1);
    for (int i = 1; i < processes; i++) {
        bsp_hpsend(part, (me + 1) % processes, bspmsg_data(bsp_getmsg(part, 0)), bytes);
        bsp_oblsync(part, 1);
    }
    const unsigned char *round = bspmsg_data(bsp_getmsg(part, 0));
    CHECK(bspmsg_src(bsp_getmsg(part, 0)) == last);
    bsp_done(&part);
    for (size_t at = 0; at < bytes; at++)
        CHECK(round[at] == byte_of(at, me, 0));
    free(mine);
    bsp_sync(all);
}

/* A buffer that was lent is free after the synchronization, whenever the receiver comes. */
static void lent(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    size_t bytes = 2000003;
    unsigned char *data = malloc(bytes);
    if (me == 0) {
        for (size_t at = 0; at < bytes; at++)
            data[at] = byte_of(at, 0, 0);
        for (int to = 1; to < processes; to++)
            bsp_hpsend(all, to, data, bytes);
    } else {
        usleep(50000);
    }
    bsp_oblsync(all, me != 0);
    memset(data, 0xee, bytes);
    if (me != 0) {
        const unsigned char *got = bspmsg_data(bsp_getmsg(all, 0));
        for (size_t at = 0; at < bytes; at++)
            CHECK(got[at] == byte_of(at, 0, 0));
    }
    free(data);
    bsp_sync(all);
}

/* Everybody sends much to all before anybody receives. */
static void flood(void)
{
    int me = bsp_pid(all), processes = bsp_nprocs(all);
    enum { MANY = 200, WORDS = 20000 };
    static int words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = me + i;
    for (int to = 0; to < processes; to++) {
        for (int i = 0; i < MANY; i++)
            bsp_send(all, to, &i, sizeof i);
        for (int i = 0; i < 4; i++)
            bsp_hpsend(all, to, words, sizeof words);
    }
    bsp_sync(all);
    CHECK(bsp_nmsgs(all) == (MANY + 4) * processes);
    for (int k = 0; k < bsp_nmsgs(all); k++) {
        int number = k % (MANY + 4);
        const int *data = bspmsg_data(bsp_getmsg(all, k));
        if (number < MANY)
            CHECK(data[0] == number);
        else
            CHECK(data[0] == k / (MANY + 4) && data[WORDS - 1] == data[0] + WORDS - 1);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {{"order", order}, {"barrier", barrier}, {"is_barrier", is_barrier}, {"early", early},
                     {"early_sync", early_sync}, {"nested", nested}, {"successive", successive}, {"unequal", unequal},
                     {"side_by_side", side_by_side}, {"sizes", sizes}, {"pass_on", pass_on}, {"lent", lent}, {"flood", flood}};
    pub_init(&argc, &argv, &all);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        scenarios[i].run();
        printf("ok %s;\n", scenarios[i].name);
    }
    pub_exit();
    return 0;
}
