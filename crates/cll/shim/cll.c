/* The run-time library of C programs, compiled for Rust, with what `src/library.rs` calls.
 *
 * What Rust must know of the library's types is how much room they take; it fills in nothing by itself.
 */
#include "../runtime/cll.h"

enum { CLL_RUST_WORDS_OF_EXPERIMENT = 32, CLL_RUST_WORDS_OF_GUARD = 4 };
_Static_assert(sizeof(cll_experiment) <= CLL_RUST_WORDS_OF_EXPERIMENT * sizeof(void *), "room in src/library.rs");
_Static_assert(sizeof(cll_guard) <= CLL_RUST_WORDS_OF_GUARD * sizeof(void *), "room in src/library.rs");
_Static_assert(_Alignof(cll_experiment) <= 8 && _Alignof(cll_guard) <= 8, "alignment in src/library.rs");

/* Whether the process has been told where in a parallel program it is, or has looked itself. */
static int cll_rust_placed;

/* Where MPI is not asked because no C source brought it in; the caller holds the lock. */
static void cll_rust_place(int rank, int size)
{
    cll_rust_placed = 1;
    if (cll_mpi_is_there_ || rank < 0 || size < 1 || rank >= size) return;
    cll_shared_.rank = cll_shared_.world_rank = rank;
    cll_shared_.size = size;
}

static int cll_rust_number(const char *variable)
{
    const char *text = cll_sys_getenv(variable);
    char *end;
    double number;
    if (!text || !*text) return -1;
    number = cll_sys_strtod(text, &end);
    return *end || !(number >= 0 && number < 1e9) ? -1 : (int)number;
}

/* What those who start parallel programs tell each process. The script of a Slurm job has no number of tasks of a step:
 * it is one process, whatever the job has asked for. */
static void cll_rust_look_around(void)
{
    static const char *const variables[][2] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
                                                { "PMI_RANK", "PMI_SIZE" },
                                                { "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE" },
                                                { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" } };
    unsigned i;
    for (i = 0; i < sizeof variables / sizeof *variables && !cll_rust_placed; i++) {
        int rank = cll_rust_number(variables[i][0]), size = cll_rust_number(variables[i][1]);
        if (rank >= 0 && size > 1) cll_rust_place(rank, size);
    }
    cll_rust_placed = 1;
}

void cll_rust_rank(int rank, int size)
{
    int locked = cll_lock_();
    cll_rust_place(rank, size);
    if (locked) cll_unlock_();
}

/* Texts live as long as the program. */
void cll_rust_experiment(cll_experiment *experiment, const char *name, const char *formula, const char *file, int line,
                         const char *names, int count, const char *seg, const char *metric, unsigned flags,
                         unsigned every, const char *hash, const char *compiler)
{
    const cll_experiment made = { .name = name, .formula = formula, .file = file, .line = line, .names = names,
                                  .count = count, .seg = seg, .metric = metric, .flags = flags, .every = every,
                                  .hash = hash, .id = -1, .compiler = compiler };
    int locked = cll_lock_();
    if (!cll_rust_placed) cll_rust_look_around();
    if (locked) cll_unlock_();
    *experiment = made;
    cll_register(experiment);
}

/* The guard is empty. Inlined functions have no frame of their own to tell jumps by, and in Rust no jump leaves a
 * region behind: guards are dropped on every way out. So there is no address. */
void cll_rust_enter(cll_guard *guard, cll_experiment *experiment, int count, const double *values)
{
    cll_local *local = cll_wanted_(experiment, 0, 0);
    if (local) cll_begin_(cll_self_, local, guard, experiment, count, values, 0, 0, 0);
}

void cll_rust_done(cll_guard *guard) { cll_end_(guard, CLL_OK); }

void cll_rust_exit(cll_guard *guard) { cll_end_(guard, CLL_EXIT); }

unsigned long long cll_rust_now(void) { return cll_now_(0); }

void cll_rust_done_at(cll_guard *guard, unsigned long long now, int count, const double *values)
{
    if (guard->thread) cll_end_values_(guard, now, count, values);
}
