/* cll_mpi.h: what cll.h does in MPI programs. Translated sources with `parallel MPI` or `parallel PUB` end with it.
 *
 * MPI_Init and MPI_Init_thread are wrapped: there all ranks agree on the number of the run, and get a communicator of
 * their own. Reports are collective; MPI_Finalize writes what is left. No report waits for a rank without an end:
 * messages are asked for, never waited for, and after CLL_GATHER_TIMEOUT seconds each rank writes a file of its own.
 */
#ifndef CLL_MPI_H
#define CLL_MPI_H
#pragma GCC system_header
#include <mpi.h>
/* It needs all of the library, not only what regions do. */
#undef CLL_HOT
#include "cll.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CLL_TAG_HELLO_ = 1, CLL_TAG_CONTROL_ = 2, CLL_TAG_ROWS_ = 3, CLL_TAG_LEAVE_ = 4 };
enum { CLL_SAYS_WAIT_ = 1, CLL_SAYS_GO_ = 2, CLL_SAYS_ALONE_ = 3, CLL_SAYS_APART_ = 4 };
enum { CLL_BLOCK_HEAD_ = 10, CLL_BLOCK_ROOM_ = 64 * 1024 };

/* Those who report together; `world`: their ranks among all. */
typedef struct cll_group_of_ranks {
    int rank, size;
    int *world;
    unsigned long long hash;
} cll_group_of_ranks;

typedef struct cll_mpi_state {
    /* `failed`: a report in which ranks were missed; from then on each writes alone. */
    int ready, over, failed, lock, said_thread;
    MPI_Comm comm;
    cll_group_of_ranks group;
    /* Of other programs, by their ranks among all: they are not waited for. */
    char *apart;
} cll_mpi_state;
CLL_SHARED_ cll_mpi_state cll_mpi_ = { 0, 0, 0, 0, 0, MPI_COMM_NULL, { 0, 0, 0, 0 }, 0 };

CLL_COLD_ int cll_mpi_is_there_(void) { return 1; }

CLL_COLD_ double cll_mpi_now_(void) { return 1e-9 * (double)cll_mono_now_(); }

CLL_COLD_ void cll_mpi_pause_(int *turns)
{
    *turns += 1;
    cll_pause_(*turns < 200 ? 10000 : *turns < 1000 ? 100000 : 1000000);
}

/* Whether MPI may be called now, by this thread. */
CLL_COLD_ int cll_mpi_may_(void)
{
    int there = 0, gone = 0, level = 0, is_main = 0;
    PMPI_Initialized(&there);
    if (!there) return 0;
    PMPI_Finalized(&gone);
    if (gone) return 0;
    PMPI_Query_thread(&level);
    PMPI_Is_thread_main(&is_main);
    if (is_main || level >= MPI_THREAD_SERIALIZED) return 1;
    if (!cll_mpi_.said_thread)
        cll_say_("a report in a thread that may not use MPI: each rank writes a file of its own", 0);
    cll_mpi_.said_thread = 1;
    return 0;
}

CLL_COLD_ unsigned long long cll_mpi_hash_(unsigned long long hash, const void *data, unsigned long length)
{
    const unsigned char *bytes = (const unsigned char *)data;
    unsigned long i;
    for (i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

/* Takes over who is in a communicator, which is not needed afterwards. The caller may use MPI. */
CLL_COLD_ void cll_mpi_members_(MPI_Comm comm)
{
    cll_state *s = &cll_shared_;
    cll_group_of_ranks *group = &cll_mpi_.group;
    MPI_Group ours, all;
    int i, *ranks, *world, size, inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) return;
    PMPI_Comm_size(comm, &size);
    world = (int *)cll_sys_calloc((unsigned long)size + 1, sizeof(int));
    ranks = (int *)cll_sys_calloc((unsigned long)size + 1, sizeof(int));
    if (!world || !ranks) return;
    for (i = 0; i < size; i++) ranks[i] = i;
    PMPI_Comm_group(comm, &ours);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(ours, size, ranks, all, world);
    PMPI_Group_free(&ours);
    PMPI_Group_free(&all);
    cll_sys_free(ranks);
    for (i = 0; i < size; i++)
        if (world[i] < 0) {
            cll_sys_free(world);
            return;
        }
    cll_sys_free(group->world);
    group->world = world;
    group->size = size;
    PMPI_Comm_rank(comm, &group->rank);
    group->hash = cll_mpi_hash_(0xcbf29ce484222325ull, world, (unsigned long)size * sizeof(int));
    PMPI_Comm_rank(MPI_COMM_WORLD, &s->world_rank);
    s->rank = group->rank;
    s->size = size;
}

CLL_COLD_ void cll_mpi_adopt_(const void *comm, unsigned long size)
{
    MPI_Comm chosen;
    int locked;
    if (size != sizeof chosen) return;
    __builtin_memcpy(&chosen, comm, sizeof chosen);
    if (chosen == MPI_COMM_NULL || !cll_mpi_may_()) return;
    locked = cll_lock_();
    cll_mpi_members_(chosen);
    if (locked) cll_unlock_();
}

/* All, unless the program has chosen. The caller may use MPI. */
CLL_COLD_ void cll_mpi_update_(void)
{
    if (!cll_mpi_.group.world) cll_mpi_members_(MPI_COMM_WORLD);
}

/* Sends, and sees to it that it is done; false if nobody takes it in time. What is under way keeps its memory. */
CLL_COLD_ int cll_mpi_send_(const void *data, unsigned long bytes, int to, int tag, double until)
{
    void *copy = cll_sys_calloc(1, bytes);
    MPI_Request request;
    int done = 0, turns = 0;
    if (!copy) return 0;
    __builtin_memcpy(copy, data, bytes);
    if (PMPI_Isend(copy, (int)bytes, MPI_BYTE, to, tag, cll_mpi_.comm, &request) != MPI_SUCCESS) return 0;
    for (;;) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done || cll_mpi_now_() > until) break;
        cll_mpi_pause_(&turns);
    }
    if (done)
        cll_sys_free(copy);
    else
        PMPI_Request_free(&request);
    return done;
}

/* Takes a message that is there; -1: none, else who sent it. */
CLL_COLD_ int cll_mpi_take_(void *data, unsigned long room, int from, int tag, int *bytes)
{
    MPI_Status status;
    int flag = 0;
    PMPI_Iprobe(from, tag, cll_mpi_.comm, &flag, &status);
    if (!flag) return -1;
    PMPI_Get_count(&status, MPI_BYTE, bytes);
    from = status.MPI_SOURCE;
    if (*bytes < 0 || (unsigned long)*bytes > room) return -1;
    if (PMPI_Recv(data, *bytes, MPI_BYTE, from, tag, cll_mpi_.comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return -1;
    return from;
}

CLL_COLD_ void cll_mpi_tell_(int to, long long what, long long run)
{
    long long message[2];
    message[0] = what;
    message[1] = run;
    cll_mpi_send_(message, sizeof message, to, CLL_TAG_CONTROL_, cll_mpi_now_() + 1);
}

/* Columns and formulas, as a number: those of all ranks must be the same for one file. */
CLL_COLD_ unsigned long long cll_mpi_shape_(cll_output *output)
{
    unsigned long long hash = 0xcbf29ce484222325ull;
    int i;
    for (i = 0; i < output->columns; i++)
        hash = cll_mpi_hash_(hash, output->column[i], __builtin_strlen(output->column[i]) + 1);
    for (i = 0; i < output->known; i++) {
        cll_group *group = cll_shared_.groups[i];
        const char *formula = group->first->formula;
        if (!output->at[i]) continue;
        hash = cll_mpi_hash_(hash, group->name, __builtin_strlen(group->name) + 1);
        hash = cll_mpi_hash_(hash, formula, __builtin_strlen(formula) + 1);
    }
    for (i = 0; i < cll_shared_.counter_count; i++)
        hash = cll_mpi_hash_(hash, cll_shared_.counters[i].name, __builtin_strlen(cll_shared_.counters[i].name) + 1);
    return hash;
}

/* Rows on their way to the rank that writes: counts first, then text. */
typedef struct cll_mpi_rows {
    cll_output *output;
    char *block;
    int to, failed;
    double timeout_s;
} cll_mpi_rows;

CLL_COLD_ void cll_mpi_block_(cll_mpi_rows *rows, unsigned long length, double last)
{
    double head[CLL_BLOCK_HEAD_] = { 0 };
    cll_output *o = rows->output;
    cll_thread *thread;
    head[0] = last;
    if (last != 0) {
        head[1] = o->rows;
        head[2] = o->open;
        head[3] = o->exits;
        head[4] = o->clamped;
        head[5] = o->rejected;
        head[6] = cll_shared_.spill_gone;
        head[7] = cll_shared_.lost_gone;
        head[8] = cll_shared_.thread_count;
        for (thread = cll_shared_.threads; thread; thread = thread->next) {
            head[6] += thread->spill;
            head[7] += (double)thread->lost;
        }
        head[6] *= cll_shared_.tick_s;
    }
    __builtin_memcpy(rows->block, head, sizeof head);
    if (!rows->failed
        && !cll_mpi_send_(rows->block, sizeof head + length, rows->to, CLL_TAG_ROWS_,
                          cll_mpi_now_() + rows->timeout_s + 5)) {
        rows->failed = 1;
        cll_say_("rows could not be sent to the rank that writes them", 0);
    }
}

CLL_COLD_ void cll_mpi_flush_(cll_sink *sink)
{
    cll_mpi_block_((cll_mpi_rows *)sink->to, sink->length, 0);
    sink->length = 0;
}

/* The columns, without a file. */
CLL_COLD_ cll_output *cll_mpi_virtual_(const char *names)
{
    cll_output *output = (cll_output *)cll_sys_calloc(1, sizeof *output);
    if (!output) return 0;
    output->names = names ? cll_copy_(names, __builtin_strlen(names)) : 0;
    output->over = 1;
    if (cll_columns_(output)) return output;
    return 0;
}

CLL_COLD_ void cll_mpi_free_(cll_output *output)
{
    int i;
    if (!output) return;
    for (i = 0; i < output->columns; i++) cll_sys_free(output->column[i]);
    for (i = 0; i < output->known; i++) cll_sys_free(output->at[i]);
    cll_sys_free(output->column);
    cll_sys_free(output->at);
    cll_sys_free(output->cell);
    cll_sys_free(output->names);
    cll_sys_free(output);
}

CLL_COLD_ void cll_mpi_send_rows_(cll_output *output, const char *names, int to)
{
    cll_mpi_rows rows;
    cll_thread *thread;
    cll_sink sink;
    rows.output = output;
    rows.to = to;
    rows.failed = 0;
    rows.timeout_s = cll_shared_.gather_timeout_s;
    rows.block = (char *)cll_sys_calloc(1, CLL_BLOCK_ROOM_);
    if (!rows.block) return;
    sink.data = rows.block + CLL_BLOCK_HEAD_ * sizeof(double);
    sink.length = 0;
    sink.room = CLL_BLOCK_ROOM_ - CLL_BLOCK_HEAD_ * sizeof(double);
    sink.failed = 0;
    sink.flush = cll_mpi_flush_;
    sink.to = &rows;
    cll_stop_threads_(1);
    for (thread = cll_shared_.threads; thread; thread = thread->next) cll_put_thread_(&sink, output, thread, names);
    cll_stop_threads_(0);
    cll_mpi_block_(&rows, sink.length, 1);
    cll_free_finished_();
    cll_sys_free(rows.block);
}

/* Text of other ranks, into the file. */
CLL_COLD_ void cll_mpi_append_(cll_output *output, const char *text, unsigned long length)
{
    cll_sink sink;
    sink.data = (char *)text;
    sink.length = length;
    sink.room = length;
    sink.failed = 0;
    sink.flush = cll_flush_file_;
    sink.to = output;
    cll_flush_file_(&sink);
}

/* Rows of one rank; false if they do not come. */
CLL_COLD_ int cll_mpi_receive_rows_(cll_output *output, int from, char *block)
{
    double until = cll_mpi_now_() + cll_shared_.gather_timeout_s + 5;
    int bytes, turns = 0;
    long long note[2];
    for (;;) {
        double head[CLL_BLOCK_HEAD_];
        if (cll_mpi_take_(block, CLL_BLOCK_ROOM_, from, CLL_TAG_ROWS_, &bytes) < 0) {
            if (cll_mpi_take_(note, sizeof note, from, CLL_TAG_LEAVE_, &bytes) >= 0 || cll_mpi_now_() > until) return 0;
            cll_mpi_pause_(&turns);
            continue;
        }
        turns = 0;
        until = cll_mpi_now_() + cll_shared_.gather_timeout_s + 5;
        if ((unsigned long)bytes < sizeof head) return 0;
        __builtin_memcpy(head, block, sizeof head);
        if ((unsigned long)bytes > sizeof head)
            cll_mpi_append_(output, block + sizeof head, (unsigned long)bytes - sizeof head);
        if (head[0] == 0) continue;
        output->rows += head[1];
        output->open += head[2];
        output->exits += head[3];
        output->clamped += head[4];
        output->rejected += head[5];
        /* Totals of that rank up to now: the last ones count. */
        output->spill += head[6];
        output->lost += head[7];
        return 1;
    }
}

/* The rank that writes. */
CLL_COLD_ int cll_mpi_lead_(cll_group_of_ranks *group, const char *names, const char *file, int final,
                            unsigned long long shape)
{
    cll_state *s = &cll_shared_;
    cll_mpi_state *m = &cll_mpi_;
    char *arrived = (char *)cll_sys_calloc((unsigned long)group->size + 1, 1), *block;
    double until = cll_mpi_now_() + s->gather_timeout_s;
    int count = 1, turns = 0, i, bytes, length;
    long long hello[4];
    cll_output *output;
    char text[600];
    if (!arrived) return 0;
    arrived[0] = 1;
    for (i = 1; i < group->size; i++)
        if (m->apart && m->apart[group->world[i]]) {
            arrived[i] = 2;
            count++;
        }
    while (count < group->size) {
        int from = cll_mpi_take_(hello, sizeof hello, MPI_ANY_SOURCE, CLL_TAG_HELLO_, &bytes);
        if (from >= 0) {
            for (i = 0; i < group->size && group->world[i] != from; i++) {}
            turns = 0;
            if (i == group->size || (unsigned long long)hello[1] != group->hash || arrived[i]) {
                cll_mpi_tell_(from, CLL_SAYS_ALONE_, 0);
            } else if ((unsigned long long)hello[2] != shape) {
                /* Another program: its experiments do not fit into this file. */
                cll_mpi_tell_(from, CLL_SAYS_APART_, 0);
                if (m->apart) m->apart[from] = 1;
                arrived[i] = 2;
                count++;
            } else {
                cll_mpi_tell_(from, CLL_SAYS_WAIT_, 0);
                arrived[i] = 1;
                count++;
            }
            continue;
        }
        from = cll_mpi_take_(hello, sizeof hello, MPI_ANY_SOURCE, CLL_TAG_LEAVE_, &bytes);
        if (from >= 0) {
            for (i = 0; i < group->size; i++)
                if (group->world[i] == from && arrived[i] == 1) arrived[i] = 0, count--;
            continue;
        }
        if (cll_mpi_now_() > until) break;
        cll_mpi_pause_(&turns);
    }
    if (count < group->size) {
        length = cll_sys_snprintf(text, sizeof text, "after %g s, a report still misses rank", s->gather_timeout_s);
        for (i = 0; i < group->size; i++) {
            if (!arrived[i] && length < (int)sizeof text - 60)
                length += cll_sys_snprintf(text + length, sizeof text - (unsigned long)length, " %d", i);
            if (i && arrived[i] != 2) cll_mpi_tell_(group->world[i], CLL_SAYS_ALONE_, 0);
        }
        cll_say_(text, ": each rank writes a file of its own");
        m->failed = 1;
        cll_sys_free(arrived);
        return 0;
    }
    if (!cll_lock_()) return 0;
    s->group = group->world[0];
    output = cll_output_(file, names, 1);
    for (i = 1; i < group->size; i++)
        if (arrived[i] == 1) cll_mpi_tell_(group->world[i], CLL_SAYS_GO_, s->run);
    block = (char *)cll_sys_calloc(1, CLL_BLOCK_ROOM_);
    if (output && block) {
        output->spill = output->lost = 0;
        cll_write_all_(output, names);
        for (i = 1; i < group->size; i++) {
            if (arrived[i] != 1 || cll_mpi_receive_rows_(output, group->world[i], block)) continue;
            cll_sys_snprintf(text, sizeof text, "the rows of rank %d did not come", i);
            cll_say_(text, 0);
        }
        if (final) cll_end_output_(output);
    }
    cll_sys_free(block);
    cll_unlock_();
    cll_sys_free(arrived);
    return 1;
}

/* The others. */
CLL_COLD_ int cll_mpi_follow_(cll_group_of_ranks *group, cll_output *columns, const char *names, int final,
                              unsigned long long shape)
{
    cll_state *s = &cll_shared_;
    int root = group->world[0], turns = 0, bytes;
    double until = cll_mpi_now_() + s->gather_timeout_s + 1;
    long long hello[4], answer[2];
    hello[0] = final;
    hello[1] = (long long)group->hash;
    hello[2] = (long long)shape;
    hello[3] = 0;
    /* It may have gone on without this rank already. */
    while (cll_mpi_take_(answer, sizeof answer, root, CLL_TAG_CONTROL_, &bytes) >= 0)
        if (answer[0] == CLL_SAYS_ALONE_) {
            cll_mpi_.failed = 1;
            return 0;
        }
    cll_mpi_send_(hello, sizeof hello, root, CLL_TAG_HELLO_, until);
    for (;;) {
        if (cll_mpi_take_(answer, sizeof answer, root, CLL_TAG_CONTROL_, &bytes) >= 0) {
            turns = 0;
            if (answer[0] == CLL_SAYS_WAIT_) {
                until = cll_mpi_now_() + s->gather_timeout_s + 5;
                continue;
            }
            if (answer[0] == CLL_SAYS_GO_) break;
            cll_mpi_.failed = 1;
            return 0;
        }
        if (cll_mpi_now_() > until) {
            char text[200];
            cll_mpi_send_(hello, sizeof hello, root, CLL_TAG_LEAVE_, cll_mpi_now_() + 1);
            cll_sys_snprintf(text, sizeof text,
                             "after %g s, the report of rank %d still misses rank 0: it writes a file of its own",
                             s->gather_timeout_s, group->rank);
            cll_say_(text, 0);
            cll_mpi_.failed = 1;
            return 0;
        }
        cll_mpi_pause_(&turns);
    }
    if (!cll_lock_()) return 0;
    s->run = answer[1];
    s->written = 1;
    cll_mpi_send_rows_(columns, names, root);
    cll_unlock_();
    return 1;
}

/* A report of all ranks into one file; false: this rank writes its own. */
CLL_COLD_ int cll_mpi_gather_(const char *names, const char *file, int final)
{
    cll_state *s = &cll_shared_;
    cll_mpi_state *m = &cll_mpi_;
    cll_output *columns = 0;
    int done = 0;
    if (!cll_mpi_may_()) return 0;
    cll_mpi_update_();
    if (!m->ready || m->over || m->failed || s->over) return 0;
    while (__atomic_exchange_n(&m->lock, 1, __ATOMIC_ACQUIRE)) cll_pause_(100000);
    if (cll_lock_()) {
        cll_start_();
        columns = s->gather ? cll_mpi_virtual_(file ? names : 0) : 0;
        cll_unlock_();
    }
    if (columns && m->group.world) {
        unsigned long long shape = cll_mpi_shape_(columns);
        done = m->group.rank ? cll_mpi_follow_(&m->group, columns, names, final, shape)
                             : cll_mpi_lead_(&m->group, names, file, final, shape);
    }
    cll_mpi_free_(columns);
    __atomic_store_n(&m->lock, 0, __ATOMIC_RELEASE);
    return done;
}

/* After MPI_Init, in all ranks. */
CLL_COLD_ void cll_mpi_start_(void)
{
    cll_state *s = &cll_shared_;
    cll_mpi_state *m = &cll_mpi_;
    const char *given = cll_sys_getenv("CLL_RUN");
    long run;
    int locked = cll_lock_();
    if (m->ready) {
        if (locked) cll_unlock_();
        return;
    }
    cll_start_();
    cll_mpi_update_();
    /* Programs of which some are not prepared: with these two, nothing here is collective. */
    if (!s->gather && given && *given) {
        if (locked) cll_unlock_();
        return;
    }
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &m->comm) != MPI_SUCCESS) {
        if (locked) cll_unlock_();
        return;
    }
    PMPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    m->apart = (char *)cll_sys_calloc((unsigned long)s->size + 1, 1);
    if (s->world_rank == 0 && !s->run_known && !cll_is_set_("CLL_OFF")) {
        s->run = cll_given_run_();
        if (s->run < 0) {
            /* The file of rank 0 keeps the number; if that is not needed in the end, it goes. */
            cll_output *output = cll_open_(0, 0, 0);
            if (output && output->path && !output->failed) {
                s->reserved = cll_copy_(output->path, __builtin_strlen(output->path));
                cll_sys_fclose(output->file);
            }
            if (output) {
                output->file = 0;
                output->over = 1;
            }
            s->written = 0;
            if (s->run < 0) s->run = 0;
        }
    }
    run = s->run;
    PMPI_Bcast(&run, 1, MPI_LONG, 0, m->comm);
    s->run = run;
    s->run_known = 1;
    m->ready = 1;
    if (locked) cll_unlock_();
}

/* Takes what was said to this rank and has become void. */
CLL_COLD_ void cll_mpi_drain_(void)
{
    long long message[4];
    int tag, bytes;
    for (tag = CLL_TAG_HELLO_; tag <= CLL_TAG_LEAVE_; tag++)
        while (tag != CLL_TAG_ROWS_ && cll_mpi_take_(message, sizeof message, MPI_ANY_SOURCE, tag, &bytes) >= 0) {}
}

__attribute__((weak)) int MPI_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS) cll_mpi_start_();
    return result;
}

__attribute__((weak)) int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS) cll_mpi_start_();
    return result;
}

__attribute__((weak)) int MPI_Finalize(void)
{
    cll_state *s = &cll_shared_;
    cll_mpi_state *m = &cll_mpi_;
    if (!cll_is_set_("CLL_OFF")) {
        int may = cll_mpi_may_();
        cll_sweep_own_(__builtin_frame_address(0));
        if (may) cll_mpi_update_();
        if (may && s->reports) cll_mpi_gather_(0, 0, 1);
        if (cll_lock_()) {
            if (!s->over) cll_finish_files_(0);
            if (s->reserved) {
                cll_sys_remove(s->reserved);
                cll_sys_free(s->reserved);
                s->reserved = 0;
            }
            cll_unlock_();
        }
    }
    if (m->ready && !m->over) {
        cll_mpi_drain_();
        m->over = 1;
        if (!m->failed) PMPI_Comm_free(&m->comm);
    }
    return PMPI_Finalize();
}

/* What was recorded is kept. */
__attribute__((weak)) int MPI_Abort(MPI_Comm comm, int code)
{
    if (!cll_is_set_("CLL_OFF")) cll_report_alone_(0, 0);
    return PMPI_Abort(comm, code);
}

/* ------------------------------------------------------------------------------------------------------ supersteps */

/* With CLL_BSP=1, what the program sends and waits for goes to the file of events of each rank, from which `runcast bsp learn`
 * makes a program of supersteps:
 *
 *   S TO BYTES      a message to a rank of the world
 *   W               the rank waits
 *   Y received N    it has N messages; such lines one after another are one superstep
 *   Y barrier 0     a collective of all ranks has ended
 *   U WHAT          what supersteps do not say: messages from anybody, collectives of some ranks, tests, one-sided calls
 */

/* Programs with pub.h write lines of their own. */
extern char cll_steps_of_pub_ __asm__("pub_all") __attribute__((weak));

enum { CLL_STEPS_OPEN_ = 4096 };

typedef struct cll_steps_state {
    /* Requests of receives that are not complete. */
    MPI_Request open[CLL_STEPS_OPEN_];
    int count, rank, size;
    /* The last communicator that is not the world, and its ranks in the world. */
    MPI_Comm comm;
    int *world, comm_size;
} cll_steps_state;
CLL_SHARED_ cll_steps_state cll_steps_ = { { 0 }, 0, 0, 0, MPI_COMM_NULL, 0, 0 };

CLL_COLD_ int cll_steps_on_(void)
{
    if (!cll_shared_.ready || !cll_shared_.supersteps || &cll_steps_of_pub_) return 0;
    if (!cll_steps_.size) {
        int there = 0;
        PMPI_Initialized(&there);
        if (!there) return 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &cll_steps_.rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &cll_steps_.size);
    }
    return 1;
}

CLL_COLD_ void cll_steps_note_(const char *text) { cll_superstep_(cll_steps_.rank, cll_steps_.size, text); }

CLL_COLD_ void cll_steps_unknown_(const char *what)
{
    char text[100];
    if (!cll_steps_on_()) return;
    cll_sys_snprintf(text, sizeof text, "U %.80s\n", what);
    cll_steps_note_(text);
}

/* Ranks of a communicator in the world; how many there are. */
CLL_COLD_ int cll_steps_members_(MPI_Comm comm)
{
    MPI_Group ours, all;
    int *ranks, i, size = 0, inter = 0;
    if (comm == MPI_COMM_WORLD) return cll_steps_.size;
    if (comm == cll_steps_.comm) return cll_steps_.comm_size;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) return 0;
    PMPI_Comm_size(comm, &size);
    ranks = (int *)cll_sys_calloc(2 * (unsigned long)size + 1, sizeof(int));
    if (!ranks) return 0;
    for (i = 0; i < size; i++) ranks[size + i] = i;
    PMPI_Comm_group(comm, &ours);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(ours, size, ranks + size, all, ranks);
    PMPI_Group_free(&ours);
    PMPI_Group_free(&all);
    cll_sys_free(cll_steps_.world);
    cll_steps_.world = ranks;
    cll_steps_.comm = comm;
    cll_steps_.comm_size = size;
    return size;
}

CLL_COLD_ void cll_steps_send_bytes_(double bytes, int to, MPI_Comm comm)
{
    char text[80];
    if (to == MPI_PROC_NULL) return;
    if (comm != MPI_COMM_WORLD) {
        int members = cll_steps_members_(comm);
        if (to < 0 || to >= members) return;
        to = cll_steps_.world[to];
    }
    if (to == cll_steps_.rank || to < 0) return;
    cll_sys_snprintf(text, sizeof text, "S %d %.0f\n", to, bytes);
    cll_steps_note_(text);
}

CLL_COLD_ double cll_steps_bytes_(int count, MPI_Datatype type)
{
    int size = 0;
    if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
    return (double)count * size;
}

CLL_COLD_ void cll_steps_send_(int count, MPI_Datatype type, int to, MPI_Comm comm)
{
    if (cll_steps_on_()) cll_steps_send_bytes_(cll_steps_bytes_(count, type), to, comm);
}

CLL_COLD_ void cll_steps_wait_(int receives)
{
    if (receives && cll_steps_on_()) cll_steps_note_("W\n");
}

CLL_COLD_ void cll_steps_received_(int receives)
{
    char text[60];
    if (!receives || !cll_steps_on_()) return;
    cll_sys_snprintf(text, sizeof text, "Y received %d\n", receives);
    cll_steps_note_(text);
}

CLL_COLD_ int cll_steps_receives_(int from)
{
    if (from == MPI_ANY_SOURCE) cll_steps_unknown_("a receive from anybody");
    return from != MPI_PROC_NULL;
}

CLL_COLD_ void cll_steps_open_(MPI_Request request)
{
    if (!cll_steps_on_() || request == MPI_REQUEST_NULL) return;
    if (cll_steps_.count < CLL_STEPS_OPEN_) cll_steps_.open[cll_steps_.count++] = request;
    else cll_steps_unknown_("more than 4096 open receives");
}

/* How many of these requests are receives; they are open no more. */
CLL_COLD_ int cll_steps_close_(int count, const MPI_Request *requests)
{
    int i, k, found = 0;
    if (!cll_steps_on_()) return 0;
    for (i = 0; i < count; i++)
        for (k = 0; k < cll_steps_.count; k++)
            if (cll_steps_.open[k] == requests[i]) {
                cll_steps_.open[k] = cll_steps_.open[--cll_steps_.count];
                found++;
                break;
            }
    return found;
}

/* Before a collective: what each rank sends to `to`, or to all others if that is -1; -2: nothing. Whether all take part. */
CLL_COLD_ int cll_steps_together_(double bytes, int to, MPI_Comm comm, const char *name)
{
    int members, i;
    if (!cll_steps_on_()) return 0;
    members = cll_steps_members_(comm);
    if (members <= 1) return 0;
    if (members != cll_steps_.size) {
        cll_steps_unknown_(name);
        return 0;
    }
    if (to >= 0) cll_steps_send_bytes_(bytes, to, comm);
    for (i = 0; to == -1 && i < members; i++) cll_steps_send_bytes_(bytes, i, comm);
    cll_steps_note_("W\n");
    return 1;
}

CLL_COLD_ int cll_steps_done_(int together, int result)
{
    if (together) cll_steps_note_("Y barrier 0\n");
    return result;
}

CLL_COLD_ int cll_steps_is_(int root, MPI_Comm comm)
{
    int rank = -1;
    PMPI_Comm_rank(comm, &rank);
    return rank == root;
}

#define CLL_STEPS_SEND_(name)                                                                                            \
    __attribute__((weak)) int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) \
    {                                                                                                                    \
        cll_steps_send_(count, type, to, comm);                                                                          \
        return PMPI_##name(data, count, type, to, tag, comm);                                                            \
    }
CLL_STEPS_SEND_(Send)
CLL_STEPS_SEND_(Ssend)
CLL_STEPS_SEND_(Rsend)
CLL_STEPS_SEND_(Bsend)
#undef CLL_STEPS_SEND_

#define CLL_STEPS_SEND_(name)                                                                                            \
    __attribute__((weak)) int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                                         MPI_Request *request)                                                           \
    {                                                                                                                    \
        cll_steps_send_(count, type, to, comm);                                                                          \
        return PMPI_##name(data, count, type, to, tag, comm, request);                                                   \
    }
CLL_STEPS_SEND_(Isend)
CLL_STEPS_SEND_(Issend)
CLL_STEPS_SEND_(Irsend)
CLL_STEPS_SEND_(Ibsend)
#undef CLL_STEPS_SEND_

__attribute__((weak)) int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                                    MPI_Request *request)
{
    int result = PMPI_Irecv(data, count, type, from, tag, comm, request);
    if (cll_steps_receives_(from)) cll_steps_open_(*request);
    return result;
}

__attribute__((weak)) int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    int receives = cll_steps_receives_(from), result;
    cll_steps_wait_(receives);
    result = PMPI_Recv(data, count, type, from, tag, comm, status);
    cll_steps_received_(receives);
    return result;
}

__attribute__((weak)) int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *in, int in_count,
                                       MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    int receives = cll_steps_receives_(from), result;
    cll_steps_send_(count, type, to, comm);
    cll_steps_wait_(receives);
    result = PMPI_Sendrecv(data, count, type, to, tag, in, in_count, in_type, from, in_tag, comm, status);
    cll_steps_received_(receives);
    return result;
}

__attribute__((weak)) int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int receives = cll_steps_close_(1, request), result;
    cll_steps_wait_(receives);
    result = PMPI_Wait(request, status);
    cll_steps_received_(receives);
    return result;
}

__attribute__((weak)) int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    int receives = cll_steps_close_(count, requests), result;
    cll_steps_wait_(receives);
    result = PMPI_Waitall(count, requests, statuses);
    cll_steps_received_(receives);
    return result;
}

__attribute__((weak)) int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    MPI_Request *before = 0;
    int receives = 0, result;
    if (cll_steps_.count && count > 0) before = (MPI_Request *)cll_sys_calloc((unsigned long)count, sizeof *before);
    if (!before) return PMPI_Waitany(count, requests, index, status);
    __builtin_memcpy(before, requests, (unsigned long)count * sizeof *before);
    cll_steps_wait_(1);
    result = PMPI_Waitany(count, requests, index, status);
    if (*index != MPI_UNDEFINED) receives = cll_steps_close_(1, before + *index);
    cll_steps_received_(receives);
    cll_sys_free(before);
    return result;
}

__attribute__((weak)) int MPI_Barrier(MPI_Comm comm)
{
    int together = cll_steps_together_(0, -2, comm, "a barrier of some ranks");
    return cll_steps_done_(together, PMPI_Barrier(comm));
}

__attribute__((weak)) int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int together = cll_steps_together_(0, -2, comm, "a broadcast to some ranks");
    return cll_steps_done_(together, PMPI_Bcast(data, count, type, root, comm));
}

__attribute__((weak)) int MPI_Reduce(const void *data, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int together = cll_steps_together_(0, -2, comm, "a reduction of some ranks");
    return cll_steps_done_(together, PMPI_Reduce(data, in, count, type, op, root, comm));
}

__attribute__((weak)) int MPI_Allreduce(const void *data, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int together = cll_steps_together_(0, -2, comm, "a reduction of some ranks");
    return cll_steps_done_(together, PMPI_Allreduce(data, in, count, type, op, comm));
}

__attribute__((weak)) int MPI_Scan(const void *data, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int together = cll_steps_together_(0, -2, comm, "a scan of some ranks");
    return cll_steps_done_(together, PMPI_Scan(data, in, count, type, op, comm));
}

__attribute__((weak)) int MPI_Gather(const void *data, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
                                     int root, MPI_Comm comm)
{
    int together = cll_steps_together_(cll_steps_bytes_(count, type), root, comm, "a gather of some ranks");
    return cll_steps_done_(together, PMPI_Gather(data, count, type, in, in_count, in_type, root, comm));
}

__attribute__((weak)) int MPI_Scatter(const void *data, int count, MPI_Datatype type, void *in, int in_count,
                                      MPI_Datatype in_type, int root, MPI_Comm comm)
{
    int sends = cll_steps_on_() && cll_steps_is_(root, comm);
    int together = cll_steps_together_(sends ? cll_steps_bytes_(count, type) : 0, sends ? -1 : -2, comm, "a scatter to some ranks");
    return cll_steps_done_(together, PMPI_Scatter(data, count, type, in, in_count, in_type, root, comm));
}

__attribute__((weak)) int MPI_Allgather(const void *data, int count, MPI_Datatype type, void *in, int in_count,
                                        MPI_Datatype in_type, MPI_Comm comm)
{
    int together = cll_steps_together_(cll_steps_bytes_(in_count, in_type), -1, comm, "a gather of some ranks");
    return cll_steps_done_(together, PMPI_Allgather(data, count, type, in, in_count, in_type, comm));
}

__attribute__((weak)) int MPI_Alltoall(const void *data, int count, MPI_Datatype type, void *in, int in_count,
                                       MPI_Datatype in_type, MPI_Comm comm)
{
    int together = cll_steps_together_(cll_steps_bytes_(in_count, in_type), -1, comm, "an exchange of some ranks");
    return cll_steps_done_(together, PMPI_Alltoall(data, count, type, in, in_count, in_type, comm));
}

__attribute__((weak)) int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (cll_steps_.count) cll_steps_unknown_("a test of a receive");
    return PMPI_Test(request, flag, status);
}

__attribute__((weak)) int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    cll_steps_unknown_("a probe");
    return PMPI_Probe(from, tag, comm, status);
}

__attribute__((weak)) int MPI_Put(const void *data, int count, MPI_Datatype type, int to, MPI_Aint at, int there,
                                  MPI_Datatype there_type, MPI_Win window)
{
    cll_steps_unknown_("a one-sided call");
    return PMPI_Put(data, count, type, to, at, there, there_type, window);
}

#ifdef __cplusplus
}
#endif
#endif
