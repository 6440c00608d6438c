/* pub.h: bulk-synchronous programs in the style of the Paderborn BSP library, over MPI.
 *
 * A machine is a group of processes with numbers 0..nprocs-1. pub_init makes the machine of all processes,
 * bsp_partition splits a machine into groups, each a machine of its own, and bsp_done goes back. Both are local: nothing is
 * sent and nobody waits. A message belongs to the superstep of its machine in which it is sent, and can be read after the
 * synchronization that ends this superstep:
 *
 *   bsp_oblsync(bsp, n)   ends when n messages of this superstep of this machine are here, whatever the others do;
 *   bsp_sync(bsp)         ends when all of the machine are here, with all messages that were sent in this superstep.
 *
 * How it works. Each machine is named by its path: which partition of its parent (counted), which group. A message carries
 * path, superstep, sender and its number among those to the same receiver; what comes early is kept until its superstep is
 * reached. All traffic is on a communicator of its own. Large messages go in pieces, straight into their place.
 *
 * bsp and sub may be a `t_bsp` or a `t_bsp *`, as you like. C11 or C++11. One thread only calls these functions.
 *
 *   void          pub_init(int *argc, char ***argv, t_bsp *bsp)           starts MPI if nobody has; collective
 *   void          pub_exit(void)                                          collective; ends MPI if pub_init started it
 *   int           bsp_nprocs(bsp), bsp_pid(bsp)
 *   void          bsp_partition(bsp, t_bsp *sub, int groups, const int *ends)  cumulative ends: {1, 3} is {0}, {1, 2}
 *   void          bsp_done(t_bsp *sub)
 *   void          bsp_send(bsp, int to, const void *data, size_t bytes)   copies
 *   void          bsp_hpsend(bsp, int to, const void *data, size_t bytes) data stay untouched until the next
 *                                                                         synchronization, which ends when they are on
 *                                                                         their way: large ones when the receiver, too, is
 *                                                                         in a function of this library
 *   void          bsp_oblsync(bsp, int messages)
 *   void          bsp_sync(bsp)
 *   int           bsp_nmsgs(bsp)                                          messages of the last synchronization
 *   t_bspmsg *    bsp_getmsg(bsp, int k)                                  k = 0..: by sender, then in order of sending;
 *                                                                         valid until the next synchronization of this
 *                                                                         machine (after bsp_done: of its parent); NULL
 *                                                                         if there are not as many
 *   const void *  bspmsg_data(msg)
 *   size_t        bspmsg_size(msg)
 *   int           bspmsg_src(msg)
 *   MPI_Comm      bsp_comm(bsp)                                           of all processes, for libraries
 *
 * A mistake ends the program by MPI_Abort, after a line that says who, where and what. More messages than bsp_oblsync was
 * told are found at the next synchronization of the receiver after their arrival, at the latest in pub_exit. Who waits for
 * messages that nobody can send any more, since all others have ended, is told so. PUB_TIMEOUT=SECONDS in the environment
 * does the same to every wait that lasts longer.
 */
#ifndef PUB_H
#define PUB_H

#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages up to this size travel in one piece with their address. */
#ifndef PUB_INLINE_BYTES
#define PUB_INLINE_BYTES 4096
#endif
/* The largest piece: MPI counts by int. */
#ifndef PUB_CHUNK_BYTES
#define PUB_CHUNK_BYTES 1073741824
#endif

#if defined __clang__ || defined __GNUC__
#define PUB_SHARED __attribute__((weak))
#define PUB_FORMAT __attribute__((format(printf, 2, 3)))
#define PUB_FORMAT_AT(n) __attribute__((format(printf, n, n + 1)))
#define PUB_NORETURN __attribute__((noreturn))
#else
#error "pub.h needs gcc or clang"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of cll.h, where the program has regions: CLL_BSP=1 records what the processes do. */
extern void cll_superstep_(int rank, int processes, const char *text) __attribute__((weak));

/* ---- types ---- */

typedef struct bsp_machine bsp_machine;
typedef struct t_bspmsg t_bspmsg;

/* A machine as its user holds it; may be copied. */
typedef struct t_bsp {
    bsp_machine *machine;
} t_bsp;

/* One step of a path: the how-manieth partition of the parent, and the group in it. */
typedef struct bsp_step {
    uint64_t partition;
    uint64_t group;
} bsp_step;

enum pub_kind { PUB_DATA = 1, PUB_COUNT = 2, PUB_BYE = 3 };
enum pub_tag { PUB_TAG_HEAD = 1, PUB_TAG_PIECE = 2 };

/* What goes before every message; behind it `depth` steps, then the data if they are few. */
typedef struct pub_head {
    uint32_t kind;
    uint32_t source;    /* number in the machine */
    uint64_t depth;
    uint64_t superstep;
    uint64_t order;     /* PUB_DATA: number among those to this receiver; PUB_COUNT: how many there were */
    uint64_t bytes;
} pub_head;

struct t_bspmsg {
    t_bspmsg *next;
    uint64_t superstep;
    uint64_t order;
    size_t bytes;
    size_t pieces;      /* still to come */
    bsp_machine *machine;
    bsp_step *path;     /* of a message that is too early for its machine */
    size_t depth;
    int source;
    int source_rank;
    max_align_t align;  /* the data are behind it */
};

/* What a process has told how many messages it has sent: bsp_sync. */
typedef struct bsp_told {
    struct bsp_told *next;
    uint64_t superstep;
    uint64_t messages;
    int source;
} bsp_told;

struct bsp_machine {
    t_bsp handle;
    bsp_machine *next;      /* of all that are open */
    bsp_machine *parent;
    bsp_machine *ended;     /* parts that are done, with messages that are valid until our next synchronization */
    bsp_step *path;
    size_t depth;
    int first;              /* rank of process 0 */
    int processes;
    int me;
    uint64_t superstep;     /* that is going on, from 1 */
    uint64_t partitions;    /* so far */
    uint64_t *sent;         /* in this superstep, to each */
    t_bspmsg *inbox;        /* of this superstep and later ones */
    uint64_t announced;     /* messages of this superstep whose address is here */
    uint64_t complete;      /* those whose data are here, too */
    bsp_told *told;
    t_bspmsg **read;        /* of the last superstep, in order */
    size_t read_count;
    uint64_t last_expected; /* by the last synchronization */
    size_t lent;            /* pieces on their way in buffers of the user */
    bsp_step last_part;     /* which part ended last, in its superstep, with its last synchronization */
    uint64_t last_part_superstep;
    uint64_t last_part_expected;
    int last_part_me;
};

/* What bsp_send has copied; the data are behind it. */
typedef struct pub_copy {
    size_t pieces;          /* still to leave */
    max_align_t align;
} pub_copy;

/* A piece on its way. */
typedef struct pub_flight {
    t_bspmsg *message;      /* that it is a part of, if received */
    pub_copy *copy;         /* that it is a part of, if sent from a copy */
    bsp_machine *lender;    /* if sent from a buffer of the user */
} pub_flight;

typedef struct pub_flights {
    MPI_Request *requests;
    pub_flight *about;
    int *done;
    int count;
    int room;
} pub_flights;

/* A message that its receiver did not wait for. */
typedef struct pub_surplus {
    int is_there;
    int source;
    int source_rank;
    int processes;
    uint64_t superstep;
    uint64_t messages;
    int is_open;            /* no synchronization has ended its superstep */
    int is_expected_known;
    uint64_t expected;
    int me;
    char machine[256];
} pub_surplus;

typedef struct pub_state {
    int is_started;
    int owns_mpi;
    int rank;
    int processes;
    MPI_Comm comm;
    double timeout_s;
    bsp_machine *root;
    bsp_machine *open;
    t_bspmsg *early;        /* for machines that are still to be made here */
    bsp_told *early_told;
    pub_flights sends;
    pub_flights receives;
    unsigned char *buffer;
    size_t buffer_room;
    unsigned char *gone;    /* who has said goodbye */
    int gone_count;
    pub_surplus surplus;
} pub_state;

PUB_SHARED pub_state pub_all;

/* ---- mistakes ---- */

PUB_SHARED PUB_NORETURN PUB_FORMAT void pub_fail(const bsp_machine *machine, const char *format, ...);

/* A line of what this process does: S TO BYTES, W (it waits), Y KIND MESSAGES (it has waited), P END.., D. */
PUB_SHARED PUB_FORMAT_AT(1) void pub_note(const char *format, ...);

PUB_SHARED void pub_note(const char *format, ...)
{
    char text[4096];
    va_list list;
    void (*note)(int, int, const char *) = cll_superstep_;
    if (!note)
        return;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length > 0 && (size_t)length < sizeof text)
        note(pub_all.rank, pub_all.processes, text);
}

/* A path as people read it: root, root/0.1 (partition 0, group 1), root/0.1/4.0. */
PUB_SHARED void pub_path_text(const bsp_step *path, size_t depth, char *text, size_t room)
{
    int used = snprintf(text, room, "root");
    for (size_t i = 0; i < depth && used > 0 && (size_t)used < room; i++) {
        int more = snprintf(text + used, room - (size_t)used, "/%llu.%llu", (unsigned long long)path[i].partition,
                            (unsigned long long)path[i].group);
        if (more < 0)
            break;
        used += more;
    }
}

PUB_SHARED void pub_fail(const bsp_machine *machine, const char *format, ...)
{
    char path[256] = "";
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (machine) {
        pub_path_text(machine->path, machine->depth, path, sizeof path);
        fprintf(stderr, "pub: error: process %d of machine %s (rank %d), superstep %llu: %s\n", machine->me, path,
                pub_all.rank, (unsigned long long)machine->superstep, text);
    } else {
        fprintf(stderr, "pub: error: rank %d: %s\n", pub_all.rank, text);
    }
    fflush(stdout);
    fflush(stderr);
    int is_running = 0;
    MPI_Initialized(&is_running);
    if (is_running) {
        /* Launchers lose what they have not yet taken when the program is aborted. */
        double since = MPI_Wtime();
        while (MPI_Wtime() - since < 0.2)
            sched_yield();
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    abort();
}

PUB_SHARED void *pub_room(size_t count, size_t bytes)
{
    if (bytes != 0 && count > SIZE_MAX / bytes)
        pub_fail(NULL, "%zu * %zu bytes are more than there can be", count, bytes);
    void *room = malloc(count * bytes > 0 ? count * bytes : 1);
    if (!room)
        pub_fail(NULL, "no memory for %zu bytes", count * bytes);
    return room;
}

PUB_SHARED unsigned char *pub_data_of(const t_bspmsg *message)
{
    return (unsigned char *)(uintptr_t)message + sizeof *message;
}

PUB_SHARED pub_copy *pub_copy_new(size_t pieces, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(pub_copy))
        pub_fail(NULL, "a message of %zu bytes is more than there can be", bytes);
    pub_copy *copy = (pub_copy *)pub_room(1, sizeof *copy + bytes);
    copy->pieces = pieces;
    return copy;
}

/* ---- pieces on their way ---- */

PUB_SHARED MPI_Request *pub_flight_add(pub_flights *flights, t_bspmsg *message, pub_copy *copy, bsp_machine *lender)
{
    if (flights->count == flights->room) {
        int room = flights->room < 16 ? 16 : 2 * flights->room;
        MPI_Request *requests = (MPI_Request *)pub_room((size_t)room, sizeof *requests);
        pub_flight *about = (pub_flight *)pub_room((size_t)room, sizeof *about);
        if (flights->count > 0) {
            memcpy(requests, flights->requests, (size_t)flights->count * sizeof *requests);
            memcpy(about, flights->about, (size_t)flights->count * sizeof *about);
        }
        free(flights->requests);
        free(flights->about);
        free(flights->done);
        flights->requests = requests;
        flights->about = about;
        flights->done = (int *)pub_room((size_t)room, sizeof *flights->done);
        flights->room = room;
    }
    flights->about[flights->count].message = message;
    flights->about[flights->count].copy = copy;
    flights->about[flights->count].lender = lender;
    return &flights->requests[flights->count++];
}

PUB_SHARED void pub_message_complete(t_bspmsg *message)
{
    bsp_machine *machine = message->machine;
    if (machine && message->superstep == machine->superstep)
        machine->complete++;
}

/* Takes out what has arrived or left; says whether there was any. */
PUB_SHARED int pub_flights_test(pub_flights *flights)
{
    int done = 0;
    if (flights->count == 0)
        return 0;
/* gcc takes the value that says "no statuses" for an array. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
    MPI_Testsome(flights->count, flights->requests, &done, flights->done, MPI_STATUSES_IGNORE);
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic pop
#endif
    if (done <= 0)
        return 0;
    for (int i = 0; i < done; i++) {
        pub_flight *flight = &flights->about[flights->done[i]];
        if (flight->message && --flight->message->pieces == 0)
            pub_message_complete(flight->message);
        if (flight->lender)
            flight->lender->lent--;
        if (flight->copy && --flight->copy->pieces == 0)
            free(flight->copy);
    }
    int kept = 0;
    for (int i = 0; i < flights->count; i++) {
        if (flights->requests[i] == MPI_REQUEST_NULL)
            continue;
        flights->requests[kept] = flights->requests[i];
        flights->about[kept++] = flights->about[i];
    }
    flights->count = kept;
    return 1;
}

/* ---- what arrives ---- */

PUB_SHARED int bsp_is_path(const bsp_machine *machine, const bsp_step *path, size_t depth)
{
    return machine->depth == depth && (depth == 0 || memcmp(machine->path, path, depth * sizeof *path) == 0);
}

PUB_SHARED bsp_machine *pub_machine_at(const bsp_step *path, size_t depth)
{
    bsp_machine *machine = pub_all.open;
    while (machine && !bsp_is_path(machine, path, depth))
        machine = machine->next;
    return machine;
}

/* The machine that was split into the one of this path, if that one is done here already: NULL if it is still to come. */
PUB_SHARED bsp_machine *pub_past_parent(const bsp_step *path, size_t depth)
{
    for (size_t known = depth; known-- > 0;) {
        bsp_machine *machine = pub_machine_at(path, known);
        if (machine)
            return path[known].partition < machine->partitions ? machine : NULL;
    }
    return NULL;
}

PUB_SHARED void pub_surplus_found(const t_bspmsg *message, const bsp_machine *machine, const bsp_machine *parent,
                                  const bsp_step *path, size_t depth)
{
    pub_surplus *surplus = &pub_all.surplus;
    if (surplus->is_there) {
        surplus->messages++;
        return;
    }
    memset(surplus, 0, sizeof *surplus);
    surplus->is_there = 1;
    surplus->messages = 1;
    surplus->source = message->source;
    surplus->source_rank = message->source_rank;
    surplus->superstep = message->superstep;
    pub_path_text(path, depth, surplus->machine, sizeof surplus->machine);
    surplus->me = -1;
    if (machine && message->superstep >= machine->superstep) {
        surplus->me = machine->me;
        surplus->is_open = 1;
    } else if (machine) {
        surplus->me = machine->me;
        surplus->is_expected_known = message->superstep + 1 == machine->superstep;
        surplus->expected = machine->last_expected;
    } else if (parent && parent->depth + 1 == depth && memcmp(&parent->last_part, &path[depth - 1], sizeof *path) == 0) {
        surplus->me = parent->last_part_me;
        surplus->is_expected_known = message->superstep + 1 == parent->last_part_superstep;
        surplus->expected = parent->last_part_expected;
    }
}

#define PUB_HINT "\nhint: bsp_oblsync(bsp, n) has to be told all n messages that this process gets in the superstep"

/* Ends the program if there was a message too many. */
PUB_SHARED void pub_surplus_check(void)
{
    const pub_surplus *surplus = &pub_all.surplus;
    if (!surplus->is_there)
        return;
    char who[64] = "";
    char waited[128] = "more messages than bsp_oblsync was told";
    if (surplus->me >= 0)
        snprintf(who, sizeof who, "process %d of ", surplus->me);
    if (surplus->is_open)
        snprintf(waited, sizeof waited, "messages: expected 0, since no synchronization follows, got %llu",
                 (unsigned long long)surplus->messages);
    else if (surplus->is_expected_known)
        snprintf(waited, sizeof waited, "messages: expected %llu, got at least %llu",
                 (unsigned long long)surplus->expected, (unsigned long long)(surplus->expected + surplus->messages));
    pub_fail(NULL, "%smachine %s, superstep %llu: %s; one too many is from process %d of this machine (rank %d)" PUB_HINT, who,
             surplus->machine, (unsigned long long)surplus->superstep, waited, surplus->source, surplus->source_rank);
}

PUB_SHARED void bsp_inbox_add(bsp_machine *machine, t_bspmsg *message)
{
    message->machine = machine;
    message->next = machine->inbox;
    machine->inbox = message;
    if (message->superstep == machine->superstep) {
        machine->announced++;
        if (message->pieces == 0)
            machine->complete++;
    }
}

PUB_SHARED size_t pub_pieces(size_t bytes) { return (bytes - 1) / PUB_CHUNK_BYTES + 1; }

PUB_SHARED t_bspmsg *pub_message_new(size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(t_bspmsg))
        pub_fail(NULL, "a message of %zu bytes is more than there can be", bytes);
    t_bspmsg *message = (t_bspmsg *)pub_room(1, sizeof *message + bytes);
    memset(message, 0, sizeof *message);
    message->bytes = bytes;
    return message;
}

PUB_SHARED void pub_data_arrived(const pub_head *head, const bsp_step *path, const unsigned char *data, int from)
{
    size_t bytes = (size_t)head->bytes;
    t_bspmsg *message = pub_message_new(bytes);
    message->superstep = head->superstep;
    message->order = head->order;
    message->source = (int)head->source;
    message->source_rank = from;
    if (bytes <= PUB_INLINE_BYTES) {
        memcpy(pub_data_of(message), data, bytes);
    } else {
        message->pieces = pub_pieces(bytes);
        for (size_t at = 0; at < bytes; at += PUB_CHUNK_BYTES) {
            size_t piece = bytes - at < PUB_CHUNK_BYTES ? bytes - at : PUB_CHUNK_BYTES;
            MPI_Irecv(pub_data_of(message) + at, (int)piece, MPI_BYTE, from, PUB_TAG_PIECE, pub_all.comm,
                      pub_flight_add(&pub_all.receives, message, NULL, NULL));
        }
    }
    bsp_machine *machine = pub_machine_at(path, (size_t)head->depth);
    if (machine && message->superstep >= machine->superstep) {
        bsp_inbox_add(machine, message);
        return;
    }
    bsp_machine *parent = machine ? NULL : pub_past_parent(path, (size_t)head->depth);
    if (machine || parent) {
        pub_surplus_found(message, machine, parent, path, (size_t)head->depth);
        if (message->pieces == 0)
            free(message);
        return;
    }
    message->depth = (size_t)head->depth;
    message->path = (bsp_step *)pub_room(message->depth, sizeof *path);
    memcpy(message->path, path, message->depth * sizeof *path);
    message->next = pub_all.early;
    pub_all.early = message;
}

/* How many messages another has sent. Its path is kept as a message without data as long as there is no such machine. */
PUB_SHARED void pub_count_arrived(const pub_head *head, const bsp_step *path, int from)
{
    bsp_machine *machine = pub_machine_at(path, (size_t)head->depth);
    if (machine) {
        bsp_told *told = (bsp_told *)pub_room(1, sizeof *told);
        told->superstep = head->superstep;
        told->messages = head->order;
        told->source = (int)head->source;
        told->next = machine->told;
        machine->told = told;
        return;
    }
    if (pub_past_parent(path, (size_t)head->depth)) {
        char text[256];
        pub_path_text(path, (size_t)head->depth, text, sizeof text);
        pub_fail(NULL, "machine %s, superstep %llu: process %d (rank %d) waits in bsp_sync, but this process is done with "
                       "the machine", text, (unsigned long long)head->superstep, (int)head->source, from);
    }
    t_bspmsg *message = pub_message_new(0);
    message->superstep = head->superstep;
    message->order = head->order;
    message->source = (int)head->source;
    message->source_rank = -1;
    message->depth = (size_t)head->depth;
    message->path = (bsp_step *)pub_room(message->depth, sizeof *path);
    memcpy(message->path, path, message->depth * sizeof *path);
    message->next = pub_all.early;
    pub_all.early = message;
}

/* Receives whatever is there, and lets go what has left; says whether there was anything. */
PUB_SHARED int pub_progress(void)
{
    int was_busy = 0;
    if (pub_all.processes == 1)
        return 0;
    for (;;) {
        int is_there = 0;
        int bytes = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, PUB_TAG_HEAD, pub_all.comm, &is_there, &status);
        if (!is_there)
            break;
        was_busy = 1;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        if ((size_t)bytes > pub_all.buffer_room) {
            free(pub_all.buffer);
            pub_all.buffer = (unsigned char *)pub_room((size_t)bytes, 1);
            pub_all.buffer_room = (size_t)bytes;
        }
        MPI_Recv(pub_all.buffer, bytes, MPI_BYTE, status.MPI_SOURCE, PUB_TAG_HEAD, pub_all.comm, MPI_STATUS_IGNORE);
        pub_head head;
        memcpy(&head, pub_all.buffer, sizeof head);
        const bsp_step *path = (const bsp_step *)(const void *)(pub_all.buffer + sizeof head);
        if (head.kind == PUB_DATA) {
            pub_data_arrived(&head, path, (const unsigned char *)(path + head.depth), status.MPI_SOURCE);
        } else if (head.kind == PUB_COUNT) {
            pub_count_arrived(&head, path, status.MPI_SOURCE);
        } else if (!pub_all.gone[status.MPI_SOURCE]) {
            pub_all.gone[status.MPI_SOURCE] = 1;
            pub_all.gone_count++;
        }
    }
    was_busy |= pub_flights_test(&pub_all.receives);
    was_busy |= pub_flights_test(&pub_all.sends);
    return was_busy;
}

/* ---- waiting ---- */

typedef struct pub_wait {
    double since;
    uint64_t idle;
} pub_wait;

PUB_SHARED int bsp_all_others_gone(const bsp_machine *machine)
{
    int others = 0;
    if (machine->processes == 1)
        return 0;
    for (int i = 0; i < machine->processes; i++)
        others += i != machine->me && pub_all.gone[machine->first + i];
    return others == machine->processes - 1;
}

/* One look; says whether the wait has become too long. Where there are more processes than cores, others have to run. */
PUB_SHARED int pub_wait_step(pub_wait *wait)
{
    if (pub_progress()) {
        wait->idle = 0;
        return 0;
    }
    wait->idle++;
    if (wait->idle > 16)
        sched_yield();
    if (wait->idle % 256 != 0 || pub_all.timeout_s <= 0)
        return 0;
    double now = MPI_Wtime();
    if (wait->idle == 256)
        wait->since = now;
    return now - wait->since > pub_all.timeout_s;
}

/* ---- sending ---- */

PUB_SHARED void pub_send_head(const bsp_machine *machine, int to_rank, const pub_head *head, const void *data, size_t bytes)
{
    size_t steps = (size_t)head->depth * sizeof(bsp_step);
    pub_copy *copy = pub_copy_new(1, sizeof *head + steps + bytes);
    unsigned char *at = (unsigned char *)(copy + 1);
    memcpy(at, head, sizeof *head);
    if (steps > 0)
        memcpy(at + sizeof *head, machine->path, steps);
    if (bytes > 0)
        memcpy(at + sizeof *head + steps, data, bytes);
    MPI_Isend(at, (int)(sizeof *head + steps + bytes), MPI_BYTE, to_rank, PUB_TAG_HEAD, pub_all.comm,
              pub_flight_add(&pub_all.sends, NULL, copy, NULL));
}

PUB_SHARED void bsp_machine_send(bsp_machine *machine, int to, const void *data, size_t bytes, int is_lent)
{
    if (to < 0 || to >= machine->processes)
        pub_fail(machine, "a message to process %d; there are 0 to %d", to, machine->processes - 1);
    if (bytes > 0 && !data)
        pub_fail(machine, "a message of %zu bytes at NULL", bytes);
    pub_note("S %d %zu\n", to, bytes);
    if (to == machine->me) {
        t_bspmsg *message = pub_message_new(bytes);
        message->superstep = machine->superstep;
        message->order = machine->sent[to]++;
        message->source = machine->me;
        message->source_rank = pub_all.rank;
        if (bytes > 0)
            memcpy(pub_data_of(message), data, bytes);
        bsp_inbox_add(machine, message);
        return;
    }
    pub_head head;
    memset(&head, 0, sizeof head);
    head.kind = PUB_DATA;
    head.source = (uint32_t)machine->me;
    head.depth = machine->depth;
    head.superstep = machine->superstep;
    head.order = machine->sent[to]++;
    head.bytes = bytes;
    int rank = machine->first + to;
    if (bytes <= PUB_INLINE_BYTES) {
        pub_send_head(machine, rank, &head, data, bytes);
        if (pub_all.sends.count % 64 == 0)
            pub_progress();
        return;
    }
    pub_send_head(machine, rank, &head, NULL, 0);
    unsigned char *from = (unsigned char *)(uintptr_t)data;
    pub_copy *copy = NULL;
    if (!is_lent) {
        copy = pub_copy_new(pub_pieces(bytes), bytes);
        from = (unsigned char *)(copy + 1);
        memcpy(from, data, bytes);
    }
    for (size_t at = 0; at < bytes; at += PUB_CHUNK_BYTES) {
        size_t piece = bytes - at < PUB_CHUNK_BYTES ? bytes - at : PUB_CHUNK_BYTES;
        if (is_lent)
            machine->lent++;
        MPI_Isend(from + at, (int)piece, MPI_BYTE, rank, PUB_TAG_PIECE, pub_all.comm,
                  pub_flight_add(&pub_all.sends, NULL, copy, is_lent ? machine : NULL));
    }
    pub_progress();
}

/* ---- synchronization ---- */

PUB_SHARED int bsp_by_sender(const void *left, const void *right)
{
    const t_bspmsg *a = *(t_bspmsg *const *)left;
    const t_bspmsg *b = *(t_bspmsg *const *)right;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

PUB_SHARED void bsp_machine_free(bsp_machine *machine);

PUB_SHARED void bsp_forget(bsp_machine *machine)
{
    for (size_t i = 0; i < machine->read_count; i++)
        free(machine->read[i]);
    free(machine->read);
    machine->read = NULL;
    machine->read_count = 0;
    while (machine->ended) {
        bsp_machine *part = machine->ended;
        machine->ended = part->next;
        bsp_machine_free(part);
    }
}

PUB_SHARED void bsp_machine_free(bsp_machine *machine)
{
    bsp_forget(machine);
    while (machine->inbox) {
        t_bspmsg *message = machine->inbox;
        machine->inbox = message->next;
        free(message);
    }
    while (machine->told) {
        bsp_told *told = machine->told;
        machine->told = told->next;
        free(told);
    }
    free(machine->path);
    free(machine->sent);
    free(machine);
}

/* All that the superstep needs is here: hands out its messages and goes on to the next one. */
PUB_SHARED void bsp_next_superstep(bsp_machine *machine, uint64_t expected)
{
    if (machine->announced > expected)
        pub_fail(machine, "messages: expected %llu, got at least %llu" PUB_HINT, (unsigned long long)expected,
                 (unsigned long long)machine->announced);
    bsp_forget(machine);
    machine->read = (t_bspmsg **)pub_room((size_t)expected, sizeof(t_bspmsg *));
    t_bspmsg **link = &machine->inbox;
    while (*link) {
        t_bspmsg *message = *link;
        if (message->superstep == machine->superstep) {
            machine->read[machine->read_count++] = message;
            *link = message->next;
        } else {
            link = &message->next;
        }
    }
    if (machine->read_count > 1)
        qsort(machine->read, machine->read_count, sizeof(t_bspmsg *), bsp_by_sender);
    machine->last_expected = expected;
    machine->superstep++;
    machine->announced = 0;
    machine->complete = 0;
    for (t_bspmsg *message = machine->inbox; message; message = message->next) {
        if (message->superstep == machine->superstep) {
            machine->announced++;
            machine->complete += message->pieces == 0;
        }
    }
    memset(machine->sent, 0, (size_t)machine->processes * sizeof *machine->sent);
}

/* Until buffers that bsp_hpsend was given are free again. */
PUB_SHARED void bsp_wait_lent(bsp_machine *machine)
{
    pub_wait wait = {0, 0};
    while (machine->lent > 0) {
        if (pub_wait_step(&wait))
            pub_fail(machine, "a message of bsp_hpsend is still not taken after PUB_TIMEOUT=%g s", pub_all.timeout_s);
    }
}

PUB_SHARED void bsp_machine_oblsync(bsp_machine *machine, int messages)
{
    pub_wait wait = {0, 0};
    if (messages < 0)
        pub_fail(machine, "bsp_oblsync for %d messages", messages);
    pub_note("W\n");
    pub_progress();
    pub_surplus_check();
    while (machine->complete < (uint64_t)messages) {
        const char *why = NULL;
        if (pub_wait_step(&wait))
            why = "the time of PUB_TIMEOUT is over";
        else if (machine->announced < (uint64_t)messages && machine->processes == 1)
            why = "there is no other process";
        else if (machine->announced < (uint64_t)messages && bsp_all_others_gone(machine))
            why = "all others have ended";
        if (why)
            pub_fail(machine, "messages: expected %d, got %llu; %s" PUB_HINT, messages,
                     (unsigned long long)machine->complete, why);
        pub_surplus_check();
    }
    bsp_wait_lent(machine);
    bsp_next_superstep(machine, (uint64_t)messages);
    pub_note("Y oblivious %d\n", messages);
}

PUB_SHARED void bsp_machine_sync(bsp_machine *machine)
{
    pub_note("W\n");
    pub_wait wait = {0, 0};
    for (int other = 0; other < machine->processes; other++) {
        if (other == machine->me)
            continue;
        pub_head head;
        memset(&head, 0, sizeof head);
        head.kind = PUB_COUNT;
        head.source = (uint32_t)machine->me;
        head.depth = machine->depth;
        head.superstep = machine->superstep;
        head.order = machine->sent[other];
        pub_send_head(machine, machine->first + other, &head, NULL, 0);
    }
    uint64_t expected = machine->sent[machine->me];
    int missing = machine->processes - 1;
    pub_progress();
    pub_surplus_check();
    for (;;) {
        bsp_told **link = &machine->told;
        while (*link) {
            bsp_told *told = *link;
            if (told->superstep == machine->superstep) {
                expected += told->messages;
                missing--;
                *link = told->next;
                free(told);
            } else {
                link = &told->next;
            }
        }
        if (missing == 0 && machine->complete >= expected)
            break;
        int is_late = pub_wait_step(&wait);
        if (is_late || (missing > 0 && bsp_all_others_gone(machine) && !machine->told))
            pub_fail(machine, "bsp_sync still waits for %d of %d others, with %llu messages here; %s", missing,
                     machine->processes - 1, (unsigned long long)machine->complete,
                     is_late ? "the time of PUB_TIMEOUT is over" : "all others have ended");
        pub_surplus_check();
    }
    bsp_wait_lent(machine);
    bsp_next_superstep(machine, expected);
    pub_note("Y barrier %zu\n", machine->read_count);
}

/* ---- machines ---- */

PUB_SHARED bsp_machine *bsp_machine_new(bsp_machine *parent, bsp_step step, int first, int processes)
{
    bsp_machine *machine = (bsp_machine *)pub_room(1, sizeof *machine);
    memset(machine, 0, sizeof *machine);
    machine->handle.machine = machine;
    machine->parent = parent;
    machine->first = first;
    machine->processes = processes;
    machine->me = pub_all.rank - first;
    machine->superstep = 1;
    machine->sent = (uint64_t *)pub_room((size_t)processes, sizeof *machine->sent);
    memset(machine->sent, 0, (size_t)processes * sizeof *machine->sent);
    if (parent) {
        machine->depth = parent->depth + 1;
        machine->path = (bsp_step *)pub_room(machine->depth, sizeof *machine->path);
        if (parent->depth > 0)
            memcpy(machine->path, parent->path, parent->depth * sizeof *machine->path);
        machine->path[parent->depth] = step;
    }
    machine->next = pub_all.open;
    pub_all.open = machine;
    return machine;
}

/* What came for this machine before it was made. The list is the other way round: order does not matter. */
PUB_SHARED void bsp_take_early(bsp_machine *machine)
{
    t_bspmsg **link = &pub_all.early;
    while (*link) {
        t_bspmsg *message = *link;
        if (!bsp_is_path(machine, message->path, message->depth)) {
            link = &message->next;
            continue;
        }
        *link = message->next;
        free(message->path);
        message->path = NULL;
        if (message->source_rank >= 0) {
            bsp_inbox_add(machine, message);
        } else {
            bsp_told *told = (bsp_told *)pub_room(1, sizeof *told);
            told->superstep = message->superstep;
            told->messages = message->order;
            told->source = message->source;
            told->next = machine->told;
            machine->told = told;
            free(message);
        }
    }
}

PUB_SHARED bsp_machine *bsp_machine_partition(bsp_machine *machine, int groups, const int *ends)
{
    if (groups < 1 || !ends)
        pub_fail(machine, "bsp_partition into %d groups", groups);
    int group = -1;
    for (int i = 0; i < groups; i++) {
        int first = i > 0 ? ends[i - 1] : 0;
        if (ends[i] <= first)
            pub_fail(machine, "bsp_partition: end %d of group %d; the ends must increase from above 0", ends[i], i);
        if (machine->me >= first && machine->me < ends[i])
            group = i;
    }
    if (ends[groups - 1] != machine->processes)
        pub_fail(machine, "bsp_partition: the last end is %d, the machine has %d processes", ends[groups - 1],
                 machine->processes);
    char text[2048];
    int used = snprintf(text, sizeof text, "P");
    for (int i = 0; i < groups && used > 0 && (size_t)used < sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", ends[i]);
    if (used > 0 && (size_t)used < sizeof text)
        pub_note("%s\n", text);
    bsp_step step;
    step.partition = machine->partitions++;
    step.group = (uint64_t)group;
    int first = group > 0 ? ends[group - 1] : 0;
    bsp_machine *part = bsp_machine_new(machine, step, machine->first + first, ends[group] - first);
    bsp_take_early(part);
    return part;
}

PUB_SHARED void bsp_machine_done(bsp_machine *machine)
{
    bsp_machine *parent = machine->parent;
    if (!parent)
        pub_fail(machine, "bsp_done of the machine of all processes; pub_exit ends it");
    pub_note("D\n");
    for (bsp_machine *other = pub_all.open; other; other = other->next) {
        if (other->parent == machine)
            pub_fail(machine, "bsp_done, but a part of this machine is not done");
    }
    for (t_bspmsg *message = machine->inbox; message; message = message->next)
        pub_surplus_found(message, machine, NULL, machine->path, machine->depth);
    for (int i = 0; i < pub_all.sends.count; i++) {
        if (pub_all.sends.about[i].lender == machine)
            pub_all.sends.about[i].lender = parent;
    }
    parent->lent += machine->lent;
    machine->lent = 0;
    parent->last_part = machine->path[machine->depth - 1];
    parent->last_part_superstep = machine->superstep;
    parent->last_part_expected = machine->last_expected;
    parent->last_part_me = machine->me;
    for (bsp_machine **link = &pub_all.open; *link; link = &(*link)->next) {
        if (*link == machine) {
            *link = machine->next;
            break;
        }
    }
    /* Pieces of a message too many may still come: it is not freed. */
    t_bspmsg **link = &machine->inbox;
    while (*link) {
        t_bspmsg *message = *link;
        if (message->pieces > 0) {
            message->machine = NULL;
            *link = message->next;
        } else {
            link = &message->next;
        }
    }
    machine->next = parent->ended;
    parent->ended = machine;
}

PUB_SHARED bsp_machine *bsp_known(bsp_machine *machine)
{
    if (!pub_all.is_started)
        pub_fail(NULL, "no machine: pub_init is to be called first");
    if (!machine)
        pub_fail(NULL, "no machine: it has not been made by bsp_partition, or bsp_done has ended it");
    return machine;
}

PUB_SHARED int bsp_machine_nprocs(const bsp_machine *machine) { return machine->processes; }
PUB_SHARED int bsp_machine_pid(const bsp_machine *machine) { return machine->me; }
PUB_SHARED int bsp_machine_nmsgs(const bsp_machine *machine) { return (int)machine->read_count; }

PUB_SHARED t_bspmsg *bsp_machine_getmsg(const bsp_machine *machine, int k)
{
    return k >= 0 && (size_t)k < machine->read_count ? machine->read[k] : NULL;
}

PUB_SHARED MPI_Comm bsp_machine_comm(const bsp_machine *machine)
{
    (void)machine;
    return MPI_COMM_WORLD;
}

PUB_SHARED const t_bspmsg *bspmsg_known(const t_bspmsg *message)
{
    if (!message)
        pub_fail(NULL, "no such message: bsp_getmsg gave NULL, since there are not as many");
    return message;
}

PUB_SHARED void *bspmsg_data(const t_bspmsg *message)
{
    return pub_data_of(bspmsg_known(message));
}

PUB_SHARED size_t bspmsg_size(const t_bspmsg *message) { return bspmsg_known(message)->bytes; }
PUB_SHARED int bspmsg_src(const t_bspmsg *message) { return bspmsg_known(message)->source; }

/* ---- start and stop ---- */

PUB_SHARED bsp_machine *pub_start(int *argc, char ***argv)
{
    int is_running = 0;
    bsp_step none = {0, 0};
    if (pub_all.is_started)
        pub_fail(NULL, "pub_init is called twice");
    MPI_Initialized(&is_running);
    if (!is_running)
        MPI_Init(argc, argv);
    memset(&pub_all, 0, sizeof pub_all);
    pub_all.owns_mpi = !is_running;
    MPI_Comm_dup(MPI_COMM_WORLD, &pub_all.comm);
    MPI_Comm_rank(pub_all.comm, &pub_all.rank);
    MPI_Comm_size(pub_all.comm, &pub_all.processes);
    const char *timeout = getenv("PUB_TIMEOUT");
    pub_all.timeout_s = timeout ? strtod(timeout, NULL) : 0;
    pub_all.gone = (unsigned char *)pub_room((size_t)pub_all.processes, 1);
    memset(pub_all.gone, 0, (size_t)pub_all.processes);
    pub_all.is_started = 1;
    pub_all.root = bsp_machine_new(NULL, none, 0, pub_all.processes);
    return pub_all.root;
}

/* Messages of one sender come in order: who has got every goodbye has got all. */
PUB_SHARED void pub_exit(void)
{
    pub_wait wait = {0, 0};
    if (!pub_all.is_started)
        pub_fail(NULL, "pub_exit without pub_init");
    for (bsp_machine *machine = pub_all.open; machine; machine = machine->next) {
        if (machine != pub_all.root)
            pub_fail(machine, "pub_exit, but this machine is not done");
    }
    for (int i = 1; i < pub_all.processes; i++) {
        pub_head head;
        memset(&head, 0, sizeof head);
        head.kind = PUB_BYE;
        pub_send_head(pub_all.root, (pub_all.rank + i) % pub_all.processes, &head, NULL, 0);
    }
    while (pub_all.gone_count < pub_all.processes - 1 || pub_all.receives.count > 0 || pub_all.sends.count > 0) {
        if (pub_wait_step(&wait))
            pub_fail(NULL, "in pub_exit, %d others have still not come after PUB_TIMEOUT=%g s",
                     pub_all.processes - 1 - pub_all.gone_count, pub_all.timeout_s);
    }
    for (t_bspmsg *message = pub_all.root->inbox; message; message = message->next)
        pub_surplus_found(message, pub_all.root, NULL, NULL, 0);
    for (t_bspmsg *message = pub_all.early; message; message = message->next) {
        if (message->source_rank >= 0)
            pub_surplus_found(message, NULL, NULL, message->path, message->depth);
    }
    pub_surplus_check();
    bsp_machine_free(pub_all.root);
    MPI_Comm_free(&pub_all.comm);
    free(pub_all.sends.requests);
    free(pub_all.sends.about);
    free(pub_all.sends.done);
    free(pub_all.receives.requests);
    free(pub_all.receives.about);
    free(pub_all.receives.done);
    free(pub_all.buffer);
    free(pub_all.gone);
    int owns_mpi = pub_all.owns_mpi;
    memset(&pub_all, 0, sizeof pub_all);
    if (owns_mpi)
        MPI_Finalize();
}

/* ---- t_bsp or t_bsp *, as the program has it ---- */

PUB_SHARED bsp_machine *bsp_of_value(t_bsp bsp) { return bsp_known(bsp.machine); }
PUB_SHARED bsp_machine *bsp_of_pointer(const t_bsp *bsp) { return bsp_known(bsp ? bsp->machine : NULL); }
PUB_SHARED void pub_init_value(int *argc, char ***argv, t_bsp *bsp) { bsp->machine = pub_start(argc, argv); }
PUB_SHARED void pub_init_pointer(int *argc, char ***argv, t_bsp **bsp) { *bsp = &pub_start(argc, argv)->handle; }

PUB_SHARED void bsp_partition_value(bsp_machine *machine, t_bsp *sub, int groups, const int *ends)
{
    sub->machine = bsp_machine_partition(machine, groups, ends);
}

PUB_SHARED void bsp_partition_pointer(bsp_machine *machine, t_bsp **sub, int groups, const int *ends)
{
    *sub = &bsp_machine_partition(machine, groups, ends)->handle;
}

PUB_SHARED void bsp_done_value(t_bsp *sub)
{
    bsp_machine_done(bsp_of_pointer(sub));
    sub->machine = NULL;
}

PUB_SHARED void bsp_done_pointer(t_bsp **sub)
{
    bsp_machine_done(bsp_of_pointer(*sub));
    *sub = NULL;
}

#ifdef __cplusplus
}
inline bsp_machine *bsp_of(const t_bsp &bsp) { return bsp_of_value(bsp); }
inline bsp_machine *bsp_of(const t_bsp *bsp) { return bsp_of_pointer(bsp); }
inline void pub_init(int *argc, char ***argv, t_bsp *bsp) { pub_init_value(argc, argv, bsp); }
inline void pub_init(int *argc, char ***argv, t_bsp **bsp) { pub_init_pointer(argc, argv, bsp); }
inline void bsp_split(bsp_machine *m, t_bsp *sub, int r, const int *ends) { bsp_partition_value(m, sub, r, ends); }
inline void bsp_split(bsp_machine *m, t_bsp **sub, int r, const int *ends) { bsp_partition_pointer(m, sub, r, ends); }
inline void bsp_done(t_bsp *sub) { bsp_done_value(sub); }
inline void bsp_done(t_bsp **sub) { bsp_done_pointer(sub); }
#define bsp_partition(bsp, sub, groups, ends) bsp_split(bsp_of(bsp), sub, groups, ends)
#else
#define bsp_of(bsp) _Generic((bsp), t_bsp: bsp_of_value, t_bsp *: bsp_of_pointer, const t_bsp *: bsp_of_pointer)(bsp)
#define pub_init(argc, argv, bsp) \
    _Generic((bsp), t_bsp *: pub_init_value, t_bsp **: pub_init_pointer)(argc, argv, bsp)
#define bsp_partition(bsp, sub, groups, ends) \
    _Generic((sub), t_bsp *: bsp_partition_value, t_bsp **: bsp_partition_pointer)(bsp_of(bsp), sub, groups, ends)
#define bsp_done(sub) _Generic((sub), t_bsp *: bsp_done_value, t_bsp **: bsp_done_pointer)(sub)
#endif

#define bsp_nprocs(bsp) bsp_machine_nprocs(bsp_of(bsp))
#define bsp_pid(bsp) bsp_machine_pid(bsp_of(bsp))
#define bsp_nmsgs(bsp) bsp_machine_nmsgs(bsp_of(bsp))
#define bsp_getmsg(bsp, k) bsp_machine_getmsg(bsp_of(bsp), k)
#define bsp_comm(bsp) bsp_machine_comm(bsp_of(bsp))
#define bsp_send(bsp, to, data, bytes) bsp_machine_send(bsp_of(bsp), to, data, bytes, 0)
#define bsp_hpsend(bsp, to, data, bytes) bsp_machine_send(bsp_of(bsp), to, data, bytes, 1)
#define bsp_oblsync(bsp, messages) bsp_machine_oblsync(bsp_of(bsp), messages)
#define bsp_sync(bsp) bsp_machine_sync(bsp_of(bsp))

#endif
