/* cll.h: records variables and times of regions of a program, for `runcast llac`.
 *
 * One header, nothing to link with. Sources that `runcast cll translate` made include it; it serves by hand, too
 * (docs/reference/trace.md has an example). C11 and C++17 with gcc or clang.
 *
 * It comes before the program's own headers, so it includes none of the system's and leaves their macros alone: what it
 * needs of the C library it declares under names of its own. Functions and state are weak, so that several translated
 * sources make one program. Parts that a program may lack (threads, dlopen) are weak references.
 *
 * Hot path: a region's begin pushes a frame on a stack of the thread, its end writes one record into a buffer of the
 * thread. No lock, no allocation, no input or output. Whoever reads the buffer of another thread asks it to stop at
 * its next record (`stop`, `busy`, membarrier).
 */
#ifndef CLL_H
#define CLL_H
#if defined __GNUC__
#pragma GCC system_header
#else
#error "cll.h needs gcc or clang"
#endif

/* One run-time library in a program, whatever its parts hide from each other. */
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ what programs use */

enum { CLL_AT_END = 1, CLL_EXITS_OK = 2, CLL_MODE_TRACE = 4, CLL_MODE_AGGREGATE = 8 };
enum { CLL_OK = 0, CLL_EXIT = 1, CLL_OPEN = 2, CLL_CLOCK_BACK = 3 };
enum { CLL_SEQ = 0, CLL_OMP = 1, CLL_MPI = 2, CLL_PUB = 3 };

/* What is known of an experiment in one translation unit. The fields below `hash` are the library's. */
typedef struct cll_experiment {
    const char *name, *formula, *file;
    int line;
    const char *names;
    int count;
    const char *seg, *metric;
    unsigned flags, every;
    const char *hash;
    int id;
    unsigned frame_bytes;
    unsigned long long head;
    const char *compiler;
    struct cll_experiment *next;
} cll_experiment;

/* An open sample: its address tells which, so it must not move. `thread` null is a guard that does nothing. */
typedef struct cll_guard {
    void *thread;
    /* Not 0: the region returns with its last statement; 1 more than the exceptions that were on their way then. */
    unsigned last;
} cll_guard;
/* As `last`: the region is over, whatever exceptions are on their way. */
#define CLL_OVER_ (~0u)

#ifdef __cplusplus
#define CLL_C_OPEN_ extern "C" {
#define CLL_C_CLOSE_ }
#else
#define CLL_C_OPEN_
#define CLL_C_CLOSE_
#endif

#ifdef __clang__
#define CLL_COMPILER_ "clang " __clang_version__
#else
#define CLL_COMPILER_ "gcc " __VERSION__
#endif

#define CLL_EXPERIMENT(symbol, name, formula, file, line, names, count, seg, metric, flags, every, hash) \
    CLL_TABLE(symbol, name, formula, file, line, names, count, seg, metric, flags, every, hash);         \
    CLL_KNOWN(symbol##_known_, &symbol)
/* The same in two steps: a table for each experiment, and all of them made known at once before main. */
#define CLL_TABLE(symbol, name, formula, file, line, names, count, seg, metric, flags, every, hash)                   \
    static cll_experiment symbol = { name, formula, file, line, names, count, seg, metric, flags, every, hash, -1, 0, \
                                     0, CLL_COMPILER_, 0 }
#define CLL_KNOWN(function, ...)                                                                   \
    __attribute__((constructor, used)) static void function(void)                                  \
    {                                                                                              \
        static cll_experiment *const cll_all_[] = { __VA_ARGS__ };                                 \
        cll_register_all_(cll_all_, (int)(sizeof cll_all_ / sizeof *cll_all_));                    \
    }                                                                                              \
    struct cll_experiment
/* In a file that several sources include: one table a program, known from its first visit on. */
#define CLL_SHARED_EXPERIMENT(symbol, name, formula, file, line, names, count, seg, metric, flags, every, hash) \
    CLL_C_OPEN_                                                                                                 \
    extern cll_experiment symbol;                                                                               \
    __attribute__((weak, visibility("hidden"))) cll_experiment symbol = {                                       \
        name, formula, file, line, names, count, seg, metric, flags, every, hash, -1, 0, 0, CLL_COMPILER_, 0    \
    };                                                                                                          \
    CLL_C_CLOSE_                                                                                                \
    struct cll_experiment

/* The number of values is a constant; with none, there is still one argument behind it, which is ignored. Regions call
 * functions that are compiled already, once where they begin and once where they end: inline, they would cost the compiler
 * more than the loops in them. */
#define CLL_REGION(guard, experiment, count, ...)                                                      \
    CLL_GUARD_ guard;                                                                                  \
    do {                                                                                               \
        const double cll_values_[] = { __VA_ARGS__ };                                                  \
        cll_visit_(CLL_PLAIN_(guard), &(experiment), (count), cll_values_, __builtin_frame_address(0), \
                   __builtin_return_address(0));                                                       \
    } while (0)
/* The same for values that calls or divisions give: they are taken only in visits that are recorded. */
#define CLL_REGION_IF_WANTED(guard, experiment, count, ...)                                                   \
    CLL_GUARD_ guard;                                                                                         \
    do {                                                                                                      \
        void *cll_local_ = cll_want_(CLL_PLAIN_(guard), &(experiment), __builtin_frame_address(0),            \
                                     __builtin_return_address(0));                                            \
        if (cll_local_) {                                                                                     \
            const double cll_values_[] = { __VA_ARGS__ };                                                     \
            cll_enter_at_(cll_local_, CLL_PLAIN_(guard), &(experiment), (count), cll_values_,                 \
                          __builtin_frame_address(0), __builtin_return_address(0));                           \
        }                                                                                                     \
    } while (0)
#define CLL_DONE(guard) (CLL_OVER(guard), cll_left_(CLL_PLAIN_(guard)))
/* The same just before the end of the block, which ends the sample. */
#define CLL_OVER(guard) (CLL_PLAIN_(guard)->last = CLL_OVER_)
#define CLL_DONE_AT_END(guard, count, ...)                                                    \
    do {                                                                                      \
        if (CLL_PLAIN_(guard)->thread) {                                                      \
            unsigned long long cll_now_at_end_ = cll_read_clock_();                           \
            const double cll_values_[] = { __VA_ARGS__ };                                     \
            cll_end_values_(CLL_PLAIN_(guard), cll_now_at_end_, (count), cll_values_);        \
        }                                                                                     \
    } while (0)
/* The next statement is a return, and the region's last one: closing its guard ends the sample well. */
#define CLL_LAST(guard) (CLL_PLAIN_(guard)->last = 1 + cll_uncaught_())
#define CLL_LAST_AT_END(guard, count, ...)                                                    \
    do {                                                                                      \
        if (CLL_PLAIN_(guard)->thread) {                                                      \
            unsigned long long cll_now_at_end_ = cll_read_clock_();                           \
            const double cll_values_[] = { __VA_ARGS__ };                                     \
            cll_last_values_(CLL_PLAIN_(guard), cll_now_at_end_, (count), cll_values_);       \
        }                                                                                     \
        CLL_LAST(guard);                                                                      \
    } while (0)
#define CLL_BEGIN(experiment, count, ...)                                                     \
    do {                                                                                      \
        void *cll_local_ = cll_want_(0, &(experiment), __builtin_frame_address(0), __builtin_return_address(0)); \
        if (cll_local_) {                                                                     \
            const double cll_values_[] = { __VA_ARGS__ };                                     \
            cll_enter_here_(cll_local_, &(experiment), (count), cll_values_, __builtin_frame_address(0)); \
        }                                                                                     \
    } while (0)
#define CLL_END(experiment) cll_end_open_(&(experiment), cll_read_clock_(), 0, 0)
#define CLL_END_AT_END(experiment, count, ...)                                                \
    do {                                                                                      \
        unsigned long long cll_now_at_end_ = cll_read_clock_();                               \
        const double cll_values_[] = { __VA_ARGS__ };                                         \
        cll_end_open_(&(experiment), cll_now_at_end_, (count), cll_values_);                  \
    } while (0)

#define CLL_SHARED_ __attribute__((weak))
#define CLL_LIKELY_(x) __builtin_expect(!!(x), 1)
#define CLL_RARE_(x) __builtin_expect(!!(x), 0)
#define CLL_INLINE_ static __inline__ __attribute__((always_inline, unused))
#define CLL_COLD_ CLL_SHARED_ __attribute__((noinline, cold))
/* The address of what no jump leaves. */
#define CLL_NOWHERE_ ((const void *)~0ul)

void cll_register(cll_experiment *experiment);
void cll_on(void);
void cll_off(void);
void cll_report(const char *names, const char *file);
void cll_parallel(int kind, double processes);
void cll_use_comm(const void *comm, unsigned long size);
void cll_enter(cll_guard *guard, cll_experiment *experiment, const double *values);
void cll_leave(cll_guard *guard, int status);
/* As `cll_leave`, with the values of an experiment that takes them at its end. */
void cll_leave_with(cll_guard *guard, int status, const double *values);

/* -------------------------------------------------------------------------------------------------- what regions call */

#define CLL_CALLED_ __attribute__((nothrow))
CLL_CALLED_ void cll_register_all_(cll_experiment *const *experiments, int count);
/* Begins a sample, if this visit is to be sampled. `address`: of the frame of the function with the guard, `caller`:
 * where that was called. */
CLL_CALLED_ void cll_visit_(cll_guard *guard, cll_experiment *experiment, int count, const double *values,
                            const void *address, const void *caller);
/* The experiment in this thread, if this visit is to be sampled, else null; the guard, if any, does nothing yet. */
CLL_CALLED_ void *cll_want_(cll_guard *guard, cll_experiment *experiment, const void *address, const void *caller);
/* Begins that sample. */
CLL_CALLED_ void cll_enter_at_(void *local, cll_guard *guard, cll_experiment *experiment, int count,
                               const double *values, const void *address, const void *caller);
/* The same without a guard. */
CLL_CALLED_ void cll_enter_here_(void *local, cll_experiment *experiment, int count, const double *values,
                                 const void *address);
CLL_CALLED_ unsigned long long cll_read_clock_(void);
/* Exceptions of C++ on their way in this thread. */
CLL_CALLED_ unsigned cll_uncaught_(void);
CLL_CALLED_ void cll_end_values_(cll_guard *guard, unsigned long long now, int count, const double *values);
CLL_CALLED_ void cll_end_open_(cll_experiment *experiment, unsigned long long now, int count, const double *values);

/* A guard closes. */
CLL_CALLED_ void cll_left_(cll_guard *guard);
CLL_CALLED_ void cll_last_values_(cll_guard *guard, unsigned long long now, int count, const double *values);

#ifdef __cplusplus
}
/* Closes the sample on every way out of its block. */
struct cll_scope_ {
    cll_guard guard;
    ~cll_scope_() { cll_left_(&guard); }
};
extern "C" {
#define CLL_GUARD_ cll_scope_
#define CLL_PLAIN_(name) (&(name).guard)
#else
#define CLL_GUARD_ __attribute__((cleanup(cll_left_), unused)) cll_guard
#define CLL_PLAIN_(name) (&(name))
#endif

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

/* ------------------------------------------------------------------------------------------------- the cold part */

/* Where `CLL_HOT` is defined, it is compiled once and added to each object, or comes as a text for the assembler, where
 * objects hold no code of the machine yet; else it is here, once a translation unit. */
#if defined CLL_HOT && defined CLL_LIBRARY && !defined CLL_LIBRARY_H_
#define CLL_LIBRARY_H_
#pragma GCC system_header
#include CLL_LIBRARY
#endif
#if !defined CLL_HOT && !defined CLL_COLD_H_
#define CLL_COLD_H_
#pragma GCC system_header
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------- what is needed of the C library */

#define CLL_TEXT_1_(x) #x
#define CLL_TEXT_(x) CLL_TEXT_1_(x)
#define CLL_NAMED_(name) __asm__(CLL_TEXT_(__USER_LABEL_PREFIX__) name)

typedef struct { long seconds, nanoseconds; } cll_time;
extern int cll_sys_clock(int clock, cll_time *time) CLL_NAMED_("clock_gettime");
extern int cll_sys_sleep(const cll_time *time, cll_time *left) CLL_NAMED_("nanosleep");
extern void *cll_sys_calloc(unsigned long count, unsigned long size) CLL_NAMED_("calloc");
extern void *cll_sys_realloc(void *old, unsigned long size) CLL_NAMED_("realloc");
extern void cll_sys_free(void *memory) CLL_NAMED_("free");
extern char *cll_sys_getenv(const char *name) CLL_NAMED_("getenv");
extern void *cll_sys_fopen(const char *path, const char *mode) CLL_NAMED_("fopen");
extern unsigned long cll_sys_fwrite(const void *data, unsigned long size, unsigned long count, void *file)
    CLL_NAMED_("fwrite");
extern int cll_sys_fflush(void *file) CLL_NAMED_("fflush");
extern int cll_sys_fclose(void *file) CLL_NAMED_("fclose");
extern int cll_sys_fseek(void *file, long offset, int from) CLL_NAMED_("fseek");
extern long cll_sys_ftell(void *file) CLL_NAMED_("ftell");
extern int cll_sys_remove(const char *path) CLL_NAMED_("remove");
extern int cll_sys_access(const char *path, int mode) CLL_NAMED_("access");
extern int cll_sys_mkdir(const char *path, unsigned mode) CLL_NAMED_("mkdir");
extern long cll_sys_write(int file, const void *data, unsigned long size) CLL_NAMED_("write");
extern int cll_sys_snprintf(char *text, unsigned long size, const char *format, ...) CLL_NAMED_("snprintf");
extern double cll_sys_strtod(const char *text, char **end) CLL_NAMED_("strtod");
extern char *cll_sys_strerror(int code) CLL_NAMED_("strerror");
extern int cll_sys_gethostname(char *name, unsigned long size) CLL_NAMED_("gethostname");
extern int cll_sys_getpid(void) CLL_NAMED_("getpid");
extern int cll_sys_atexit(void (*call)(void)) CLL_NAMED_("atexit");
#ifdef __APPLE__
extern int *cll_sys_errno(void) CLL_NAMED_("__error");
#define CLL_MONOTONIC_ 6
#define CLL_THREAD_CPU_ 16
#else
extern int *cll_sys_errno(void) CLL_NAMED_("__errno_location");
#define CLL_MONOTONIC_ 1
#define CLL_THREAD_CPU_ 3
#endif
/* Not in every program. */
extern long cll_sys_syscall(long number, ...) CLL_NAMED_("syscall") __attribute__((weak));
extern int cll_sys_key_create(unsigned *key, void (*end)(void *)) CLL_NAMED_("pthread_key_create")
    __attribute__((weak));
extern int cll_sys_setspecific(unsigned key, const void *value) CLL_NAMED_("pthread_setspecific") __attribute__((weak));
extern unsigned long cll_sys_thread_self(void) CLL_NAMED_("pthread_self") __attribute__((weak));
extern int cll_sys_register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library)
    CLL_NAMED_("__register_atfork") __attribute__((weak));
extern int cll_sys_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
    CLL_NAMED_("pthread_atfork") __attribute__((weak));
extern void *cll_sys_dlopen(const char *name, int flags) CLL_NAMED_("dlopen") __attribute__((weak));
extern void *cll_sys_dlsym(void *library, const char *name) CLL_NAMED_("dlsym") __attribute__((weak));
extern int cll_sys_omp_max_threads(void) CLL_NAMED_("omp_get_max_threads") __attribute__((weak));
extern void *cll_sys_exceptions(void) CLL_NAMED_("__cxa_get_globals") __attribute__((weak));
extern char *cll_sys_program_name CLL_NAMED_("program_invocation_short_name") __attribute__((weak));
/* Where MPI is linked: a handle is an integer, or the address of an object such as Open MPI's. */
extern int cll_sys_mpi_initialized(int *flag) CLL_NAMED_("MPI_Initialized") __attribute__((weak));
extern int cll_sys_mpi_finalized(int *flag) CLL_NAMED_("MPI_Finalized") __attribute__((weak));
extern int cll_sys_mpi_rank(const void *comm, int *rank) CLL_NAMED_("MPI_Comm_rank") __attribute__((weak));
extern int cll_sys_mpi_size(const void *comm, int *size) CLL_NAMED_("MPI_Comm_size") __attribute__((weak));
extern char cll_sys_ompi_world[] CLL_NAMED_("ompi_mpi_comm_world") __attribute__((weak));
/* Tests replace the clock (nanoseconds), and what a pair costs, by defining these. */
extern unsigned long long cll_test_clock(void) __attribute__((weak));
extern void cll_test_overhead(double *inside_ns, double *pair_ns) __attribute__((weak));

/* ------------------------------------------------------------------------------------------------------------ state */

/* A sample that has begun, on the stack of its thread. Values follow, then what the counters showed. */
typedef struct cll_frame {
    unsigned long long start, visit;
    struct cll_local *local;
    /* A jump to a function whose frame is at this address or above has left the region. */
    const void *address, *guard;
    /* Where that function was called: two calls of one function after another have their frames at one address. */
    const void *caller;
    double spent, children, cpu;
    /* What the record begins with, stored at once. */
    union {
        unsigned long long head;
        struct { unsigned short id, process, count; unsigned char flags, reserved; } is;
    } u;
    unsigned level, bytes, back, counters;
} cll_frame;

/* A sample that is over. Values follow, then, with CLL_R_EXTRA, CPU time and counters. Times are in ticks. */
typedef struct cll_record {
    union {
        unsigned long long head;
        struct { unsigned short id, process, count; unsigned char flags, status; } is;
    } u;
    unsigned level, words;
    unsigned long long visit;
    double raw, time, self;
} cll_record;
enum { CLL_R_WRITTEN = 1, CLL_R_CLAMPED = 2, CLL_R_EXTRA = 4, CLL_R_NO_VALUES = 8, CLL_R_NO_TIME = 16, CLL_R_VALUES = 64 };

/* All samples of one experiment with the same values. Values follow, then sums of counters. */
typedef struct cll_entry {
    unsigned long long hash, samples, merged, first_visit, cpu_count, clamped;
    /* `next`: in its slot of the table; `later`: made after it. */
    struct cll_entry *next, *later;
    unsigned short id, process, count, counters;
    unsigned level, status;
    double shift, sum, squares, least, most, raw, self, cpu;
} cll_entry;
/* So many samples of the same values stay records of their own. */
#define CLL_OWN_ 16

/* An experiment in a thread. */
typedef struct cll_local {
    /* `left`: samples until the next review; `samples`: up to the last one. */
    unsigned long long visits, left, step, samples;
    double sum, inside, pair;
    cll_entry *last;
    struct cll_group *group;
    unsigned open;
    unsigned char aggregate, extra, small, reserved;
} cll_local;
enum { CLL_X_CPU = 1, CLL_X_COUNTERS = 2, CLL_X_AT_END = 4, CLL_X_EVENTS = 8 };

typedef struct cll_chunk {
    struct cll_chunk *next;
    char *head, *end;
    unsigned long bytes;
} cll_chunk;

typedef struct cll_thread {
    cll_frame *top;
    char *limit, *head, *end;
    cll_local *locals;
    unsigned known;
    int clock;
    /* `stop`: 1: stay out; 2: always ask with a fence. */
    int busy, stop;
    double spent;
    char *base;
    cll_chunk *chunks, *current;
    unsigned long chunk_bytes, other_bytes;
    cll_entry **table, *first_entry, *last_entry;
    unsigned long table_size, entries;
    cll_chunk *arena;
    /* `miss`: what a visit costs more whose values are not those of the one before. */
    double spill, miss;
    unsigned long long lost;
    int number, finished, event_set, has_events;
    struct cll_thread *next;
} cll_thread;

/* All tables of one name and formula. */
typedef struct cll_group {
    cll_experiment *first;
    char *name;
    int count, cpu;
    unsigned flags, every;
    int counters, counter[32];
} cll_group;

typedef struct cll_counter {
    char *name;
    char *why;
    int code;
} cll_counter;
enum { CLL_COUNTERS_ = 64 };

/* A file of rows. */
typedef struct cll_output {
    struct cll_output *next;
    char *path, *given;
    void *file;
    char *names;
    int known, failed, over, columns, gathered, own_p;
    char **column;
    /* Of each experiment: the column of each of its values; null: not in this file. */
    int **at;
    double *cell;
    double rows, open, exits, clamped, rejected, spill, lost;
    long end_at;
} cll_output;

typedef struct cll_state {
    int lock, ready, pid, forked, over, clock, fenced, mode, cpu, gather, run_known, warned_disk, measured;
    void *owner;
    cll_experiment *experiments;
    cll_group **groups;
    int group_count, group_room;
    cll_thread *threads, *last_thread;
    int thread_count;
    double spill_gone, lost_gone;
    unsigned key;
    int has_key;
    unsigned long memory_limit, memory_used;
    /* A pair without values costs `pair`, each of its values `value`; a miss in the table of aggregates costs `miss`,
     * among few entries and among many. */
    double tick_s, hz, hz_end, inside[4], pair[4], value, miss[2];
    /* Of so many regions one inside another, only the outer ones are timed; 0: all are. */
    unsigned depth;
    unsigned long long mono_start, tsc_start;
    cll_counter counters[CLL_COUNTERS_];
    int counter_count;
    char *counters_off;
    double processes[256];
    int process_count;
    int parallel;
    cll_output *outputs, *own;
    char name[128], host[128], started[40], why_mono[100];
    long run;
    /* In the communicator of the program; 0 processes: no MPI. `group`: the rank of the whole that gathers. */
    int rank, size, world_rank, group, part, reports, written;
    char *reserved;
    double gather_timeout_s;
    /* How rank and size are known: CLL_PLACED_.. */
    int placed, declared;
    /* CLL_BSP: what bulk-synchronous programs do goes to a file of each rank. */
    int supersteps;
    void *events;
} cll_state;
enum { CLL_ALONE_ = 0, CLL_PLACED_BY_MPI_ = 1, CLL_PLACED_BY_ENVIRONMENT_ = 2, CLL_UNPLACED_ = 3 };

CLL_SHARED_ cll_state cll_shared_ = { 0 };
/* 0: nothing is recorded; 2: what is recorded depends on the regions around. */
CLL_SHARED_ int cll_recording_ = 1;
/* Which of the numbers of processes holds now, where the head of a frame has it. */
CLL_SHARED_ unsigned long long cll_process_ = 0;
CLL_SHARED_ __thread cll_thread *cll_self_ = 0;

/* What cll_mpi.h adds. */
/* Only that it is there. */
extern int cll_mpi_is_there_(void) __attribute__((weak));
/* A communicator of the program; it may be freed after this. */
extern void cll_mpi_adopt_(const void *comm, unsigned long size) __attribute__((weak));
/* A collective report; false when everybody is to write a file of their own. */
extern int cll_mpi_gather_(const char *names, const char *file, int final) __attribute__((weak));

/* -------------------------------------------------------------------------------------------------------- the clock */

#if defined __x86_64__ || defined __i386__
#define CLL_HAS_COUNTER_ 1
CLL_INLINE_ unsigned long long cll_counter_now_(void) { return __builtin_ia32_rdtsc(); }
#elif defined __aarch64__
#define CLL_HAS_COUNTER_ 1
CLL_INLINE_ unsigned long long cll_counter_now_(void)
{
    unsigned long long value;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}
#else
#define CLL_HAS_COUNTER_ 0
CLL_INLINE_ unsigned long long cll_counter_now_(void) { return 0; }
#endif

enum { CLL_MONO = 0, CLL_TSC = 1, CLL_TEST = 2 };

CLL_INLINE_ unsigned long long cll_mono_now_(void)
{
    cll_time time;
    cll_sys_clock(CLL_MONOTONIC_, &time);
    return (unsigned long long)time.seconds * 1000000000ull + (unsigned long long)time.nanoseconds;
}

/* `thread` may be null. The barriers keep memory accesses of the region inside. */
CLL_INLINE_ unsigned long long cll_now_(const cll_thread *thread)
{
    int clock = thread ? thread->clock : cll_shared_.clock;
    unsigned long long now;
    __asm__ __volatile__("" ::: "memory");
    if (clock == CLL_TSC)
        now = cll_counter_now_();
    else if (CLL_LIKELY_(clock == CLL_MONO))
        now = cll_mono_now_();
    else
        now = cll_test_clock();
    __asm__ __volatile__("" ::: "memory");
    return now;
}

/* --------------------------------------------------------------------------------------------------- begin and end */

cll_thread *cll_ready_(cll_experiment *experiment);
int cll_wanted_here_(const void *address, const void *caller);
cll_frame *cll_grow_(cll_thread *thread, unsigned bytes);
void cll_sweep_(cll_thread *thread, const void *address, const void *caller, const void *guard);
void cll_sweep_open_(cll_thread *thread, int id, const void *address);
void cll_extra_begin_(cll_thread *thread, cll_frame *frame, cll_local *local);
void cll_extra_end_(cll_thread *thread, cll_frame *frame, cll_local *local);
char *cll_room_(cll_thread *thread, unsigned long bytes);
void cll_wait_(cll_thread *thread);
void cll_review_(cll_thread *thread, cll_local *local);
void cll_note_region_(cll_thread *thread, const cll_frame *frame, unsigned long long now, double time);
int cll_unwind_(cll_thread *thread, const cll_guard *guard);
void cll_aggregate_(cll_thread *thread, cll_local *local, cll_frame *frame, int status, int flags, double raw,
                    double time, double self);

/* The experiment in this thread, if this visit is to be sampled. */
CLL_INLINE_ cll_local *cll_wanted_(cll_experiment *experiment, const void *address, const void *caller)
{
    cll_thread *thread = cll_self_;
    cll_local *local;
    unsigned long long visit;
    if (CLL_RARE_(__atomic_load_n(&cll_recording_, __ATOMIC_RELAXED) != 1)
        && !cll_wanted_here_(address, caller))
        return 0;
    if (CLL_RARE_(!thread || (unsigned)experiment->id >= thread->known)) {
        thread = cll_ready_(experiment);
        if (!thread) return 0;
    }
    local = thread->locals + experiment->id;
    visit = local->visits++;
    if (CLL_RARE_(experiment->every > 1) && visit % experiment->every) return 0;
    return local;
}

/* `address`: of the frame of the function with the guard, null where no jump leaves the region; `open_in`: of the one
 * with a begin without a guard. */
CLL_INLINE_ void cll_begin_(cll_thread *thread, cll_local *local, cll_guard *guard, cll_experiment *experiment, int count,
                            const double *values, const void *address, const void *caller, const void *open_in)
{
    cll_frame *top, *frame;
    double *slot;
    int i;
    if (address && CLL_RARE_(thread->top->address <= address)) cll_sweep_(thread, address, caller, guard);
    if (open_in) cll_sweep_open_(thread, experiment->id, open_in);
    top = thread->top;
    frame = (cll_frame *)((char *)top + top->bytes);
    if (CLL_RARE_((char *)frame + experiment->frame_bytes > thread->limit)) {
        frame = cll_grow_(thread, experiment->frame_bytes);
        if (!frame) return;
        top = thread->top;
    }
    frame->local = local;
    frame->visit = local->visits - 1;
    frame->address = address ? address : CLL_NOWHERE_;
    frame->guard = open_in ? open_in : guard;
    frame->caller = caller;
    frame->children = 0;
    frame->level = local->open++;
    frame->u.head = experiment->head | __atomic_load_n(&cll_process_, __ATOMIC_RELAXED);
    frame->bytes = experiment->frame_bytes;
    frame->back = top->bytes;
    slot = (double *)(frame + 1);
    for (i = 0; i < count; i++) slot[i] = values[i];
    thread->top = frame;
    if (guard) guard->thread = thread;
    frame->spent = thread->spent;
    if (CLL_RARE_(local->extra & (CLL_X_CPU | CLL_X_COUNTERS))) cll_extra_begin_(thread, frame, local);
    frame->start = cll_now_(thread);
}

/* Only one other party ever reads a thread's records: whoever holds the lock and has set `stop`. */
CLL_INLINE_ void cll_take_(cll_thread *thread)
{
    __atomic_store_n(&thread->busy, 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (CLL_RARE_(__atomic_load_n(&thread->stop, __ATOMIC_ACQUIRE))) cll_wait_(thread);
}
CLL_INLINE_ void cll_give_(cll_thread *thread) { __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE); }

/* Ends the sample on top of the stack. */
CLL_INLINE_ void cll_close_(cll_thread *thread, cll_frame *frame, unsigned long long now, int status)
{
    cll_local *local = frame->local;
    cll_frame *parent = (cll_frame *)((char *)frame - frame->back);
    double raw = (double)(long long)(now - frame->start), time, self;
    unsigned flags = 0;
    local->open--;
    thread->top = parent;
    if (CLL_RARE_(local->extra)) {
        if (frame->u.is.flags & CLL_R_EXTRA) cll_extra_end_(thread, frame, local);
        if ((local->extra & CLL_X_AT_END) && !(frame->u.is.flags & CLL_R_VALUES)) flags |= CLL_R_NO_VALUES;
    }
    time = raw - local->inside - (thread->spent - frame->spent);
    self = time - frame->children;
    if (CLL_RARE_(self < 0)) {
        self = 0;
        if (time < 0) time = 0;
        if (raw < 0) {
            status = CLL_CLOCK_BACK;
            flags |= CLL_R_NO_TIME;
            time = 0;
        } else {
            flags |= CLL_R_CLAMPED;
        }
    }
    parent->children += time;
    thread->spent += local->pair;
    local->sum += time;
    cll_take_(thread);
    if (local->aggregate) {
        cll_aggregate_(thread, local, frame, status, (int)flags, raw, time, self);
    } else {
        unsigned long values = frame->u.is.count, bytes = sizeof(cll_record) + 8 * values, i;
        cll_record *record;
        double *to, *from = (double *)(frame + 1);
        if (CLL_RARE_(frame->u.is.flags & CLL_R_EXTRA)) {
            flags |= CLL_R_EXTRA;
            bytes += 8 + 8ul * frame->counters;
        }
        record = (cll_record *)thread->head;
        if (CLL_RARE_(thread->head + bytes > thread->end)) record = (cll_record *)cll_room_(thread, bytes);
        if (CLL_LIKELY_(record)) {
            thread->head = (char *)record + bytes;
            record->u.head = frame->u.head;
            if (CLL_RARE_(status | flags)) {
                record->u.is.status = (unsigned char)status;
                record->u.is.flags = (unsigned char)flags;
            }
            record->words = (unsigned)(bytes / 8);
            record->level = frame->level;
            record->visit = frame->visit;
            record->raw = raw;
            record->time = time;
            record->self = self;
            to = (double *)(record + 1);
            for (i = 0; i < values; i++) to[i] = from[i];
            if (CLL_RARE_(flags & CLL_R_EXTRA)) {
                to[values] = frame->cpu;
                for (i = 0; i < frame->counters; i++) to[values + 1 + i] = from[values + i];
            }
        }
    }
    cll_give_(thread);
    if (CLL_RARE_(local->extra & CLL_X_EVENTS)) cll_note_region_(thread, frame, now, time);
    if (CLL_RARE_(--local->left == 0)) cll_review_(thread, local);
}

/* Whether the guard's sample is on top, after those above it are gone. */
CLL_INLINE_ cll_thread *cll_own_(cll_guard *guard)
{
    cll_thread *thread = (cll_thread *)guard->thread;
    guard->thread = 0;
    if (CLL_RARE_(thread != cll_self_)) return 0;
    if (CLL_RARE_(thread->top->guard != guard) && !cll_unwind_(thread, guard)) return 0;
    return thread;
}

CLL_INLINE_ void cll_end_(cll_guard *guard, int status)
{
    cll_thread *thread = (cll_thread *)guard->thread;
    unsigned long long now;
    if (!thread) return;
    /* Of another thread it may be gone: its clock is not asked. */
    now = cll_now_(0);
    thread = cll_own_(guard);
    if (CLL_LIKELY_(thread != 0)) cll_close_(thread, thread->top, now, status);
}

/* ------------------------------------------------------------------------------------------------ messages and text */

CLL_COLD_ void cll_say_(const char *what, const char *detail)
{
    char text[700];
    int length = cll_sys_snprintf(text, sizeof text, "cll: %s%s\n", what, detail ? detail : "");
    if (length > (int)sizeof text - 1) length = (int)sizeof text - 1;
    if (length > 0 && cll_sys_write(2, text, (unsigned long)length) < 0) return;
}

CLL_COLD_ int cll_same_(const char *a, const char *b)
{
    return __builtin_strcmp(a ? a : "", b ? b : "") == 0;
}

/* The length of the item of a comma-separated list at `text`. */
CLL_COLD_ unsigned long cll_item_(const char *text, char separator)
{
    unsigned long length = 0;
    while (text[length] && text[length] != separator) length++;
    return length;
}

CLL_COLD_ char *cll_copy_(const char *text, unsigned long length)
{
    char *copy = (char *)cll_sys_calloc(length + 1, 1);
    if (copy) __builtin_memcpy(copy, text, length);
    return copy;
}

/* Whether a list holds a name. */
CLL_COLD_ int cll_lists_(const char *list, const char *name)
{
    unsigned long length = __builtin_strlen(name);
    while (list && *list) {
        unsigned long item;
        while (*list == ' ' || *list == ',') list++;
        item = cll_item_(list, ',');
        while (item && list[item - 1] == ' ') item--;
        if (item == length && __builtin_strncmp(list, name, length) == 0) return 1;
        list += cll_item_(list, ',');
    }
    return 0;
}

/* Where text goes: blocks that are handed on when they are full. */
typedef struct cll_sink {
    char *data;
    unsigned long length, room;
    int failed;
    void (*flush)(struct cll_sink *sink);
    void *to;
} cll_sink;

/* Makes room for `length` bytes, at most 4096. */
CLL_COLD_ char *cll_more_(cll_sink *sink, unsigned long length)
{
    if (sink->length + length > sink->room) sink->flush(sink);
    return sink->data + sink->length;
}

CLL_COLD_ void cll_put_n_(cll_sink *sink, const char *text, unsigned long length)
{
    while (length) {
        unsigned long part = length < 4096 ? length : 4096;
        __builtin_memcpy(cll_more_(sink, part), text, part);
        sink->length += part;
        text += part;
        length -= part;
    }
}

CLL_COLD_ void cll_put_(cll_sink *sink, const char *text) { cll_put_n_(sink, text, __builtin_strlen(text)); }

CLL_COLD_ void cll_put_char_(cll_sink *sink, char c)
{
    *cll_more_(sink, 1) = c;
    sink->length++;
}

CLL_COLD_ void cll_put_count_(cll_sink *sink, unsigned long long value)
{
    char digits[24];
    int at = 24;
    do digits[--at] = (char)('0' + value % 10); while (value /= 10);
    cll_put_n_(sink, digits + at, (unsigned long)(24 - at));
}

/* The square root, by Newton's method: not every program is linked with -lm. */
CLL_COLD_ double cll_root_(double value)
{
    double root, scale = 1;
    int i;
    if (!(value > 0) || !__builtin_isfinite(value)) return value > 0 ? value : 0;
    while (value > 4) value *= 0.25, scale *= 2;
    while (value < 1) value *= 4, scale *= 0.5;
    for (root = 1.5, i = 0; i < 6; i++) root = 0.5 * (root + value / root);
    return root * scale;
}

/* value * 10^power */
CLL_COLD_ double cll_scaled_(double value, int power)
{
    static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    for (; power > 22; power -= 22) value *= 1e22;
    for (; power < -22; power += 22) value /= 1e22;
    return power < 0 ? value / powers[-power] : value * powers[power];
}

/* 12 significant digits, without zeros at their end; what is not finite is left out. */
CLL_COLD_ void cll_put_time_(cll_sink *sink, double value)
{
    char digits[16];
    unsigned long long number;
    double scaled;
    int ten, last = 11, i;
    if (!__builtin_isfinite(value)) return;
    if (value < 0) {
        cll_put_char_(sink, '-');
        value = -value;
    }
    if (value < 1e-290) {
        cll_put_char_(sink, '0');
        return;
    }
    /* The decimal exponent from the binary one, which may be one off. */
    __builtin_memcpy(&number, &value, 8);
    ten = ((((int)(number >> 52) & 0x7ff) - 1023) * 1233) >> 12;
    scaled = cll_scaled_(value, 11 - ten);
    if (scaled < 99999999999.5) scaled = cll_scaled_(value, 11 - --ten);
    if (scaled >= 999999999999.5) scaled = cll_scaled_(value, 11 - ++ten);
    number = (unsigned long long)(scaled + 0.5);
    for (i = 11; i >= 0; i--) {
        digits[i] = (char)('0' + number % 10);
        number /= 10;
    }
    while (last > 0 && digits[last] == '0') last--;
    cll_put_char_(sink, digits[0]);
    if (last > 0) {
        cll_put_char_(sink, '.');
        cll_put_n_(sink, digits + 1, (unsigned long)last);
    }
    if (ten) {
        cll_put_char_(sink, 'e');
        if (ten < 0) cll_put_char_(sink, '-');
        cll_put_count_(sink, (unsigned long long)(ten < 0 ? -ten : ten));
    }
}

/* As many digits as give the same number back; whatever the program's locale is, with a point. */
CLL_COLD_ void cll_put_exact_(cll_sink *sink, double value)
{
    char text[40];
    int digits, i;
    if (!__builtin_isfinite(value)) return;
    if (value == (double)(long long)(value > 9e15 || value < -9e15 ? 0.5 : value)) {
        long long whole = (long long)value;
        if (whole < 0) cll_put_char_(sink, '-');
        cll_put_count_(sink, (unsigned long long)(whole < 0 ? -whole : whole));
        return;
    }
    for (digits = 15; digits <= 17; digits++) {
        cll_sys_snprintf(text, sizeof text, "%.*g", digits, value);
        if (cll_sys_strtod(text, 0) == value) break;
    }
    for (i = 0; text[i]; i++)
        if (!((text[i] >= '0' && text[i] <= '9') || text[i] == '-' || text[i] == '+' || text[i] == 'e')) text[i] = '.';
    cll_put_(sink, text);
}

CLL_COLD_ void cll_put_json_n_(cll_sink *sink, const char *text, unsigned long length)
{
    unsigned long i;
    cll_put_char_(sink, '"');
    for (i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escape[8];
        if (c == '"' || c == '\\') {
            cll_put_char_(sink, '\\');
            cll_put_char_(sink, (char)c);
        } else if (c < 0x20 || c == 0x7f) {
            cll_sys_snprintf(escape, sizeof escape, "\\u%04x", c);
            cll_put_(sink, escape);
        } else {
            cll_put_char_(sink, (char)c);
        }
    }
    cll_put_char_(sink, '"');
}

CLL_COLD_ void cll_put_json_(cll_sink *sink, const char *text)
{
    cll_put_json_n_(sink, text ? text : "", text ? __builtin_strlen(text) : 0);
}

/* A list as an array of texts. */
CLL_COLD_ void cll_put_list_(cll_sink *sink, const char *list, char separator)
{
    int first = 1;
    cll_put_char_(sink, '[');
    while (list && *list) {
        unsigned long length = cll_item_(list, separator), next = length + (list[length] != 0);
        while (length && (*list == ' ')) list++, length--, next--;
        while (length && list[length - 1] == ' ') length--;
        if (length) {
            if (!first) cll_put_char_(sink, ',');
            cll_put_json_n_(sink, list, length);
            first = 0;
        }
        list += next;
    }
    cll_put_char_(sink, ']');
}

/* A cell, in quotes where it needs them. */
CLL_COLD_ void cll_put_cell_(cll_sink *sink, const char *text)
{
    const char *c = text;
    int quote = *text == 0 || *text == '#' || *text == ' ';
    for (; *c; c++) quote |= *c == ',' || *c == '"' || *c == '\n' || *c == '\r' || *c == ';' || *c == '\t';
    if (!quote) {
        cll_put_(sink, text);
        return;
    }
    cll_put_char_(sink, '"');
    for (c = text; *c; c++) {
        if (*c == '"') cll_put_char_(sink, '"');
        cll_put_char_(sink, *c == '\n' || *c == '\r' ? ' ' : *c);
    }
    cll_put_char_(sink, '"');
}

/* --------------------------------------------------------------------------------------------- locks and memory */

/* The thread that holds the lock: a signal handler in it must not wait for it. */
CLL_SHARED_ __thread int cll_holds_ = 0;

CLL_COLD_ void cll_pause_(long nanoseconds)
{
    cll_time time = { 0, 0 };
    time.nanoseconds = nanoseconds;
    cll_sys_sleep(&time, 0);
}

/* False if this thread holds it already. */
CLL_COLD_ int cll_lock_(void)
{
    int turns = 0;
    if (cll_holds_) return 0;
    cll_holds_ = 1;
    while (__atomic_exchange_n(&cll_shared_.lock, 1, __ATOMIC_ACQUIRE))
        if (++turns > 50) cll_pause_(20000);
    return 1;
}

CLL_COLD_ void cll_unlock_(void)
{
    __atomic_store_n(&cll_shared_.lock, 0, __ATOMIC_RELEASE);
    cll_holds_ = 0;
}

/* Makes all threads but this one stay out of their buffers; the caller holds the lock. */
CLL_COLD_ void cll_stop_threads_(int stop)
{
    cll_thread *thread;
    for (thread = cll_shared_.threads; thread; thread = thread->next)
        if (thread != cll_self_)
            __atomic_store_n(&thread->stop, stop || !cll_shared_.fenced ? stop : 2, __ATOMIC_SEQ_CST);
    if (!stop) return;
    if (!cll_shared_.fenced) {
#ifdef __linux__
#if defined __x86_64__
        cll_sys_syscall(324, 8, 0, 0);
#else
        cll_sys_syscall(283, 8, 0, 0);
#endif
#endif
    }
    for (thread = cll_shared_.threads; thread; thread = thread->next) {
        int turns = 0;
        if (thread == cll_self_) continue;
        while (__atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE))
            if (++turns > 100) cll_pause_(10000);
    }
}

/* Whether other threads can be made to see a store without a fence of their own. */
CLL_COLD_ int cll_can_fence_(void)
{
#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)
#if defined __x86_64__
    return cll_sys_syscall && cll_sys_syscall(324, 16, 0, 0) == 0;
#else
    return cll_sys_syscall && cll_sys_syscall(283, 16, 0, 0) == 0;
#endif
#else
    return 0;
#endif
}

/* A thread that came upon `stop`. */
CLL_COLD_ void cll_wait_(cll_thread *thread)
{
    unsigned long long start;
    int *code = cll_sys_errno(), kept = *code;
    __atomic_exchange_n(&thread->busy, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&thread->stop, __ATOMIC_SEQ_CST) != 1) return;
    start = cll_now_(thread);
    do {
        __atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
        while (__atomic_load_n(&thread->stop, __ATOMIC_ACQUIRE) == 1) cll_pause_(20000);
        __atomic_exchange_n(&thread->busy, 1, __ATOMIC_SEQ_CST);
    } while (__atomic_load_n(&thread->stop, __ATOMIC_SEQ_CST) == 1);
    *code = kept;
    thread->spent += (double)(long long)(cll_now_(thread) - start);
}

/* Memory out of the bound of the process; null when that is reached. A thread with much leaves as much again. */
CLL_COLD_ void *cll_memory_(unsigned long bytes, unsigned long own, int must)
{
    unsigned long used = __atomic_add_fetch(&cll_shared_.memory_used, bytes, __ATOMIC_RELAXED);
    void *memory = 0;
    if (must || used + own <= cll_shared_.memory_limit) memory = cll_sys_calloc(1, bytes);
    if (!memory) __atomic_sub_fetch(&cll_shared_.memory_used, bytes, __ATOMIC_RELAXED);
    return memory;
}

CLL_COLD_ unsigned long cll_memory_used_(void)
{
    return __atomic_load_n(&cll_shared_.memory_used, __ATOMIC_RELAXED);
}

CLL_COLD_ void cll_release_(void *memory, unsigned long bytes)
{
    if (memory) __atomic_sub_fetch(&cll_shared_.memory_used, bytes, __ATOMIC_RELAXED);
    cll_sys_free(memory);
}

CLL_COLD_ cll_chunk *cll_chunk_(unsigned long bytes, unsigned long own, int must)
{
    cll_chunk *chunk = (cll_chunk *)cll_memory_(bytes, own, must);
    char *page;
    if (!chunk) return 0;
    chunk->bytes = bytes;
    chunk->head = (char *)(chunk + 1);
    chunk->end = (char *)chunk + bytes;
    /* Now, and not one by one while samples are taken, the system gives the pages. */
    for (page = chunk->head; page < chunk->end; page += 4096) *(volatile char *)page = 0;
    return chunk;
}

CLL_COLD_ void cll_free_chunks_(cll_thread *thread, cll_chunk *chunk)
{
    while (chunk) {
        cll_chunk *next = chunk->next;
        thread->chunk_bytes -= chunk->bytes;
        cll_release_(chunk, chunk->bytes);
        chunk = next;
    }
}

/* ----------------------------------------------------------------------------------------------- experiments */

/* The metrics of an experiment that are counters. */
CLL_COLD_ int cll_counter_number_(const char *name, unsigned long length)
{
    cll_state *s = &cll_shared_;
    int i;
    for (i = 0; i < s->counter_count; i++)
        if (__builtin_strlen(s->counters[i].name) == length
            && __builtin_strncmp(s->counters[i].name, name, length) == 0)
            return i;
    if (i == CLL_COUNTERS_) return -1;
    s->counters[i].name = cll_copy_(name, length);
    if (!s->counters[i].name) return -1;
    s->counter_count++;
    return i;
}

CLL_COLD_ void cll_group_metrics_(cll_group *group, const char *list)
{
    while (list && *list) {
        unsigned long length;
        int number, i;
        while (*list == ' ' || *list == ',') list++;
        length = cll_item_(list, ',');
        while (length && list[length - 1] == ' ') length--;
        if (length == 3 && __builtin_strncmp(list, "cpu", 3) == 0) {
            group->cpu = 1;
        } else if (length && !(length == 4 && __builtin_strncmp(list, "time", 4) == 0)) {
            number = cll_counter_number_(list, length);
            for (i = 0; i < group->counters && group->counter[i] != number; i++) {}
            if (i == group->counters && number >= 0 && group->counters < 32) group->counter[group->counters++] = number;
        }
        list += cll_item_(list, ',');
    }
}

/* How much room its frames need, for values and counters. */
CLL_COLD_ void cll_shape_(cll_experiment *experiment, int counters)
{
    cll_frame frame;
    frame.u.head = 0;
    frame.u.is.id = (unsigned short)experiment->id;
    frame.u.is.count = (unsigned short)experiment->count;
    experiment->head = frame.u.head;
    experiment->frame_bytes = (unsigned)(sizeof frame + 8ul * (unsigned long)(experiment->count + counters));
}

/* The group of a table; the caller holds the lock, or is alone before main. */
CLL_COLD_ void cll_adopt_(cll_experiment *experiment)
{
    cll_state *s = &cll_shared_;
    cll_group *group = 0;
    int i, namesakes = 0;
    for (i = 0; i < s->group_count; i++) {
        cll_experiment *first = s->groups[i]->first;
        if (!cll_same_(first->name, experiment->name)) continue;
        namesakes++;
        if (cll_same_(first->formula, experiment->formula) && cll_same_(first->names, experiment->names)
            && first->count == experiment->count) {
            group = s->groups[i];
            break;
        }
    }
    if (!group) {
        if (s->group_count >= 65000) return;
        if (s->group_count == s->group_room) {
            cll_group **more;
            s->group_room = s->group_room ? 2 * s->group_room : 16;
            more = (cll_group **)cll_sys_realloc(s->groups, sizeof *more * (unsigned long)s->group_room);
            if (!more) return;
            s->groups = more;
        }
        group = (cll_group *)cll_sys_calloc(1, sizeof *group);
        if (!group) return;
        group->first = experiment;
        group->name = (char *)cll_sys_calloc(__builtin_strlen(experiment->name) + 12, 1);
        if (!group->name) return;
        __builtin_memcpy(group->name, experiment->name, __builtin_strlen(experiment->name));
        if (namesakes) {
            cll_sys_snprintf(group->name, __builtin_strlen(experiment->name) + 12, "%s#%d", experiment->name,
                             namesakes + 1);
            cll_say_("formulas or names differ for one experiment, recorded apart: ", group->name);
        }
        group->count = experiment->count;
        cll_group_metrics_(group, cll_sys_getenv("CLL_PAPI"));
        i = s->group_count++;
        s->groups[i] = group;
    }
    cll_group_metrics_(group, experiment->metric);
    group->flags |= experiment->flags;
    if (experiment->every > group->every) group->every = experiment->every;
    experiment->id = i;
}

CLL_COLD_ void cll_final_(void);

/* A copy with texts of its own: a library that is unloaded takes its tables with it. */
CLL_COLD_ cll_experiment *cll_keep_(const cll_experiment *experiment)
{
    cll_experiment *copy = (cll_experiment *)cll_sys_calloc(1, sizeof *copy);
    const char **texts[8];
    unsigned i;
    if (!copy) return 0;
    *copy = *experiment;
    texts[0] = &copy->name;
    texts[1] = &copy->formula;
    texts[2] = &copy->file;
    texts[3] = &copy->names;
    texts[4] = &copy->seg;
    texts[5] = &copy->metric;
    texts[6] = &copy->hash;
    texts[7] = &copy->compiler;
    for (i = 0; i < 8; i++) {
        const char *text = *texts[i] ? *texts[i] : "";
        *texts[i] = cll_copy_(text, __builtin_strlen(text));
        if (!*texts[i]) return 0;
    }
    return copy;
}

/* The table of the same experiment at the same place, if there is one. */
CLL_COLD_ cll_experiment *cll_known_(const cll_experiment *experiment)
{
    cll_experiment *known;
    for (known = cll_shared_.experiments; known; known = known->next)
        if (known->line == experiment->line && known->count == experiment->count
            && cll_same_(known->name, experiment->name) && cll_same_(known->formula, experiment->formula)
            && cll_same_(known->file, experiment->file) && cll_same_(known->names, experiment->names)
            && cll_same_(known->hash, experiment->hash))
            return known;
    return 0;
}

CLL_COLD_ void cll_register(cll_experiment *experiment)
{
    cll_state *s = &cll_shared_;
    int locked;
    if (experiment->id >= 0) return;
    if (experiment->count < 0 || experiment->count > 4000) {
        cll_say_("too many values in experiment ", experiment->name);
        return;
    }
    locked = cll_lock_();
    if (experiment->id < 0) {
        /* Of a header, each library has a table of its own. */
        cll_experiment *kept = cll_known_(experiment);
        if (kept) {
            experiment->frame_bytes = kept->frame_bytes;
            experiment->head = kept->head;
            __atomic_store_n(&experiment->id, kept->id, __ATOMIC_RELEASE);
            if (locked) cll_unlock_();
            return;
        }
        kept = cll_keep_(experiment);
        if (!s->experiments && cll_sys_atexit(cll_final_)) cll_say_("no trace will be written", 0);
        if (kept) cll_adopt_(kept);
        if (kept && kept->id >= 0) {
            kept->next = s->experiments;
            s->experiments = kept;
            cll_shape_(kept, s->groups[kept->id]->counters);
            experiment->frame_bytes = kept->frame_bytes;
            experiment->head = kept->head;
            __atomic_store_n(&experiment->id, kept->id, __ATOMIC_RELEASE);
        }
    }
    if (locked) cll_unlock_();
}

CLL_COLD_ void cll_register_all_(cll_experiment *const *experiments, int count)
{
    int i;
    for (i = 0; i < count; i++) cll_register(experiments[i]);
}

/* ---------------------------------------------------------------------------------------------- start of the process */

/* A number of bytes such as 64MiB, 1GiB, 5000000. */
CLL_COLD_ unsigned long cll_bytes_(const char *text, unsigned long otherwise)
{
    static const char *const cll_units[] = { "",    "B",   "k",   "kB",  "KiB", "Ki",  "M",   "MB",
                                         "MiB", "Mi",  "G",   "GB",  "GiB", "Gi",  "K",   "KB" };
    static const double sizes[] = { 1, 1, 1e3, 1e3, 1024, 1024, 1e6, 1e6, 1048576, 1048576, 1e9, 1e9, 1073741824.,
                                    1073741824., 1024, 1024 };
    char *end;
    double number;
    unsigned i;
    if (!text || !*text) return otherwise;
    number = cll_sys_strtod(text, &end);
    while (*end == ' ') end++;
    for (i = 0; i < sizeof cll_units / sizeof *cll_units; i++)
        if (end != text && cll_same_(end, cll_units[i]) && number > 0 && number * sizes[i] < 1e18)
            return (unsigned long)(number * sizes[i]);
    cll_say_("CLL_MEM is a size such as 64MiB, 1GiB or 5000000, not ", text);
    return otherwise;
}

CLL_COLD_ int cll_is_set_(const char *name)
{
    const char *text = cll_sys_getenv(name);
    return text && *text && !cll_same_(text, "0") && !cll_same_(text, "no") && !cll_same_(text, "off");
}

/* Year, month, day of a day since 1970. */
CLL_COLD_ void cll_utc_(char *text, unsigned long room)
{
    cll_time now;
    long long days, era, year;
    unsigned long day_of_era, year_of_era, day_of_year, month, seconds;
    cll_sys_clock(0, &now);
    days = now.seconds / 86400 + 719468;
    seconds = (unsigned long)(now.seconds % 86400);
    era = days / 146097;
    day_of_era = (unsigned long)(days - era * 146097);
    year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    year = (long long)year_of_era + era * 400;
    day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    month = (5 * day_of_year + 2) / 153;
    cll_sys_snprintf(text, room, "%04lld-%02lu-%02luT%02lu:%02lu:%02luZ", year + (month >= 10),
                     month < 10 ? month + 3 : month - 9, day_of_year - (153 * month + 2) / 5 + 1, seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
}

/* A moment on both clocks, as close together as they come. */
CLL_COLD_ void cll_moment_(unsigned long long *mono, unsigned long long *counter)
{
    unsigned long long best = ~0ull;
    int i;
    for (i = 0; i < 20; i++) {
        unsigned long long before = cll_mono_now_(), value = cll_counter_now_(), after = cll_mono_now_();
        if (after - before < best) {
            best = after - before;
            *mono = before + (after - before) / 2;
            *counter = value;
        }
    }
}

CLL_COLD_ double cll_counter_hz_(void)
{
    unsigned long long mono, counter;
    cll_moment_(&mono, &counter);
    if (mono <= cll_shared_.mono_start) return 0;
    return (double)(counter - cll_shared_.tsc_start) * 1e9 / (double)(mono - cll_shared_.mono_start);
}

CLL_COLD_ int cll_counter_is_invariant_(void)
{
#if defined __x86_64__ || defined __i386__
    unsigned a = 0x80000000u, b = 0, c = 0, d = 0;
    __asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (a < 0x80000007u) return 0;
    a = 0x80000007u;
    c = 0;
    __asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (d >> 8) & 1;
#else
    return CLL_HAS_COUNTER_;
#endif
}

CLL_COLD_ void cll_choose_clock_(void)
{
    cll_state *s = &cll_shared_;
    const char *wanted = cll_sys_getenv("CLL_CLOCK");
    s->clock = CLL_MONO;
    s->tick_s = 1e-9;
    s->hz = 1e9;
    if (cll_test_clock) {
        s->clock = CLL_TEST;
        return;
    }
    if (!wanted || !*wanted || cll_same_(wanted, "mono")) return;
    if (!cll_same_(wanted, "tsc")) {
        cll_say_("CLL_CLOCK is mono or tsc, not ", wanted);
        return;
    }
    if (cll_is_set_("CLL_TEST_VARIANT_TSC") || !CLL_HAS_COUNTER_ || !cll_counter_is_invariant_()) {
        cll_say_("the time-stamp counter of this machine is not invariant; clock_gettime is used", 0);
        cll_sys_snprintf(s->why_mono, sizeof s->why_mono, "tsc is not invariant");
        return;
    }
    s->clock = CLL_TSC;
    cll_moment_(&s->mono_start, &s->tsc_start);
    cll_pause_(10000000);
    s->hz = cll_counter_hz_();
    if (!(s->hz > 1e5)) {
        cll_say_("the frequency of the time-stamp counter cannot be found; clock_gettime is used", 0);
        s->clock = CLL_MONO;
        s->hz = 1e9;
    }
    s->tick_s = 1 / s->hz;
}

CLL_COLD_ void cll_program_name_(void)
{
    cll_state *s = &cll_shared_;
    const char *name = cll_sys_getenv("CLL_NAME");
    char *c;
    if ((!name || !*name) && &cll_sys_program_name && cll_sys_program_name) name = cll_sys_program_name;
    if (!name || !*name) name = "program";
    cll_sys_snprintf(s->name, sizeof s->name, "%s", name);
    for (c = s->name; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ') *c = '_';
}

CLL_COLD_ void cll_before_fork_(void) { cll_lock_(); }
CLL_COLD_ void cll_after_fork_(void) { cll_unlock_(); }

CLL_COLD_ void cll_clear_table_(cll_thread *thread)
{
    cll_free_chunks_(thread, thread->arena);
    thread->arena = 0;
    thread->first_entry = thread->last_entry = 0;
    thread->entries = 0;
    thread->miss = cll_shared_.miss[0];
    if (thread->table) __builtin_memset(thread->table, 0, thread->table_size * sizeof *thread->table);
}

/* Drops what was recorded: in the child, which has but one thread. */
CLL_COLD_ void cll_drop_(cll_thread *thread)
{
    cll_chunk *chunk;
    for (chunk = thread->chunks; chunk; chunk = chunk->next) chunk->head = (char *)(chunk + 1);
    thread->current = thread->chunks;
    thread->head = thread->current ? thread->current->head : 0;
    thread->end = thread->current ? thread->current->end : 0;
    cll_clear_table_(thread);
    thread->stop = thread->busy = 0;
    thread->lost = 0;
    thread->spill = 0;
}

CLL_COLD_ void cll_forget_(void)
{
    cll_state *s = &cll_shared_;
    cll_thread *thread, *next;
    cll_output *output;
    unsigned i;
    s->pid = cll_sys_getpid();
    s->forked = 1;
    s->fenced = s->ready && !cll_can_fence_();
    for (thread = s->threads; thread; thread = next) {
        next = thread->next;
        cll_drop_(thread);
        if (thread == cll_self_) {
            /* Samples that the parent began are the parent's. */
            thread->top = (cll_frame *)thread->base;
            for (i = 0; i < thread->known; i++) {
                cll_local *local = thread->locals + i;
                local->visits = local->samples = 0;
                local->left = local->step = 1;
                local->sum = 0;
                local->last = 0;
                local->open = 0;
            }
            thread->number = 0;
            thread->stop = s->fenced ? 2 : 0;
        }
    }
    /* Threads of the parent are not in the child. */
    s->threads = s->last_thread = cll_self_;
    s->spill_gone = s->lost_gone = 0;
    if (cll_self_) cll_self_->next = 0;
    s->thread_count = cll_self_ != 0;
    /* The stream is the parent's, with its place in the file. Nothing is in its buffer: every write ends in a flush. */
    for (output = s->outputs; output; output = output->next) output->over = 1;
    s->outputs = s->own = 0;
    s->run_known = 0;
    s->reserved = 0;
    s->part = s->reports = s->written = 0;
    s->over = 0;
    cll_utc_(s->started, sizeof s->started);
    cll_unlock_();
}

/* Reads the environment, once. The caller holds the lock. */
CLL_COLD_ void cll_start_(void)
{
    cll_state *s = &cll_shared_;
    const char *text;
    char *end;
    if (s->ready) return;
    s->pid = cll_sys_getpid();
    s->memory_limit = cll_bytes_(cll_sys_getenv("CLL_MEM"), 64ul << 20);
    if (s->memory_limit < 256 * 1024) {
        cll_say_("CLL_MEM is at least 256KiB", 0);
        s->memory_limit = 256 * 1024;
    }
    text = cll_sys_getenv("CLL_MODE");
    if (text && *text && !cll_same_(text, "auto")) {
        if (cll_same_(text, "trace"))
            s->mode = CLL_MODE_TRACE;
        else if (cll_same_(text, "aggregate"))
            s->mode = CLL_MODE_AGGREGATE;
        else
            cll_say_("CLL_MODE is auto, trace or aggregate, not ", text);
    }
    s->cpu = cll_is_set_("CLL_CPU");
    s->supersteps = cll_is_set_("CLL_BSP");
    text = cll_sys_getenv("CLL_GATHER");
    s->gather = !text || !*text || cll_is_set_("CLL_GATHER");
    text = cll_sys_getenv("CLL_GATHER_TIMEOUT");
    s->gather_timeout_s = text && *text ? cll_sys_strtod(text, 0) : 60;
    if (!(s->gather_timeout_s >= 0)) s->gather_timeout_s = 60;
    cll_program_name_();
    if (cll_sys_gethostname(s->host, sizeof s->host - 1)) s->host[0] = 0;
    cll_utc_(s->started, sizeof s->started);
    s->fenced = !cll_can_fence_();
    cll_choose_clock_();
    if (!s->process_count) s->process_count = 1;
    text = cll_sys_getenv("CLL_DEPTH");
    if (text && *text) {
        double depth = cll_sys_strtod(text, &end);
        if (*end || !(depth >= 0 && depth < 1e9) || depth != (double)(unsigned)depth)
            cll_say_("CLL_DEPTH is a number such as 1, not ", text);
        else
            s->depth = (unsigned)depth;
    }
    if (cll_is_set_("CLL_OFF"))
        __atomic_store_n(&cll_recording_, 0, __ATOMIC_RELAXED);
    else if (s->depth && __atomic_load_n(&cll_recording_, __ATOMIC_RELAXED))
        __atomic_store_n(&cll_recording_, 2, __ATOMIC_RELAXED);
    if (cll_sys_register_atfork)
        cll_sys_register_atfork(cll_before_fork_, cll_after_fork_, cll_forget_, 0);
    else if (cll_sys_atfork)
        cll_sys_atfork(cll_before_fork_, cll_after_fork_, cll_forget_);
    s->ready = 1;
}

/* ------------------------------------------------------------------------------------------------------ counters */

typedef struct cll_papi {
    int tried, works;
    int (*init)(int version);
    int (*thread_init)(unsigned long (*self)(void));
    int (*create)(int *set);
    int (*add)(int set, const char *name);
    int (*begin)(int set);
    int (*read)(int set, long long *values);
    char *(*error)(int code);
    char why[160];
} cll_papi;
CLL_SHARED_ cll_papi cll_papi_ = { 0 };

CLL_COLD_ const char *cll_papi_open_(void)
{
    static const char *const cll_names[] = { "libpapi.so", "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                         "libpapi.so.7", "libpapi.so.6.0", "libpapi.so.6", "libpapi.so.5.7" };
    static const int versions[] = { 0x07030000, 0x07020000, 0x07010000, 0x07000000, 0x06010000, 0x06000000,
                                    0x05070000, 0x05060000, 0x05050000 };
    cll_papi *p = &cll_papi_;
    const char *library = cll_sys_getenv("CLL_PAPI_LIBRARY");
    void *handle = 0;
    unsigned i;
    int found = 0;
    if (!cll_sys_dlopen || !cll_sys_dlsym) return "this program cannot load libraries";
    if (library && *library) handle = cll_sys_dlopen(library, 2);
    else
        for (i = 0; i < sizeof cll_names / sizeof *cll_names && !handle; i++) handle = cll_sys_dlopen(cll_names[i], 2);
    if (!handle) return "PAPI is not installed";
    *(void **)&p->init = cll_sys_dlsym(handle, "PAPI_library_init");
    *(void **)&p->thread_init = cll_sys_dlsym(handle, "PAPI_thread_init");
    *(void **)&p->create = cll_sys_dlsym(handle, "PAPI_create_eventset");
    *(void **)&p->add = cll_sys_dlsym(handle, "PAPI_add_named_event");
    *(void **)&p->begin = cll_sys_dlsym(handle, "PAPI_start");
    *(void **)&p->read = cll_sys_dlsym(handle, "PAPI_read");
    *(void **)&p->error = cll_sys_dlsym(handle, "PAPI_strerror");
    if (!p->init || !p->create || !p->add || !p->begin || !p->read) return "the PAPI library lacks functions";
    for (i = 0; i < sizeof versions / sizeof *versions && found <= 0; i++) found = p->init(versions[i]);
    if (found <= 0) {
        const char *why = p->error ? p->error(found) : 0;
        cll_sys_snprintf(p->why, sizeof p->why, "PAPI does not start: %s", why ? why : "unknown reason");
        return p->why;
    }
    if (p->thread_init && cll_sys_thread_self) p->thread_init(cll_sys_thread_self);
    return 0;
}

CLL_COLD_ void cll_counter_fails_(cll_counter *counter, const char *why)
{
    if (!counter->why) counter->why = cll_copy_(why, __builtin_strlen(why));
    counter->code = -1;
}

/* Starts the counters of a thread; those that fail in one thread are left out in those to come. */
CLL_COLD_ void cll_counters_start_(cll_thread *thread)
{
    cll_state *s = &cll_shared_;
    cll_papi *p = &cll_papi_;
    const char *why = 0;
    char text[200];
    int i, code, events = 0;
    if (!s->counter_count) return;
    if (!p->tried) {
        p->tried = 1;
        why = cll_papi_open_();
        p->works = !why;
        for (i = 0; why && i < s->counter_count; i++) cll_counter_fails_(s->counters + i, why);
    }
    if (!p->works) return;
    thread->event_set = -1;
    code = p->create(&thread->event_set);
    for (i = 0; i < s->counter_count; i++) {
        if (s->counters[i].why) continue;
        if (code == 0) {
            int added = p->add(thread->event_set, s->counters[i].name);
            if (added == 0) {
                s->counters[i].code = events++;
                continue;
            }
            why = p->error ? p->error(added) : 0;
        } else {
            why = p->error ? p->error(code) : 0;
        }
        cll_sys_snprintf(text, sizeof text, "PAPI: %s", why ? why : "unknown reason");
        cll_counter_fails_(s->counters + i, text);
    }
    if (!events) return;
    code = p->begin(thread->event_set);
    if (code == 0) {
        thread->has_events = events;
        return;
    }
    why = p->error ? p->error(code) : 0;
    cll_sys_snprintf(text, sizeof text, "PAPI: %s", why ? why : "unknown reason");
    for (i = 0; i < s->counter_count; i++) cll_counter_fails_(s->counters + i, text);
}

/* ------------------------------------------------------------------------------------------------------- threads */

CLL_COLD_ double cll_cpu_now_(void)
{
    cll_time time;
    if (cll_sys_clock(CLL_THREAD_CPU_, &time)) return __builtin_nan("");
    return (double)time.seconds + 1e-9 * (double)time.nanoseconds;
}

CLL_COLD_ void cll_counts_now_(cll_thread *thread, cll_group *group, int count, double *to)
{
    long long counts[CLL_COUNTERS_] = { 0 };
    int i, ok = thread->has_events && cll_papi_.read(thread->event_set, counts) == 0;
    for (i = 0; i < count; i++) {
        cll_counter *counter = cll_shared_.counters + group->counter[i];
        to[i] = ok && !counter->why ? (double)counts[counter->code] : __builtin_nan("");
    }
}

CLL_COLD_ void cll_extra_begin_(cll_thread *thread, cll_frame *frame, cll_local *local)
{
    int *code = cll_sys_errno(), kept = *code;
    frame->u.is.flags |= CLL_R_EXTRA;
    /* As many as the table had room for when it was registered. */
    frame->counters = (unsigned)((frame->bytes - sizeof *frame) / 8 - frame->u.is.count);
    if (local->extra & CLL_X_COUNTERS)
        cll_counts_now_(thread, local->group, frame->counters, (double *)(frame + 1) + frame->u.is.count);
    frame->cpu = local->extra & CLL_X_CPU ? cll_cpu_now_() : __builtin_nan("");
    *code = kept;
}

CLL_COLD_ void cll_extra_end_(cll_thread *thread, cll_frame *frame, cll_local *local)
{
    double now[32], *then = (double *)(frame + 1) + frame->u.is.count;
    int *code = cll_sys_errno(), kept = *code, i;
    frame->cpu = local->extra & CLL_X_CPU ? cll_cpu_now_() - frame->cpu : __builtin_nan("");
    /* The clock of CPU time ticks in nanoseconds, too: the part of the pair that it sees is not told apart. */
    if (local->extra & CLL_X_COUNTERS) {
        cll_counts_now_(thread, local->group, frame->counters, now);
        for (i = 0; i < frame->counters; i++) then[i] = now[i] - then[i];
    } else {
        for (i = 0; i < frame->counters; i++) then[i] = __builtin_nan("");
    }
    *code = kept;
}

/* What holds for an experiment in a thread from now on. */
CLL_COLD_ void cll_settle_(cll_local *local)
{
    int kind = (local->aggregate ? 1 : 0) + (local->extra & (CLL_X_CPU | CLL_X_COUNTERS) ? 2 : 0);
    local->inside = cll_shared_.inside[kind];
    local->pair = cll_shared_.pair[kind] + cll_shared_.value * local->group->count;
}

CLL_COLD_ void cll_place_(void);

CLL_COLD_ void cll_review_(cll_thread *thread, cll_local *local)
{
    double mean_s;
    cll_group *group = local->group;
    (void)thread;
    /* The first sample may have begun before MPI_Init, and the last one end behind MPI_Finalize. */
    if (CLL_RARE_(cll_sys_mpi_initialized != 0) && cll_shared_.placed != CLL_PLACED_BY_MPI_ && !cll_mpi_is_there_
        && cll_lock_()) {
        cll_place_();
        cll_unlock_();
    }
    local->samples += local->step;
    mean_s = local->sum / (double)local->samples * cll_shared_.tick_s;
    /* After 1, 2, 4 .. samples, and then after each 100,000. */
    local->step = local->samples < 100000 ? local->samples : 100000;
    if (local->samples < 100000 && local->samples + local->step > 100000) local->step = 100000 - local->samples;
    local->left = local->step;
    if (local->extra & CLL_X_CPU) {
        if (!group->cpu && mean_s < 50e-6) {
            local->extra = (unsigned char)(local->extra & ~CLL_X_CPU);
            local->small = 1;
        }
    } else if (local->small && mean_s >= 50e-6) {
        local->extra |= CLL_X_CPU;
        local->small = 0;
    }
    if (local->samples >= 100000 && !local->aggregate && mean_s < 10e-6) {
        unsigned flags = group->flags & (CLL_MODE_TRACE | CLL_MODE_AGGREGATE);
        if (!cll_shared_.mode && !flags) local->aggregate = 1;
    }
    cll_settle_(local);
}

/* Locals for all groups there are. The caller holds the lock. */
CLL_COLD_ int cll_locals_(cll_thread *thread)
{
    cll_state *s = &cll_shared_;
    unsigned count = (unsigned)s->group_count, i;
    cll_frame *frame;
    cll_local *more = (cll_local *)cll_sys_realloc(thread->locals, (count + 1) * sizeof *more);
    if (!more) return 0;
    for (frame = thread->top; (char *)frame > thread->base; frame = (cll_frame *)((char *)frame - frame->back))
        frame->local = more + frame->u.is.id;
    thread->locals = more;
    for (i = thread->known; i < count; i++) {
        cll_group *group = s->groups[i];
        unsigned mode = s->mode ? (unsigned)s->mode : group->flags;
        __builtin_memset(more + i, 0, sizeof *more);
        more[i].group = group;
        more[i].left = more[i].step = 1;
        more[i].aggregate = (mode & CLL_MODE_AGGREGATE) != 0;
        if (group->flags & CLL_AT_END) more[i].extra |= CLL_X_AT_END;
        if (group->cpu || s->cpu) more[i].extra |= CLL_X_CPU;
        if (group->counters && thread->has_events) more[i].extra |= CLL_X_COUNTERS;
        if (s->supersteps && thread == s->threads) more[i].extra |= CLL_X_EVENTS;
        cll_settle_(more + i);
    }
    thread->known = count;
    return 1;
}

CLL_COLD_ cll_thread *cll_new_thread_(void)
{
    cll_state *s = &cll_shared_;
    unsigned long stack = 16 * 1024, first = s->memory_limit / 256;
    cll_thread *thread = (cll_thread *)cll_memory_(sizeof *thread, 0, 1);
    cll_frame *bottom;
    if (!thread) return 0;
    if (first > 64 * 1024) first = 64 * 1024;
    if (first < 4096 || cll_memory_used_() + stack + first > s->memory_limit / 2) first = 4096, stack = 4096;
    thread->base = (char *)cll_memory_(stack, 0, 1);
    thread->chunks = cll_chunk_(first, 0, 1);
    if (!thread->base || !thread->chunks) {
        cll_release_(thread->base, stack);
        cll_release_(thread->chunks, first);
        cll_release_(thread, sizeof *thread);
        return 0;
    }
    thread->limit = thread->base + stack;
    thread->current = thread->chunks;
    thread->chunk_bytes = first;
    thread->other_bytes = stack;
    thread->head = thread->chunks->head;
    thread->end = thread->chunks->end;
    thread->clock = s->clock;
    thread->miss = s->miss[0];
    thread->stop = s->fenced ? 2 : 0;
    bottom = (cll_frame *)thread->base;
    bottom->bytes = sizeof *bottom;
    bottom->address = CLL_NOWHERE_;
    thread->top = bottom;
    return thread;
}

/* A thread that is measured with, and a table for it. */
CLL_COLD_ cll_thread *cll_trial_(int kind, cll_experiment *empty)
{
    cll_state *s = &cll_shared_;
    cll_thread *kept = cll_self_, *thread = cll_new_thread_();
    cll_local *local;
    int i, groups = s->group_count;
    if (!thread) return 0;
    thread->locals = local = (cll_local *)cll_sys_calloc(1, sizeof *local);
    if (!local || !groups) return thread;
    local->left = ~0ull;
    local->aggregate = kind & 1;
    local->extra = kind & 2 ? (unsigned char)((s->cpu ? CLL_X_CPU : 0)) : 0;
    if (kind & 2)
        for (i = 0; i < groups; i++) {
            if (s->groups[i]->cpu) local->extra |= CLL_X_CPU;
            if (s->groups[i]->counters && kept && kept->has_events) local->extra |= CLL_X_COUNTERS;
        }
    thread->known = 1;
    thread->has_events = kept ? kept->has_events : 0;
    thread->event_set = kept ? kept->event_set : 0;
    cll_shape_(empty, 0);
    if (kind & 2)
        for (i = 0; i < groups && !local->group; i++)
            if (s->groups[i]->counters) {
                local->group = s->groups[i];
                cll_shape_(empty, local->group->counters);
            }
    if (!local->group) local->group = s->groups[0];
    return thread;
}

CLL_COLD_ void cll_trial_over_(cll_thread *thread)
{
    if (!thread) return;
    cll_free_chunks_(thread, thread->arena);
    cll_release_(thread->table, thread->table_size * sizeof *thread->table);
    cll_release_(thread->base, thread->other_bytes);
    cll_free_chunks_(thread, thread->chunks);
    cll_sys_free(thread->locals);
    cll_release_(thread, sizeof *thread);
}

/* 1,000 empty pairs of some values, the first of which takes `kinds` values, from `first` on, or in an order that no
 * cache foresees: what they took, and which part of that is between their readings of the clock. */
CLL_COLD_ double cll_block_(cll_thread *thread, cll_experiment *empty, unsigned kinds, int first, double *inside)
{
    cll_thread *kept = cll_self_;
    cll_local *local = thread->locals;
    unsigned long long start, end;
    unsigned at = (unsigned)first;
    int i;
    *inside = 0;
    cll_self_ = thread;
    start = cll_now_(thread);
    for (i = 0; i < 1000; i++) {
        cll_guard guard = { 0, 0 };
        const double values[] = { (double)(at & (kinds - 1)), 1, 1, 1 };
        at = first >= 0 ? at + 1 : at * 1664525u + 1013904223u;
        if (first < 0) at ^= at >> 16;
        local->sum = 0;
        cll_enter_at_(local, &guard, empty, empty->count, values, 0, 0);
        guard.last = CLL_OVER_;
        cll_left_(&guard);
        *inside += local->sum;
        thread->head = (char *)(thread->chunks + 1);
    }
    end = cll_now_(thread);
    cll_self_ = kept;
    return (double)(long long)(end - start) / 1000;
}

/* What a pair costs: the cheapest blocks, of pairs with one value and with four. */
CLL_COLD_ void cll_measure_(int kind)
{
    cll_state *s = &cll_shared_;
    cll_experiment empty = { "", "", "", 0, "x", 1, "", "", 0, 1, "", 0, 0, 0, "", 0 };
    double best[2] = { 1e300, 1e300 }, inside, slope;
    int block, blocks = kind & 2 ? 3 : 12, many;
    for (many = 0; many < 2; many++) {
        cll_thread *thread;
        empty.count = many ? 4 : 1;
        thread = cll_trial_(kind, &empty);
        for (block = 0; block < blocks && thread && thread->locals && thread->locals->group; block++) {
            double took = cll_block_(thread, &empty, 1, 0, &inside);
            if (!(took < best[many])) continue;
            best[many] = took;
            if (!many) s->inside[kind] = inside / 1000;
        }
        cll_trial_over_(thread);
    }
    if (best[0] > 1e299 || best[1] > 1e299) return;
    slope = (best[1] - best[0]) / 3;
    /* One slope for all kinds: that of plain rows. */
    if (kind == 0) s->value = slope > 0 ? slope : 0;
    s->pair[kind] = best[0] - s->value > 0 ? best[0] - s->value : 0;
}

/* What it costs more when the values are others than those of the visit before: among 8, and among 4,096. */
CLL_COLD_ void cll_measure_misses_(void)
{
    cll_state *s = &cll_shared_;
    cll_experiment empty = { "", "", "", 0, "x", 1, "", "", 0, 1, "", 0, 0, 0, "", 0 };
    int many, block;
    for (many = 0; many < 2; many++) {
        unsigned kinds = many ? 4096 : 8;
        cll_thread *thread;
        cll_entry *entry;
        double best = 1e300, inside;
        /* There is no room for so many in little memory. */
        if (many && s->memory_limit < 16ul << 20) {
            s->miss[1] = s->miss[0];
            return;
        }
        thread = cll_trial_(1, &empty);
        for (block = 0; block < 9 && thread && thread->locals && thread->locals->group; block++) {
            double took = cll_block_(thread, &empty, kinds, block < 5 ? 1000 * block : -1, &inside);
            /* The first blocks make the entries, whose first samples would be rows. */
            for (entry = thread->first_entry; entry; entry = entry->later) entry->samples = CLL_OWN_;
            if (block >= 5 && took < best) best = took;
        }
        cll_trial_over_(thread);
        best -= s->pair[1] + s->value;
        s->miss[many] = best > 0 && best < 1e299 ? best : 0;
    }
    if (s->miss[1] < s->miss[0]) s->miss[1] = s->miss[0];
}

CLL_COLD_ void cll_measure_all_(void)
{
    cll_state *s = &cll_shared_;
    int i, extra = s->cpu;
    if (s->measured) return;
    s->measured = 1;
    if (s->clock == CLL_TEST) {
        double inside = 0, pair = 0;
        if (cll_test_overhead) cll_test_overhead(&inside, &pair);
        for (i = 0; i < 4; i++) s->inside[i] = inside, s->pair[i] = pair;
        return;
    }
    for (i = 0; i < s->group_count; i++) extra |= s->groups[i]->cpu || s->groups[i]->counters;
    for (i = 0; i < (extra ? 4 : 2); i++) cll_measure_(i);
    cll_measure_misses_();
}

CLL_COLD_ void cll_abandon_(cll_thread *thread);

/* A thread that ends: its data stay, its open samples remain open. */
CLL_COLD_ void cll_thread_ends_(void *data)
{
    cll_thread *thread = (cll_thread *)data;
    int locked;
    if (thread != cll_self_) return;
    while ((char *)thread->top > thread->base) cll_abandon_(thread);
    locked = cll_lock_();
    cll_self_ = 0;
    thread->finished = 1;
    cll_release_(thread->base, thread->other_bytes);
    thread->base = 0;
    thread->other_bytes = 0;
    cll_sys_free(thread->locals);
    thread->locals = 0;
    thread->known = 0;
    if (locked) cll_unlock_();
}

void cll_spill_finished_(void);

/* The thread of a first visit, or after new experiments; null when nothing is to be recorded. */
/* A number that a launcher gives in the environment; -1 if it does not. */
CLL_COLD_ int cll_environment_(const char *name)
{
    const char *text = cll_sys_getenv(name);
    char *end;
    double number;
    if (!text || !*text) return -1;
    number = cll_sys_strtod(text, &end);
    return *end || !(number >= 0 && number < 1e9) ? -1 : (int)number;
}

/* Rank and size of a program that does not say that it uses MPI: asked of MPI itself, if it is linked, else of the
 * environment of launchers. Until they are known, it is asked again. The caller holds the lock. */
CLL_COLD_ void cll_place_(void)
{
    static const char *const cll_names[][2] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                            { "PMI_RANK", "PMI_SIZE" },
                                            { "PALS_RANKID", "PALS_SIZE" },
                                            { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" } };
    cll_state *s = &cll_shared_;
    int flag = 0, gone = 0, rank = -1, size = -1;
    unsigned i;
    if (cll_mpi_is_there_ || s->placed == CLL_PLACED_BY_MPI_) return;
    if (cll_sys_mpi_initialized && cll_sys_mpi_finalized && cll_sys_mpi_rank && cll_sys_mpi_size) {
        const void *world = cll_sys_ompi_world ? (const void *)cll_sys_ompi_world : (const void *)0x44000000ul;
        cll_sys_mpi_initialized(&flag);
        cll_sys_mpi_finalized(&gone);
        if (flag && !gone && !cll_sys_mpi_rank(world, &rank) && !cll_sys_mpi_size(world, &size) && size > 0) {
            s->rank = s->world_rank = rank;
            s->size = size;
            s->placed = CLL_PLACED_BY_MPI_;
            return;
        }
    }
    if (s->placed == CLL_PLACED_BY_ENVIRONMENT_) return;
    for (i = 0; i < sizeof cll_names / sizeof *cll_names; i++) {
        rank = cll_environment_(cll_names[i][0]);
        size = cll_environment_(cll_names[i][1]);
        if (rank < 0 || size <= rank) continue;
        /* A single process is alone: its file bears no rank. */
        if (size > 1) {
            s->rank = s->world_rank = rank;
            s->size = size;
        }
        s->placed = CLL_PLACED_BY_ENVIRONMENT_;
        return;
    }
    if (cll_sys_mpi_initialized) s->placed = CLL_UNPLACED_;
}

CLL_COLD_ cll_thread *cll_ready_(cll_experiment *experiment)
{
    cll_state *s = &cll_shared_;
    cll_thread *thread = cll_self_;
    int *code = cll_sys_errno(), kept = *code;
    if (experiment->id < 0) cll_register(experiment);
    if (experiment->id < 0 || !cll_lock_()) return 0;
    cll_start_();
    if (s->over || !__atomic_load_n(&cll_recording_, __ATOMIC_RELAXED)) {
        cll_unlock_();
        return 0;
    }
    cll_place_();
    if (!thread) {
        if (cll_memory_used_() > s->memory_limit / 2) cll_spill_finished_();
        thread = cll_new_thread_();
        if (thread) {
            cll_counters_start_(thread);
            cll_self_ = thread;
            cll_measure_all_();
            thread->miss = s->miss[0];
            thread->number = s->thread_count++;
            if (s->last_thread)
                s->last_thread->next = thread;
            else
                s->threads = thread;
            s->last_thread = thread;
            if (!s->has_key && cll_sys_key_create) s->has_key = cll_sys_key_create(&s->key, cll_thread_ends_) == 0;
            if (s->has_key && cll_sys_setspecific) cll_sys_setspecific(s->key, thread);
        }
    }
    if (thread && !cll_locals_(thread)) thread = 0;
    cll_unlock_();
    *code = kept;
    return thread;
}

/* Whether a region is timed that begins now, in a function with its frame at `address`. */
CLL_COLD_ int cll_wanted_here_(const void *address, const void *caller)
{
    cll_thread *thread = cll_self_;
    cll_frame *frame;
    unsigned around = 0;
    if (__atomic_load_n(&cll_recording_, __ATOMIC_RELAXED) != 2) return 0;
    if (!thread) return 1;
    /* What a jump has left is not around it. */
    cll_sweep_(thread, address, caller, 0);
    for (frame = thread->top; (char *)frame > thread->base && around < cll_shared_.depth; around++)
        frame = (cll_frame *)((char *)frame - frame->back);
    return around < cll_shared_.depth;
}

CLL_COLD_ cll_frame *cll_grow_(cll_thread *thread, unsigned bytes)
{
    unsigned long used = (unsigned long)((char *)thread->top - thread->base) + thread->top->bytes;
    unsigned long room = 2 * thread->other_bytes;
    char *more;
    int *code = cll_sys_errno(), kept = *code;
    while (room < used + bytes) room *= 2;
    more = (char *)cll_memory_(room, room, 0);
    if (!more) {
        thread->lost++;
        *code = kept;
        return 0;
    }
    __builtin_memcpy(more, thread->base, used);
    thread->top = (cll_frame *)(more + ((char *)thread->top - thread->base));
    cll_release_(thread->base, thread->other_bytes);
    thread->base = more;
    thread->other_bytes = room;
    thread->limit = more + room;
    *code = kept;
    return (cll_frame *)(more + used);
}

/* The sample on top was never closed. */
CLL_COLD_ void cll_abandon_(cll_thread *thread)
{
    cll_frame *frame = thread->top;
    cll_local *local = frame->local;
    unsigned long bytes = sizeof(cll_record) + 8ul * frame->u.is.count;
    cll_record *record;
    local->open--;
    thread->top = (cll_frame *)((char *)frame - frame->back);
    thread->spent += local->pair;
    cll_take_(thread);
    record = (cll_record *)thread->head;
    if (thread->head + bytes > thread->end) record = (cll_record *)cll_room_(thread, bytes);
    if (record) {
        thread->head = (char *)record + bytes;
        __builtin_memset(record, 0, sizeof *record);
        record->u.head = frame->u.head;
        record->u.is.status = CLL_OPEN;
        record->u.is.flags = (unsigned char)(CLL_R_NO_TIME | (local->extra & CLL_X_AT_END ? CLL_R_NO_VALUES : 0));
        record->words = (unsigned)(bytes / 8);
        record->level = frame->level;
        record->visit = frame->visit;
        __builtin_memcpy(record + 1, frame + 1, 8ul * frame->u.is.count);
    }
    cll_give_(thread);
}

/* Drops samples that a jump has left: those of functions whose frame was below, and all above one that is here again. */
CLL_COLD_ void cll_sweep_(cll_thread *thread, const void *address, const void *caller, const void *guard)
{
    cll_frame *frame, *gone = 0;
    while (thread->top->address < address) cll_abandon_(thread);
    for (frame = thread->top; frame->address == address;
         frame = (cll_frame *)((char *)frame - frame->back))
        if (frame->guard == guard || frame->caller != caller) gone = frame;
    while (gone && thread->top >= gone) cll_abandon_(thread);
}

/* The same begin without a guard in the same call of a function: the one before was left early. */
CLL_COLD_ void cll_sweep_open_(cll_thread *thread, int id, const void *address)
{
    cll_frame *frame = thread->top;
    while ((char *)frame > thread->base && frame->address == CLL_NOWHERE_ && frame->guard == address) {
        if ((int)frame->u.is.id == id) {
            while (thread->top >= frame) cll_abandon_(thread);
            return;
        }
        frame = (cll_frame *)((char *)frame - frame->back);
    }
}

/* Makes a guard's sample the top one; false if it is not on the stack any more. */
CLL_COLD_ int cll_unwind_(cll_thread *thread, const cll_guard *guard)
{
    cll_frame *frame = thread->top;
    while ((char *)frame > thread->base && frame->guard != guard) frame = (cll_frame *)((char *)frame - frame->back);
    if ((char *)frame == thread->base) return 0;
    while (thread->top > frame) cll_abandon_(thread);
    return 1;
}

CLL_COLD_ void cll_set_values_(cll_frame *frame, int count, const double *values)
{
    int i;
    for (i = 0; i < count && i < frame->u.is.count; i++) ((double *)(frame + 1))[i] = values[i];
    frame->u.is.flags |= CLL_R_VALUES;
}

CLL_SHARED_ void cll_end_values_(cll_guard *guard, unsigned long long now, int count, const double *values)
{
    cll_thread *thread = cll_own_(guard);
    if (!thread) return;
    cll_set_values_(thread->top, count, values);
    cll_close_(thread, thread->top, now, CLL_OK);
}

/* Ends the innermost sample of an experiment that was begun without a guard. */
CLL_SHARED_ void cll_end_open_(cll_experiment *experiment, unsigned long long now, int count, const double *values)
{
    cll_thread *thread = cll_self_;
    cll_frame *frame;
    if (!thread || (unsigned)experiment->id >= thread->known || !thread->locals[experiment->id].open) return;
    for (frame = thread->top; (char *)frame > thread->base; frame = (cll_frame *)((char *)frame - frame->back)) {
        if ((int)frame->u.is.id != experiment->id || frame->address != CLL_NOWHERE_) continue;
        while (thread->top > frame) cll_abandon_(thread);
        if (values) cll_set_values_(frame, count, values);
        cll_close_(thread, frame, now, CLL_OK);
        return;
    }
}

CLL_SHARED_ void cll_enter(cll_guard *guard, cll_experiment *experiment, const double *values)
{
    cll_local *local = cll_wanted_(experiment, __builtin_frame_address(0), __builtin_return_address(0));
    guard->thread = 0;
    if (local) cll_begin_(cll_self_, local, guard, experiment, experiment->count, values, 0, 0, 0);
}

CLL_SHARED_ void cll_leave(cll_guard *guard, int status) { cll_end_(guard, status); }

CLL_SHARED_ void cll_visit_(cll_guard *guard, cll_experiment *experiment, int count, const double *values,
                            const void *address, const void *caller)
{
    cll_local *local = cll_wanted_(experiment, address, caller);
    guard->thread = 0;
    guard->last = 0;
    if (local) cll_begin_(cll_self_, local, guard, experiment, count, values, address, caller, 0);
}

CLL_SHARED_ void *cll_want_(cll_guard *guard, cll_experiment *experiment, const void *address, const void *caller)
{
    if (guard) {
        guard->thread = 0;
        guard->last = 0;
    }
    return cll_wanted_(experiment, address, caller);
}

CLL_SHARED_ void cll_enter_at_(void *local, cll_guard *guard, cll_experiment *experiment, int count,
                               const double *values, const void *address, const void *caller)
{
    cll_begin_(cll_self_, (cll_local *)local, guard, experiment, count, values, address, caller, 0);
}

CLL_SHARED_ void cll_enter_here_(void *local, cll_experiment *experiment, int count, const double *values,
                                 const void *address)
{
    cll_begin_(cll_self_, (cll_local *)local, 0, experiment, count, values, 0, 0, address);
}

CLL_SHARED_ unsigned long long cll_read_clock_(void) { return cll_now_(0); }

CLL_SHARED_ unsigned cll_uncaught_(void)
{
    struct { void *caught; unsigned uncaught; } globals;
    if (CLL_LIKELY_(!cll_sys_exceptions)) return 0;
    __builtin_memcpy(&globals, cll_sys_exceptions(), sizeof globals);
    return globals.uncaught;
}

void cll_take_out_(cll_thread *thread, unsigned long long start, double spill);

CLL_SHARED_ void cll_left_(cll_guard *guard)
{
    if (CLL_LIKELY_(guard->last == CLL_OVER_))
        cll_end_(guard, CLL_OK);
    else if (guard->thread)
        cll_end_(guard, guard->last && guard->last > cll_uncaught_() ? CLL_OK : CLL_EXIT);
}

/* The values of a region that takes them at its end, and is about to return; reading them is not its time. */
CLL_SHARED_ void cll_last_values_(cll_guard *guard, unsigned long long now, int count, const double *values)
{
    cll_thread *thread = cll_self_;
    cll_frame *frame;
    if (thread != guard->thread) return;
    for (frame = thread->top; (char *)frame > thread->base; frame = (cll_frame *)((char *)frame - frame->back))
        if (frame->guard == guard) {
            cll_set_values_(frame, count, values);
            cll_take_out_(thread, now, thread->spill);
            return;
        }
}

CLL_SHARED_ void cll_leave_with(cll_guard *guard, int status, const double *values)
{
    cll_thread *thread = (cll_thread *)guard->thread;
    unsigned long long now;
    if (!thread) return;
    /* Of another thread it may be gone: its clock is not asked. */
    now = cll_now_(0);
    thread = cll_own_(guard);
    if (!thread) return;
    cll_set_values_(thread->top, thread->top->u.is.count, values);
    cll_close_(thread, thread->top, now, status);
}

CLL_SHARED_ void cll_on(void)
{
    int on = cll_shared_.over ? 0 : cll_shared_.depth ? 2 : 1;
    if (!cll_is_set_("CLL_OFF")) __atomic_store_n(&cll_recording_, on, __ATOMIC_RELAXED);
}

CLL_SHARED_ void cll_off(void) { __atomic_store_n(&cll_recording_, 0, __ATOMIC_RELAXED); }

CLL_SHARED_ void cll_parallel(int kind, double processes)
{
    cll_state *s = &cll_shared_;
    cll_frame frame;
    int i, locked = cll_lock_();
    if (!s->process_count) s->process_count = 1;
    s->parallel = kind;
    s->declared = 1;
    if (kind == CLL_SEQ && !(processes > 0)) processes = 1;
    if (kind == CLL_OMP && !(processes > 0)) processes = cll_sys_omp_max_threads ? cll_sys_omp_max_threads() : 1;
    /* Number 0 is what MPI says, or one process. */
    if (!(processes > 0)) processes = 0;
    for (i = 0; i < s->process_count && s->processes[i] != processes; i++) {}
    if (i == s->process_count) {
        if (i == 256) i = 255;
        else s->process_count++;
        s->processes[i] = processes;
    }
    frame.u.head = 0;
    frame.u.is.process = (unsigned short)i;
    __atomic_store_n(&cll_process_, frame.u.head, __ATOMIC_RELAXED);
    if (locked) cll_unlock_();
}

CLL_SHARED_ void cll_use_comm(const void *comm, unsigned long size)
{
    if (cll_mpi_adopt_) cll_mpi_adopt_(comm, size);
}

/* --------------------------------------------------------------------------------------------------- the file */

CLL_COLD_ void cll_flush_file_(cll_sink *sink)
{
    cll_output *output = (cll_output *)sink->to;
    if (!output->failed && sink->length
        && (cll_sys_fwrite(sink->data, 1, sink->length, output->file) != sink->length
            || cll_sys_fflush(output->file))) {
        char text[600];
        cll_sys_snprintf(text, sizeof text, "cannot write %s: %s; what was recorded is lost", output->path,
                         cll_sys_strerror(*cll_sys_errno()));
        cll_say_(text, 0);
        output->failed = 1;
    }
    sink->length = 0;
}

enum { CLL_SINK_ROOM_ = 64 * 1024 };

CLL_COLD_ int cll_sink_start_(cll_sink *sink, void (*flush)(cll_sink *), void *to)
{
    sink->data = (char *)cll_memory_(CLL_SINK_ROOM_, 0, 1);
    sink->length = 0;
    sink->room = CLL_SINK_ROOM_;
    sink->failed = 0;
    sink->flush = flush;
    sink->to = to;
    return sink->data != 0;
}

CLL_COLD_ void cll_sink_end_(cll_sink *sink)
{
    sink->flush(sink);
    cll_release_(sink->data, sink->room);
    sink->data = 0;
}

static __attribute__((unused)) const char *const cll_fixed_[] = { "region", "run",    "rank",   "thread", "visit",
                                                                 "level",  "status", "visits", "time_s", "self_s",
                                                                 "raw_s",  "cpu_s",  "time_sd_s", "time_min_s",
                                                                 "time_max_s" };

/* The number of a column; made if it is not there. */
CLL_COLD_ int cll_column_(cll_output *output, const char *name, unsigned long length)
{
    char **more, *copy = cll_copy_(name, length);
    char *renamed;
    unsigned i;
    int fixed = 0;
    if (!copy) return -1;
    for (i = 0; i < sizeof cll_fixed_ / sizeof *cll_fixed_; i++) fixed |= cll_same_(copy, cll_fixed_[i]);
    for (i = 0; i < (unsigned)cll_shared_.counter_count; i++)
        fixed |= cll_same_(copy, cll_shared_.counters[i].name);
    if (fixed) {
        /* The program's own `rank` beside ours. */
        renamed = (char *)cll_sys_calloc(length + 5, 1);
        if (renamed) cll_sys_snprintf(renamed, length + 5, "var.%s", copy);
        cll_sys_free(copy);
        copy = renamed;
        if (!copy) return -1;
    }
    for (i = 0; i < (unsigned)output->columns; i++)
        if (cll_same_(output->column[i], copy)) {
            cll_sys_free(copy);
            return (int)i;
        }
    more = (char **)cll_sys_realloc(output->column, sizeof *more * (unsigned long)(output->columns + 1));
    if (!more) return -1;
    output->column = more;
    more[output->columns] = copy;
    return output->columns++;
}

/* Columns for all experiments that there are now. */
CLL_COLD_ int cll_columns_(cll_output *output)
{
    cll_state *s = &cll_shared_;
    int i, k, p = -1;
    output->known = s->group_count;
    output->at = (int **)cll_sys_calloc((unsigned long)s->group_count + 1, sizeof *output->at);
    if (!output->at) return 0;
    for (i = 0; i < s->group_count; i++) {
        const char *name = s->groups[i]->first->names;
        if (output->names && !cll_lists_(output->names, s->groups[i]->first->name)) continue;
        output->at[i] = (int *)cll_sys_calloc((unsigned long)s->groups[i]->count + 1, sizeof(int));
        if (!output->at[i]) return 0;
        for (k = 0; k < s->groups[i]->count; k++) {
            char number[24];
            unsigned long length;
            while (name && *name == ' ') name++;
            length = name ? cll_item_(name, ',') : 0;
            if (length) {
                output->at[i][k] = cll_column_(output, name, length);
                name += length + (name[length] != 0);
            } else {
                cll_sys_snprintf(number, sizeof number, "value%d", k);
                output->at[i][k] = cll_column_(output, number, __builtin_strlen(number));
            }
            if (output->at[i][k] < 0) return 0;
        }
    }
    for (i = 0; i < output->columns; i++)
        if (cll_same_(output->column[i], "P")) p = i;
    output->own_p = p < 0;
    if (p < 0 && cll_column_(output, "P", 1) < 0) return 0;
    output->cell = (double *)cll_sys_calloc((unsigned long)output->columns + 1, sizeof(double));
    return output->cell != 0;
}

CLL_COLD_ void cll_put_number_(cll_sink *sink, double value)
{
    if (__builtin_isfinite(value))
        cll_put_time_(sink, value);
    else
        cll_put_(sink, "null");
}

CLL_COLD_ void cll_put_key_(cll_sink *sink, const char *key, const char *text)
{
    cll_put_(sink, key);
    cll_put_json_(sink, text);
}

CLL_COLD_ void cll_put_experiment_(cll_sink *sink, cll_group *group)
{
    cll_state *s = &cll_shared_;
    unsigned flags = s->mode ? (unsigned)s->mode : group->flags;
    cll_experiment *site;
    int number = (int)group->first->id, first = 1, i;
    cll_put_key_(sink, "# experiment: {\"name\":", group->name);
    cll_put_key_(sink, ",\"formula\":", group->first->formula);
    cll_put_key_(sink, ",\"file\":", group->first->file);
    cll_put_(sink, ",\"line\":");
    cll_put_count_(sink, (unsigned long long)group->first->line);
    cll_put_(sink, ",\"names\":");
    cll_put_list_(sink, group->first->names, ',');
    cll_put_(sink, ",\"seg\":");
    cll_put_list_(sink, group->first->seg, ';');
    cll_put_(sink, group->flags & CLL_AT_END ? ",\"at\":\"end\"" : ",\"at\":\"begin\"");
    cll_put_(sink, group->flags & CLL_EXITS_OK ? ",\"exits\":\"ok\"" : ",\"exits\":\"drop\"");
    cll_put_(sink, flags & CLL_MODE_AGGREGATE ? ",\"mode\":\"aggregate\""
                   : flags & CLL_MODE_TRACE   ? ",\"mode\":\"trace\""
                                              : ",\"mode\":\"auto\"");
    cll_put_(sink, ",\"every\":");
    cll_put_count_(sink, group->every ? group->every : 1);
    cll_put_(sink, ",\"metric\":[");
    if (group->cpu) {
        cll_put_(sink, "\"cpu\"");
        first = 0;
    }
    for (i = 0; i < group->counters; i++) {
        if (!first) cll_put_char_(sink, ',');
        cll_put_json_(sink, s->counters[group->counter[i]].name);
        first = 0;
    }
    cll_put_(sink, "],\"sites\":[");
    first = 1;
    for (site = s->experiments; site; site = site->next) {
        if (site->id != number) continue;
        cll_put_key_(sink, first ? "{\"file\":" : ",{\"file\":", site->file);
        cll_put_(sink, ",\"line\":");
        cll_put_count_(sink, (unsigned long long)site->line);
        cll_put_char_(sink, '}');
        first = 0;
    }
    cll_put_(sink, "]}\n");
}

/* All different texts of a kind, joined. */
CLL_COLD_ void cll_put_hashes_(cll_sink *sink)
{
    cll_experiment *a, *b;
    cll_put_char_(sink, '"');
    for (a = cll_shared_.experiments; a; a = a->next) {
        const char *c;
        for (b = cll_shared_.experiments; b != a && !cll_same_(a->hash, b->hash); b = b->next) {}
        if (b != a) continue;
        if (a != cll_shared_.experiments) cll_put_char_(sink, '+');
        for (c = a->hash ? a->hash : ""; *c; c++)
            if (*c > ' ' && *c < 127 && *c != '"' && *c != '\\') cll_put_char_(sink, *c);
    }
    cll_put_char_(sink, '"');
}

CLL_COLD_ void cll_put_counters_(cll_sink *sink, int metrics)
{
    cll_state *s = &cll_shared_;
    int i, first = 1;
    for (i = 0; i < s->counter_count; i++) {
        const char *why = s->counters[i].why;
        char text[300];
        if (metrics) {
            if (why || !cll_papi_.works) continue;
            cll_put_char_(sink, ',');
            cll_put_json_(sink, s->counters[i].name);
            if (metrics == 2) cll_put_(sink, ":\"1\"");
            continue;
        }
        if (!first) cll_put_char_(sink, ',');
        first = 0;
        cll_put_json_(sink, s->counters[i].name);
        cll_sys_snprintf(text, sizeof text, "n/a: %s", why ? why : "nothing was recorded");
        cll_put_char_(sink, ':');
        cll_put_json_(sink, cll_papi_.works && !why ? "ok" : text);
    }
}

CLL_COLD_ void cll_put_header_(cll_sink *sink, cll_output *output)
{
    cll_state *s = &cll_shared_;
    double hz_end = s->clock == CLL_TSC ? cll_counter_hz_() : s->hz;
    int i;
    cll_put_(sink, "# cll-trace: 2\n");
    cll_put_key_(sink, "# run: {\"name\":", s->name);
    cll_put_(sink, ",\"run\":");
    cll_put_count_(sink, (unsigned long long)(s->run < 0 ? 0 : s->run));
    cll_put_(sink, ",\"rank\":");
    cll_put_count_(sink, (unsigned long long)s->rank);
    cll_put_(sink, ",\"processes\":");
    cll_put_count_(sink, (unsigned long long)(s->size ? s->size : 1));
    cll_put_key_(sink, ",\"placed\":", cll_mpi_is_there_ || s->declared       ? "pragma"
                                       : s->placed == CLL_PLACED_BY_MPI_       ? "mpi"
                                       : s->placed == CLL_PLACED_BY_ENVIRONMENT_ ? "environment"
                                       : s->placed == CLL_UNPLACED_             ? "unknown"
                                                                                : "alone");
    cll_put_(sink, ",\"threads\":");
    cll_put_count_(sink, (unsigned long long)s->thread_count);
    cll_put_key_(sink, ",\"host\":", s->host);
    cll_put_key_(sink, ",\"start_utc\":", s->started);
    cll_put_key_(sink, ",\"compiler\":", s->experiments ? s->experiments->compiler : "");
    cll_put_(sink, ",\"source_hash\":");
    cll_put_hashes_(sink);
    cll_put_(sink, output->gathered ? ",\"gathered\":true" : ",\"gathered\":false");
    cll_put_(sink, ",\"pid\":");
    cll_put_count_(sink, (unsigned long long)s->pid);
    cll_put_(sink, s->forked ? ",\"forked\":true}\n" : "}\n");
    cll_put_key_(sink, "# clock: {\"kind\":", s->clock == CLL_TSC ? "tsc" : s->clock == CLL_MONO ? "mono" : "test");
    cll_put_(sink, ",\"hz\":");
    cll_put_number_(sink, s->hz);
    cll_put_(sink, ",\"hz_end\":");
    cll_put_number_(sink, hz_end);
    cll_put_(sink, ",\"o_in_s\":");
    cll_put_number_(sink, s->measured ? s->inside[0] * s->tick_s : __builtin_nan(""));
    cll_put_(sink, ",\"o_pair_s\":");
    cll_put_number_(sink, s->measured ? s->pair[0] * s->tick_s : __builtin_nan(""));
    cll_put_(sink, ",\"o_pair_aggregate_s\":");
    cll_put_number_(sink, s->measured ? s->pair[1] * s->tick_s : __builtin_nan(""));
    cll_put_(sink, ",\"o_value_s\":");
    cll_put_number_(sink, s->measured ? s->value * s->tick_s : __builtin_nan(""));
    cll_put_(sink, ",\"o_miss_s\":");
    cll_put_number_(sink, s->measured ? s->miss[1] * s->tick_s : __builtin_nan(""));
    if (s->why_mono[0]) cll_put_key_(sink, ",\"why\":", s->why_mono);
    cll_put_(sink, "}\n");
    for (i = 0; i < output->known; i++)
        if (output->at[i]) cll_put_experiment_(sink, s->groups[i]);
    cll_put_(sink, "# roles: {\"params\":[");
    for (i = 0; i < output->columns; i++) {
        if (i) cll_put_char_(sink, ',');
        cll_put_json_(sink, output->column[i]);
    }
    cll_put_(sink, "],\"metrics\":[\"time_s\",\"self_s\",\"raw_s\",\"cpu_s\"");
    cll_put_counters_(sink, 1);
    cll_put_(sink, "],\"units\":{\"time_s\":\"s\",\"self_s\":\"s\",\"raw_s\":\"s\",\"cpu_s\":\"s\"");
    cll_put_counters_(sink, 2);
    cll_put_(sink, "},\"counters\":{");
    cll_put_counters_(sink, 0);
    cll_put_(sink, "}}\nregion,run,rank,thread,visit,level,status,visits");
    for (i = 0; i < output->columns; i++) {
        cll_put_char_(sink, ',');
        cll_put_cell_(sink, output->column[i]);
    }
    cll_put_(sink, ",time_s,self_s,raw_s,cpu_s,time_sd_s,time_min_s,time_max_s");
    for (i = 0; i < s->counter_count; i++) {
        cll_put_char_(sink, ',');
        cll_put_cell_(sink, s->counters[i].name);
    }
    cll_put_char_(sink, '\n');
}

typedef struct cll_row {
    int id, process, status, flags, thread;
    unsigned level;
    unsigned long long visit, visits, clamped;
    double raw, time, self, cpu, sd, least, most;
    const double *values, *counters;
    int counter_count;
} cll_row;

CLL_COLD_ void cll_put_row_(cll_sink *sink, cll_output *output, const cll_row *row)
{
    static const char *const cll_statuses[] = { ",ok,", ",exit,", ",open,", ",clock,", ",place," };
    cll_state *s = &cll_shared_;
    cll_group *group = s->groups[row->id];
    double tick = s->tick_s, processes = s->processes[row->process];
    int i, k, rejected = 0, status = row->status;
    if (processes <= 0) {
        processes = s->size ? s->size : 1;
        if (!s->size && s->placed == CLL_UNPLACED_) {
            processes = __builtin_nan("");
            if (status == CLL_OK) status = 4;
        }
    }
    cll_put_cell_(sink, group->name);
    cll_put_char_(sink, ',');
    cll_put_count_(sink, (unsigned long long)(s->run < 0 ? 0 : s->run));
    cll_put_char_(sink, ',');
    cll_put_count_(sink, (unsigned long long)s->rank);
    cll_put_char_(sink, ',');
    cll_put_count_(sink, (unsigned long long)row->thread);
    cll_put_char_(sink, ',');
    cll_put_count_(sink, row->visit);
    cll_put_char_(sink, ',');
    cll_put_count_(sink, row->level);
    cll_put_(sink, cll_statuses[status]);
    cll_put_count_(sink, row->visits);
    for (i = 0; i < output->columns; i++) output->cell[i] = __builtin_nan("");
    if (!(row->flags & CLL_R_NO_VALUES))
        for (i = 0; i < group->count; i++) {
            output->cell[output->at[row->id][i]] = row->values[i];
            rejected |= !__builtin_isfinite(row->values[i]);
        }
    if (output->own_p) output->cell[output->columns - 1] = processes;
    for (i = 0; i < output->columns; i++) {
        cll_put_char_(sink, ',');
        cll_put_exact_(sink, output->cell[i]);
    }
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->time * tick);
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->self * tick);
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->raw * tick);
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->cpu);
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->sd * tick);
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->least * tick);
    cll_put_char_(sink, ',');
    cll_put_time_(sink, row->most * tick);
    for (i = 0; i < s->counter_count; i++) {
        cll_put_char_(sink, ',');
        for (k = 0; row->counters && k < row->counter_count; k++)
            if (group->counter[k] == i) cll_put_exact_(sink, row->counters[k]);
    }
    cll_put_char_(sink, '\n');
    output->rows++;
    output->open += row->status == CLL_OPEN;
    output->exits += row->status == CLL_EXIT ? (double)row->visits : 0;
    output->clamped += (double)row->clamped;
    output->rejected += rejected ? (double)row->visits : 0;
}

CLL_COLD_ void cll_entry_reset_(cll_entry *entry)
{
    unsigned i;
    entry->merged = entry->cpu_count = entry->clamped = 0;
    entry->sum = entry->squares = entry->raw = entry->self = entry->cpu = 0;
    entry->least = __builtin_inf();
    entry->most = -__builtin_inf();
    for (i = 0; i < entry->counters; i++) ((double *)(entry + 1))[entry->count + i] = 0;
}

CLL_COLD_ void cll_put_entry_(cll_sink *sink, cll_output *output, cll_thread *thread, cll_entry *entry)
{
    double n = (double)entry->merged, mean[32], variance;
    cll_row row;
    unsigned i;
    __builtin_memset(&row, 0, sizeof row);
    row.id = entry->id;
    row.process = entry->process;
    row.status = (int)(entry->status & 0xff);
    row.flags = (int)(entry->status >> 8);
    row.thread = thread->number;
    row.level = entry->level;
    row.visit = entry->first_visit;
    row.visits = entry->merged;
    row.clamped = entry->clamped;
    row.raw = entry->raw / n;
    row.time = entry->shift + entry->sum / n;
    row.self = entry->self / n;
    row.cpu = entry->cpu_count ? entry->cpu / (double)entry->cpu_count : __builtin_nan("");
    variance = n > 1 ? (entry->squares - entry->sum * (entry->sum / n)) / (n - 1) : __builtin_nan("");
    row.sd = variance > 0 ? cll_root_(variance) : variance < 0 ? 0 : variance;
    row.least = entry->least;
    row.most = entry->most;
    if (row.flags & CLL_R_NO_TIME) row.time = row.self = row.sd = row.least = row.most = __builtin_nan("");
    row.values = (const double *)(entry + 1);
    for (i = 0; i < entry->counters; i++) mean[i] = row.values[entry->count + i] / n;
    row.counters = entry->counters ? mean : 0;
    row.counter_count = entry->counters;
    cll_put_row_(sink, output, &row);
    cll_entry_reset_(entry);
}

CLL_COLD_ void cll_put_record_(cll_sink *sink, cll_output *output, cll_thread *thread, cll_record *record)
{
    cll_row row;
    unsigned count = (unsigned)cll_shared_.groups[record->u.is.id]->count;
    const double *values = (const double *)(record + 1);
    __builtin_memset(&row, 0, sizeof row);
    row.id = record->u.is.id;
    row.process = record->u.is.process;
    row.status = record->u.is.status;
    row.flags = record->u.is.flags;
    row.thread = thread->number;
    row.level = record->level;
    row.visit = record->visit;
    row.visits = 1;
    row.clamped = (record->u.is.flags & CLL_R_CLAMPED) != 0;
    row.raw = record->u.is.status == CLL_OPEN ? __builtin_nan("") : record->raw;
    row.time = record->u.is.flags & CLL_R_NO_TIME ? __builtin_nan("") : record->time;
    row.self = record->u.is.flags & CLL_R_NO_TIME ? __builtin_nan("") : record->self;
    row.cpu = record->u.is.flags & CLL_R_EXTRA ? values[count] : __builtin_nan("");
    row.sd = row.least = row.most = __builtin_nan("");
    row.values = values;
    row.counters = record->u.is.flags & CLL_R_EXTRA ? values + count + 1 : 0;
    row.counter_count = (int)(record->words - sizeof *record / 8 - count - 1);
    cll_put_row_(sink, output, &row);
    record->u.is.flags |= CLL_R_WRITTEN;
}

/* Writes what a thread has, which is this one, has ended, or stays out. `all`: nothing is kept back for other files. */
CLL_COLD_ void cll_put_thread_(cll_sink *sink, cll_output *output, cll_thread *thread, const char *names)
{
    cll_chunk *chunk;
    cll_entry *entry;
    char *at;
    if (thread->current) thread->current->head = thread->head;
    for (chunk = thread->chunks; chunk; chunk = chunk->next)
        for (at = (char *)(chunk + 1); at < chunk->head; at += 8ul * ((cll_record *)at)->words) {
            cll_record *record = (cll_record *)at;
            if ((record->u.is.flags & CLL_R_WRITTEN) || record->u.is.id >= output->known || !output->at[record->u.is.id]) continue;
            if (names && !cll_lists_(names, cll_shared_.groups[record->u.is.id]->first->name)) continue;
            cll_put_record_(sink, output, thread, record);
        }
    for (entry = thread->first_entry; entry; entry = entry->later) {
        if (!entry->merged || entry->id >= output->known || !output->at[entry->id]) continue;
        if (names && !cll_lists_(names, cll_shared_.groups[entry->id]->first->name)) continue;
        cll_put_entry_(sink, output, thread, entry);
    }
    if (names || output->names) return;
    for (chunk = thread->chunks; chunk; chunk = chunk->next) chunk->head = (char *)(chunk + 1);
    thread->current = thread->chunks;
    if (thread->current) {
        thread->head = thread->current->head;
        thread->end = thread->current->end;
    }
}

/* Whether a thread has anything that is not in a file yet. */
CLL_COLD_ int cll_has_rows_(cll_thread *thread)
{
    cll_chunk *chunk;
    cll_entry *entry;
    char *at;
    if (thread->current) thread->current->head = thread->head;
    for (chunk = thread->chunks; chunk; chunk = chunk->next)
        for (at = (char *)(chunk + 1); at < chunk->head; at += 8ul * ((cll_record *)at)->words)
            if (!(((cll_record *)at)->u.is.flags & CLL_R_WRITTEN)) return 1;
    for (entry = thread->first_entry; entry; entry = entry->later)
        if (entry->merged) return 1;
    return 0;
}

/* A thread that has ended and whose rows are in a file. */
CLL_COLD_ void cll_free_finished_(void)
{
    cll_state *s = &cll_shared_;
    cll_thread *thread, *before = 0, *next;
    for (thread = s->threads; thread; thread = next) {
        next = thread->next;
        if (!thread->finished || cll_has_rows_(thread)) {
            before = thread;
            continue;
        }
        cll_free_chunks_(thread, thread->chunks);
        cll_free_chunks_(thread, thread->arena);
        cll_release_(thread->table, thread->table_size * sizeof *thread->table);
        s->spill_gone += thread->spill;
        s->lost_gone += (double)thread->lost;
        if (before)
            before->next = next;
        else
            s->threads = next;
        if (s->last_thread == thread) s->last_thread = before;
        cll_release_(thread, sizeof *thread);
    }
}

/* ------------------------------------------------------------------------------------------------ names of files */

/* Puts DIR/ before a name, unless it is absolute. */
CLL_COLD_ void cll_in_folder_(char *path, unsigned long room, const char *name)
{
    const char *folder = cll_sys_getenv("CLL_DIR");
    if (!folder || !*folder || *name == '/') {
        cll_sys_snprintf(path, room, "%s", name);
        return;
    }
    cll_sys_mkdir(folder, 0777);
    cll_sys_snprintf(path, room, "%s/%s", folder, name);
}

/* NAME.cll.RUN[.rRANK][.forkPID][.partN].csv; of a communicator without rank 0 of all: NAME.cll.RUN.gRANK.csv */
CLL_COLD_ void cll_default_path_(char *path, unsigned long room, long run, int gathered)
{
    cll_state *s = &cll_shared_;
    char name[300], rank[24] = "", fork[24] = "", part[24] = "";
    if (!gathered && s->size) cll_sys_snprintf(rank, sizeof rank, ".r%d", s->world_rank);
    if (gathered && s->group) cll_sys_snprintf(rank, sizeof rank, ".g%d", s->group);
    /* Before MPI_Init. */
    if (!s->size && cll_mpi_is_there_)
        cll_sys_snprintf(rank, sizeof rank, ".p%d", s->pid);
    if (s->forked && cll_sys_getenv("CLL_RUN")) cll_sys_snprintf(fork, sizeof fork, ".fork%d", s->pid);
    if (s->part) cll_sys_snprintf(part, sizeof part, ".part%d", s->part + 1);
    cll_sys_snprintf(name, sizeof name, "%s.cll.%ld%s%s%s.csv", s->name, run, rank, fork, part);
    cll_in_folder_(path, room, name);
}

/* The run's number by CLL_RUN; -1: to be found. */
CLL_COLD_ long cll_given_run_(void)
{
    const char *text = cll_sys_getenv("CLL_RUN");
    char *end;
    double number;
    if (!text || !*text) return -1;
    number = cll_sys_strtod(text, &end);
    if (*end || !(number >= 0 && number < 1e15) || number != (double)(long)number) {
        cll_say_("CLL_RUN is a number such as 3, not ", text);
        return -1;
    }
    return (long)number;
}

/* Whether a file of this run is there that is not ours. */
CLL_COLD_ int cll_run_is_taken_(long run)
{
    cll_state *s = &cll_shared_;
    char name[300], path[1024];
    cll_sys_snprintf(name, sizeof name, "%s.cll.%ld.csv", s->name, run);
    cll_in_folder_(path, sizeof path, name);
    if (cll_sys_access(path, 0) == 0) return 1;
    /* Ranks of a program without cll_mpi.h agree by each taking the first number that its own file is free for. */
    if (s->size && !cll_mpi_is_there_) return 0;
    cll_sys_snprintf(name, sizeof name, "%s.cll.%ld.r0.csv", s->name, run);
    cll_in_folder_(path, sizeof path, name);
    return cll_sys_access(path, 0) == 0;
}

CLL_COLD_ void *cll_create_(char *path, unsigned long room, int gathered)
{
    cll_state *s = &cll_shared_;
    long given = cll_given_run_(), tries;
    void *file = 0;
    if (s->run_known) {
        cll_default_path_(path, room, s->run, gathered);
        if (s->reserved && cll_same_(s->reserved, path)) {
            cll_sys_free(s->reserved);
            s->reserved = 0;
        }
        return cll_sys_fopen(path, "we");
    }
    if (given >= 0) {
        s->run = given;
        s->run_known = 1;
        cll_default_path_(path, room, s->run, gathered);
        return cll_sys_fopen(path, "we");
    }
    for (s->run = 0, tries = 0; tries < 1000000; s->run++, tries++) {
        if (cll_run_is_taken_(s->run)) continue;
        cll_default_path_(path, room, s->run, gathered);
        *cll_sys_errno() = 0;
        file = cll_sys_fopen(path, "wxe");
        if (file || *cll_sys_errno() != 17) break;
    }
    if (file) s->run_known = 1;
    return file;
}

cll_output *cll_output_(const char *given, const char *names, int gathered);

/* A new file with its header; null, with a message, if it cannot be. */
CLL_COLD_ cll_output *cll_open_(const char *given, const char *names, int gathered)
{
    cll_state *s = &cll_shared_;
    cll_output *output = (cll_output *)cll_sys_calloc(1, sizeof *output);
    char path[1400], named[700];
    cll_sink sink;
    if (!output) return 0;
    cll_place_();
    if (s->placed == CLL_UNPLACED_)
        cll_say_("MPI is linked, but nothing says how many processes there are: P is left out, status place", 0);
    if (given) {
        /* A file for each rank and each child, unless the ranks share it. */
        unsigned long length = __builtin_strlen(given), dot = length, i;
        char who[60] = "";
        if (!gathered && s->size) cll_sys_snprintf(who, sizeof who, ".r%d", s->world_rank);
        if (s->forked)
            cll_sys_snprintf(who + __builtin_strlen(who), sizeof who - __builtin_strlen(who), ".fork%d", s->pid);
        for (i = 0; i < length; i++) {
            if (given[i] == '/') dot = length;
            else if (given[i] == '.' && i) dot = i;
        }
        cll_sys_snprintf(named, sizeof named, "%.*s%s%s", (int)(dot < 500 ? dot : 500), given, who, given + dot);
        cll_in_folder_(path, sizeof path, named);
        output->given = cll_copy_(given, length);
        output->file = cll_sys_fopen(path, "we");
        if (!output->file) {
            char text[1600];
            cll_sys_snprintf(text, sizeof text, "cannot write %s: %s; the rows go into the default file", path,
                             cll_sys_strerror(*cll_sys_errno()));
            cll_say_(text, 0);
            cll_sys_free(output->given);
            cll_sys_free(output);
            return cll_output_(0, 0, gathered);
        }
        if (!s->run_known && cll_given_run_() >= 0) s->run = cll_given_run_();
    } else {
        output->file = cll_create_(path, sizeof path, gathered);
    }
    output->gathered = gathered;
    output->path = cll_copy_(path, __builtin_strlen(path));
    output->names = names ? cll_copy_(names, __builtin_strlen(names)) : 0;
    output->end_at = -1;
    output->next = s->outputs;
    s->outputs = output;
    s->written = 1;
    if (!output->file) {
        char text[1600];
        cll_sys_snprintf(text, sizeof text, "cannot write %s: %s; what was recorded is lost", path,
                         cll_sys_strerror(*cll_sys_errno()));
        cll_say_(text, 0);
        output->failed = 1;
    }
    if (!output->path || !cll_columns_(output) || !cll_sink_start_(&sink, cll_flush_file_, output)) {
        cll_say_("no memory for a file of rows", 0);
        output->failed = 1;
        output->known = 0;
        return output;
    }
    cll_put_header_(&sink, output);
    cll_sink_end_(&sink);
    return output;
}

/* The last line, behind which more rows may still come: they overwrite it. */
CLL_COLD_ void cll_end_output_(cll_output *output)
{
    cll_state *s = &cll_shared_;
    cll_thread *thread;
    double spill = s->spill_gone, lost = s->lost_gone, hz_end = s->clock == CLL_TSC ? cll_counter_hz_() : s->hz;
    cll_sink sink;
    if (output->over || output->failed || !output->file || output->end_at >= 0) return;
    if (!cll_sink_start_(&sink, cll_flush_file_, output)) return;
    for (thread = s->threads; thread; thread = thread->next) {
        spill += thread->spill;
        lost += (double)thread->lost;
    }
    output->end_at = cll_sys_ftell(output->file);
    cll_put_(&sink, "# end: {\"rows\":");
    cll_put_exact_(&sink, output->rows);
    cll_put_(&sink, ",\"open\":");
    cll_put_exact_(&sink, output->open);
    cll_put_(&sink, ",\"exit\":");
    cll_put_exact_(&sink, output->exits);
    cll_put_(&sink, ",\"clamped\":");
    cll_put_exact_(&sink, output->clamped);
    cll_put_(&sink, ",\"rejected\":");
    cll_put_exact_(&sink, output->rejected);
    cll_put_(&sink, ",\"spill_s\":");
    cll_put_number_(&sink, spill * s->tick_s + output->spill);
    cll_put_(&sink, ",\"lost\":");
    cll_put_exact_(&sink, lost + output->lost);
    cll_put_(&sink, ",\"threads\":");
    cll_put_exact_(&sink, (double)s->thread_count);
    cll_put_(&sink, ",\"hz_end\":");
    cll_put_number_(&sink, hz_end);
    cll_put_(&sink, "}\n");
    cll_sink_end_(&sink);
}

CLL_COLD_ void cll_close_output_(cll_output *output)
{
    if (output->over) return;
    cll_end_output_(output);
    output->over = 1;
    if (output->file && cll_sys_fclose(output->file) && !output->failed)
        cll_say_("not all could be written to ", output->path);
    output->file = 0;
}

/* The file for rows: the one of that name, or the default one, with the columns that are needed. */
CLL_COLD_ cll_output *cll_output_(const char *given, const char *names, int gathered)
{
    cll_state *s = &cll_shared_;
    cll_output *output;
    for (output = s->outputs; output; output = output->next) {
        if (output->over || output->gathered != gathered) continue;
        if (given ? !(output->given && cll_same_(output->given, given)) : output->given != 0) continue;
        if (output->known == s->group_count && (!output->names || (names && cll_same_(output->names, names)))) {
            if (output->end_at >= 0 && output->file) {
                cll_sys_fseek(output->file, output->end_at, 0);
                output->end_at = -1;
            }
            return output;
        }
        /* Experiments have come, with a library: their columns need another file. */
        cll_close_output_(output);
        s->part++;
        if (given) break;
    }
    return cll_open_(given, given ? names : 0, gathered);
}

/* Writes the rows of all threads. The caller holds the lock. */
CLL_COLD_ void cll_write_all_(cll_output *output, const char *names)
{
    cll_thread *thread;
    cll_sink sink;
    if (!cll_sink_start_(&sink, cll_flush_file_, output)) return;
    cll_stop_threads_(1);
    for (thread = cll_shared_.threads; thread; thread = thread->next)
        cll_put_thread_(&sink, output, thread, names);
    cll_stop_threads_(0);
    cll_sink_end_(&sink);
    cll_free_finished_();
}

CLL_COLD_ int cll_any_rows_(void)
{
    cll_thread *thread;
    int any = 0;
    cll_stop_threads_(1);
    for (thread = cll_shared_.threads; thread; thread = thread->next) any |= cll_has_rows_(thread);
    cll_stop_threads_(0);
    return any;
}

/* Writes what ended threads have left, and frees their memory. The caller holds the lock. */
CLL_COLD_ void cll_spill_finished_(void)
{
    cll_thread *thread;
    cll_output *output = 0;
    cll_sink sink;
    for (thread = cll_shared_.threads; thread && !thread->finished; thread = thread->next) {}
    if (!thread) return;
    output = cll_output_(0, 0, 0);
    if (!output || !cll_sink_start_(&sink, cll_flush_file_, output)) return;
    for (; thread; thread = thread->next)
        if (thread->finished) cll_put_thread_(&sink, output, thread, 0);
    cll_sink_end_(&sink);
    cll_free_finished_();
}

/* Empties this thread's buffers, and those of threads that have ended, into the file. */
CLL_COLD_ void cll_spill_(cll_thread *thread, int table)
{
    cll_state *s = &cll_shared_;
    unsigned long long start = cll_now_(thread);
    int *code = cll_sys_errno(), kept = *code;
    double spent;
    cll_give_(thread);
    if (!cll_lock_()) {
        cll_take_(thread);
        return;
    }
    if (s->over) {
        cll_drop_(thread);
    } else {
        cll_output *output;
        cll_thread *other;
        cll_sink sink;
        output = cll_output_(0, 0, 0);
        if (output && cll_sink_start_(&sink, cll_flush_file_, output)) {
            for (other = s->threads; other; other = other->next)
                if (other == thread || other->finished) cll_put_thread_(&sink, output, other, 0);
            cll_sink_end_(&sink);
        }
        cll_free_finished_();
    }
    if (table) {
        unsigned i;
        cll_clear_table_(thread);
        for (i = 0; i < thread->known; i++) thread->locals[i].last = 0;
    }
    cll_unlock_();
    cll_take_(thread);
    *code = kept;
    spent = (double)(long long)(cll_now_(thread) - start);
    if (spent > 0) {
        thread->spent += spent;
        thread->spill += spent;
    }
}

/* Room for a record in the next chunk, a new one, or after a spill. */
CLL_COLD_ char *cll_find_room_(cll_thread *thread, unsigned long bytes)
{
    cll_state *s = &cll_shared_;
    int *code = cll_sys_errno(), kept = *code, turn;
    for (turn = 0; turn < 2; turn++) {
        cll_chunk *chunk = thread->current, *fresh;
        unsigned long want = chunk ? 2 * chunk->bytes : 4096, most = s->memory_limit / 64;
        if (chunk) {
            chunk->head = thread->head;
            if (turn && thread->head + bytes <= thread->end) return thread->head;
            for (; chunk->next; chunk = chunk->next) {
                thread->current = chunk->next;
                thread->head = chunk->next->head = (char *)(chunk->next + 1);
                thread->end = chunk->next->end;
                if (thread->head + bytes <= thread->end) return thread->head;
            }
        }
        if (most > 1024 * 1024) most = 1024 * 1024;
        if (want > most) want = most;
        if (want < bytes + sizeof *chunk) want = bytes + sizeof *chunk;
        fresh = cll_chunk_(want, thread->chunk_bytes, 0);
        if (fresh) {
            *code = kept;
            thread->chunk_bytes += want;
            if (chunk)
                chunk->next = fresh;
            else
                thread->chunks = fresh;
            thread->current = fresh;
            thread->head = fresh->head;
            thread->end = fresh->end;
            return thread->head;
        }
        if (!turn) cll_spill_(thread, 0);
    }
    thread->lost++;
    *code = kept;
    return 0;
}

/* What it took since then, without what was counted as a spill, is no region's. */
CLL_COLD_ void cll_take_out_(cll_thread *thread, unsigned long long start, double spill)
{
    double spent = (double)(long long)(cll_now_(thread) - start) - (thread->spill - spill);
    if (spent > 0) thread->spent += spent;
}

/* ------------------------------------------------------------------------------------------------------ supersteps */

/* A line for the file of events: NAME.bsp.RUN.rRANK.txt. It begins with the time in nanoseconds. */
CLL_COLD_ void cll_note_(unsigned long long now, const char *text)
{
    char line[64];
    int length;
    if (!cll_shared_.events) return;
    length = cll_sys_snprintf(line, sizeof line, "%llu ", now);
    cll_sys_fwrite(line, 1, (unsigned long)length, cll_shared_.events);
    cll_sys_fwrite(text, 1, __builtin_strlen(text), cll_shared_.events);
}

/* Called by pub.h for a process of a bulk-synchronous program: what it does, as a line. The time that this takes is of no
 * region. */
CLL_COLD_ void cll_superstep_(int rank, int processes, const char *text)
{
    cll_state *s = &cll_shared_;
    cll_thread *thread = cll_self_;
    double spill = thread ? thread->spill : 0;
    unsigned long long now;
    if (!s->ready || !s->supersteps || __atomic_load_n(&cll_recording_, __ATOMIC_RELAXED) == 0) return;
    now = cll_mono_now_();
    if (!s->events) {
        char name[300], path[1024];
        const char *run = cll_sys_getenv("CLL_RUN");
        cll_sys_snprintf(name, sizeof name, "%s.bsp.%s.r%d.txt", s->name, run && *run ? run : "0", rank);
        cll_in_folder_(path, sizeof path, name);
        s->events = cll_sys_fopen(path, "w");
        if (!s->events) {
            cll_say_("supersteps are not recorded, cannot write ", path);
            s->supersteps = 0;
            return;
        }
        cll_sys_snprintf(name, sizeof name, "# cll-bsp: 1 rank %d processes %d\n", rank, processes);
        cll_sys_fwrite(name, 1, __builtin_strlen(name), s->events);
    }
    cll_note_(now, text);
    if (thread && thread->clock == CLL_MONO) cll_take_out_(thread, now, spill);
}

/* R NAME START TIME NAMES VALUE.. */
CLL_COLD_ void cll_note_region_(cll_thread *thread, const cll_frame *frame, unsigned long long now, double time)
{
    const cll_experiment *experiment = frame->local->group->first;
    const double *values = (const double *)(frame + 1);
    char text[1024];
    unsigned long used;
    double spill = thread->spill;
    int i;
    if (!cll_shared_.events || thread->clock != CLL_MONO) return;
    used = (unsigned long)cll_sys_snprintf(text, sizeof text, "R %.100s %llu %.1f %.400s", experiment->name, frame->start,
                                           time, *experiment->names ? experiment->names : "-");
    for (i = 0; i < frame->u.is.count && used + 40 < sizeof text; i++)
        used += (unsigned long)cll_sys_snprintf(text + used, sizeof text - used, " %.17g", values[i]);
    cll_sys_snprintf(text + used, sizeof text - used, "\n");
    cll_note_(now, text);
    cll_take_out_(thread, now, spill);
}

CLL_COLD_ char *cll_room_(cll_thread *thread, unsigned long bytes)
{
    unsigned long long start = cll_now_(thread);
    double spill = thread->spill;
    char *room = cll_find_room_(thread, bytes);
    cll_take_out_(thread, start, spill);
    return room;
}

/* ---------------------------------------------------------------------------------------------------- aggregates */

CLL_SHARED_ void cll_merge_(cll_entry *entry, cll_frame *frame, int flags, double raw, double time, double self)
{
    double d = time - entry->shift;
    entry->merged++;
    entry->sum += d;
    entry->squares += d * d;
    entry->raw += raw;
    entry->self += self;
    if (time < entry->least) entry->least = time;
    if (time > entry->most) entry->most = time;
    if (CLL_RARE_(flags & CLL_R_CLAMPED)) entry->clamped++;
    if (CLL_RARE_(frame->u.is.flags & CLL_R_EXTRA)) {
        double *from = (double *)(frame + 1) + frame->u.is.count, *to = (double *)(entry + 1) + entry->count;
        unsigned i;
        if (frame->cpu == frame->cpu) {
            entry->cpu += frame->cpu;
            entry->cpu_count++;
        }
        for (i = 0; i < entry->counters && i < frame->counters; i++) to[i] += from[i];
    }
    if (CLL_RARE_(entry->merged == 1)) entry->first_visit = frame->visit;
}

CLL_COLD_ void cll_own_record_(cll_thread *thread, cll_entry *entry, cll_frame *frame, int flags, double raw,
                               double time, double self)
{
    unsigned long bytes = sizeof(cll_record) + 8ul * frame->u.is.count, extra = 0;
    cll_record *record;
    double *to;
    if (frame->u.is.flags & CLL_R_EXTRA) {
        flags |= CLL_R_EXTRA;
        extra = 1ul + frame->counters;
    }
    bytes += 8 * extra;
    record = (cll_record *)thread->head;
    if (thread->head + bytes > thread->end) record = (cll_record *)cll_room_(thread, bytes);
    if (!record) return;
    thread->head = (char *)record + bytes;
    record->u.head = frame->u.head;
    record->u.is.status = (unsigned char)(entry->status & 0xff);
    record->u.is.flags = (unsigned char)flags;
    record->words = (unsigned)(bytes / 8);
    record->level = frame->level;
    record->visit = frame->visit;
    record->raw = raw;
    record->time = time;
    record->self = self;
    to = (double *)(record + 1);
    __builtin_memcpy(to, frame + 1, 8ul * frame->u.is.count);
    if (extra) {
        to[frame->u.is.count] = frame->cpu;
        __builtin_memcpy(to + frame->u.is.count + 1, (double *)(frame + 1) + frame->u.is.count, 8ul * frame->counters);
    }
}

/* A larger table, if there is memory for it. */
CLL_COLD_ void cll_table_grows_(cll_thread *thread)
{
    unsigned long size = thread->table_size ? 2 * thread->table_size : 256;
    cll_entry *entry, **table = (cll_entry **)cll_memory_(size * sizeof *table, size * sizeof *table, !thread->table_size);
    if (!table) return;
    for (entry = thread->first_entry; entry; entry = entry->later) {
        entry->next = table[entry->hash & (size - 1)];
        table[entry->hash & (size - 1)] = entry;
    }
    cll_release_(thread->table, thread->table_size * sizeof *table);
    thread->table = table;
    thread->table_size = size;
}

CLL_COLD_ cll_entry *cll_make_entry_(cll_thread *thread, unsigned long long hash, cll_frame *frame, unsigned status)
{
    unsigned counters = (unsigned)((frame->bytes - sizeof *frame) / 8) - frame->u.is.count;
    unsigned long bytes = sizeof(cll_entry) + 8ul * frame->u.is.count + 8ul * counters;
    cll_entry *entry;
    int turn;
    if (thread->entries >= thread->table_size / 2) cll_table_grows_(thread);
    if (!thread->table_size) return 0;
    for (turn = 0; turn < 2; turn++) {
        cll_chunk *arena = thread->arena, *fresh;
        unsigned long want = arena ? 2 * arena->bytes : 16 * 1024, most = cll_shared_.memory_limit / 64;
        if (arena && arena->head + bytes <= arena->end) break;
        if (most > 1024 * 1024) most = 1024 * 1024;
        if (want > most) want = most;
        if (want < bytes + sizeof *arena) want = bytes + sizeof *arena;
        fresh = cll_chunk_(want, thread->chunk_bytes, 0);
        if (fresh) {
            thread->chunk_bytes += want;
            fresh->next = arena;
            thread->arena = fresh;
            break;
        }
        if (turn) return 0;
        cll_spill_(thread, 1);
    }
    entry = (cll_entry *)thread->arena->head;
    thread->arena->head += bytes;
    __builtin_memset(entry, 0, bytes);
    entry->hash = hash;
    entry->id = (unsigned short)frame->u.is.id;
    entry->process = frame->u.is.process;
    entry->count = frame->u.is.count;
    entry->counters = (unsigned short)counters;
    entry->level = frame->level;
    entry->status = status;
    entry->shift = __builtin_inf();
    __builtin_memcpy(entry + 1, frame + 1, 8ul * frame->u.is.count);
    cll_entry_reset_(entry);
    entry->next = thread->table[hash & (thread->table_size - 1)];
    thread->table[hash & (thread->table_size - 1)] = entry;
    if (thread->last_entry) thread->last_entry->later = entry;
    else thread->first_entry = entry;
    thread->last_entry = entry;
    thread->entries++;
    /* Of 2, 4, 8 .. entries, fewer fit into the caches: between what was measured among 8 and among 4,096. */
    if ((thread->entries & (thread->entries - 1)) == 0 && thread->entries > 8 && thread->entries <= 4096)
        thread->miss = cll_shared_.miss[0] + (cll_shared_.miss[1] - cll_shared_.miss[0])
                       * (double)(__builtin_ctzl(thread->entries) - 3) / 9;
    return entry;
}

CLL_COLD_ cll_entry *cll_new_entry_(cll_thread *thread, unsigned long long hash, cll_frame *frame, unsigned status)
{
    unsigned long long start = cll_now_(thread);
    double spill = thread->spill;
    cll_entry *entry = cll_make_entry_(thread, hash, frame, status);
    cll_take_out_(thread, start, spill);
    return entry;
}

/* Integers, powers of two and short fractions differ in the upper bits of a double alone, while the table looks at the
 * lower bits of the hash: the last lines bring all bits down. */
CLL_INLINE_ unsigned long long cll_hash_(unsigned long long hash, const void *values, unsigned count)
{
    const unsigned long long *bits = (const unsigned long long *)values;
    unsigned i;
    for (i = 0; i < count; i++) {
        hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    hash = (hash ^ hash >> 32) * 0x0e9846af9b1a615dull;
    hash = (hash ^ hash >> 32) * 0x0e9846af9b1a615dull;
    return hash ^ hash >> 28;
}

/* Numbers that are equal have the same bits, and there is one that is none. */
CLL_INLINE_ void cll_plain_values_(void *values, unsigned count)
{
    unsigned long long *bits = (unsigned long long *)values;
    unsigned i;
    for (i = 0; i < count; i++) {
        if (CLL_RARE_(bits[i] << 1 > 0xffe0000000000000ull)) bits[i] = 0x7ff8000000000000ull;
        if (CLL_RARE_(bits[i] == 0x8000000000000000ull)) bits[i] = 0;
    }
}

CLL_INLINE_ int cll_is_entry_(const cll_entry *entry, const cll_frame *frame, unsigned status)
{
    const unsigned long long *a = (const unsigned long long *)(const void *)(entry + 1);
    const unsigned long long *b = (const unsigned long long *)(const void *)(frame + 1);
    unsigned i;
    if (entry->level != frame->level || entry->status != status || entry->process != frame->u.is.process
        || entry->id != frame->u.is.id)
        return 0;
    for (i = 0; i < frame->u.is.count; i++)
        if (a[i] != b[i]) return 0;
    return 1;
}

CLL_SHARED_ void cll_aggregate_(cll_thread *thread, cll_local *local, cll_frame *frame, int status, int flags,
                                double raw, double time, double self)
{
    unsigned whole = (unsigned)status | (unsigned)(flags & (CLL_R_NO_VALUES | CLL_R_NO_TIME)) << 8;
    cll_entry *entry = local->last;
    cll_plain_values_(frame + 1, frame->u.is.count);
    if (!entry || !cll_is_entry_(entry, frame, whole)) {
        if (entry) thread->spent += thread->miss;
        unsigned long long hash = ((unsigned long long)frame->level << 32 | frame->u.is.id) + ((unsigned long long)whole << 20)
                                  + ((unsigned long long)frame->u.is.process << 48);
        hash = cll_hash_(hash, frame + 1, frame->u.is.count);
        entry = thread->table_size ? thread->table[hash & (thread->table_size - 1)] : 0;
        while (entry && (entry->hash != hash || !cll_is_entry_(entry, frame, whole))) entry = entry->next;
        if (!entry) entry = cll_new_entry_(thread, hash, frame, whole);
        if (!entry) {
            thread->lost++;
            return;
        }
        local->last = entry;
    }
    if (CLL_RARE_(entry->samples++ < CLL_OWN_)) {
        if (time < entry->shift) entry->shift = time;
        cll_own_record_(thread, entry, frame, flags, raw, time, self);
        return;
    }
    cll_merge_(entry, frame, flags, raw, time, self);
}

/* --------------------------------------------------------------------------------------------------------- report */

/* Samples of this thread that a jump has left, seen from a function whose frame is at `address`. */
CLL_COLD_ void cll_sweep_own_(const void *address)
{
    cll_thread *thread = cll_self_;
    if (!thread) return;
    while ((char *)thread->top > thread->base && thread->top->address < address) cll_abandon_(thread);
}

/* Reports into a file of this process alone. */
CLL_COLD_ void cll_report_alone_(const char *names, const char *file)
{
    cll_output *output;
    if (!cll_lock_()) return;
    cll_start_();
    if (!cll_shared_.over) {
        output = cll_output_(file, names, 0);
        if (output) cll_write_all_(output, names);
    }
    cll_unlock_();
}

CLL_COLD_ void cll_report(const char *names, const char *file)
{
    int *code = cll_sys_errno(), kept = *code;
    if (names && (!*names || cll_same_(names, "all"))) names = 0;
    if (file && !*file) file = 0;
    if (!cll_is_set_("CLL_OFF")) {
        cll_sweep_own_(__builtin_frame_address(0));
        __atomic_add_fetch(&cll_shared_.reports, 1, __ATOMIC_RELAXED);
        if (!cll_mpi_gather_ || !cll_mpi_gather_(names, file, 0)) cll_report_alone_(names, file);
    }
    *code = kept;
}

/* Writes all that is left, with the last line of every file; they stay open for what may still come. */
CLL_COLD_ void cll_finish_files_(int close)
{
    cll_state *s = &cll_shared_;
    cll_output *output;
    if (cll_any_rows_() || (!s->written && s->experiments && !s->forked)) {
        output = cll_output_(0, 0, 0);
        if (output) cll_write_all_(output, 0);
    }
    for (output = s->outputs; output; output = output->next)
        if (close)
            cll_close_output_(output);
        else if (output->end_at < 0)
            cll_end_output_(output);
}

/* At exit. */
CLL_COLD_ void cll_final_(void)
{
    cll_state *s = &cll_shared_;
    cll_thread *thread = cll_self_;
    if (cll_is_set_("CLL_OFF")) return;
    __atomic_store_n(&cll_recording_, 0, __ATOMIC_RELAXED);
    if (thread)
        while ((char *)thread->top > thread->base) cll_abandon_(thread);
    if (!cll_lock_()) return;
    if (s->ready && s->pid != cll_sys_getpid()) {
        /* A child that was made behind the back of pthread_atfork. */
        cll_forget_();
        if (!cll_lock_()) return;
    }
    cll_start_();
    if (!s->over) {
        cll_finish_files_(1);
        if (s->clock == CLL_TSC) {
            double end = cll_counter_hz_();
            if (end > 0 && (end / s->hz > 1 + 1e-4 || end / s->hz < 1 - 1e-4))
                cll_say_("the frequency of the time-stamp counter changed by more than 1e-4; use CLL_CLOCK=mono", 0);
        }
        s->over = 1;
    }
    cll_unlock_();
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
