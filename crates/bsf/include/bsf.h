/* Iterative algorithms as Map and Reduce over a list, on one core, on threads or on the ranks of MPI.
 *
 *     s  = F_x(a_1) + .. + F_x(a_l)        map_fold, a range of elements at a time; combine, block by block
 *     x' = Compute(x, s)                   compute, at the master; then continue, stop, or another job
 *
 * Memory: all is the caller's but partial results, which the library allocates (64-byte aligned, valid during a call).
 * x is read-only outside compute. When bsf_run returns, the master's x holds the result; that of other ranks is
 * untouched. Sizes are fixed; x and partial results travel as bytes, so there are no pointers in them, and all
 * machines have the same architecture.
 *
 * Threads: map_fold, identity and combine run at once, on different partial results, with the same data; compute,
 * dispatch and output run on the thread that called bsf_run.
 *
 * Errors: nothing aborts. A negative number that a function returns ends the run as BSF_FAILED, and the message says
 * which worker, iteration, elements and number. C++ exceptions must not leave a function that is called from here. */
#ifndef BSF_H
#define BSF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BSF_ABI 1

typedef enum {
  BSF_CONVERGED,
  BSF_FINISHED,        /* all iterations asked for, or dispatch said so; of a rank that is a worker: the run has ended */
  BSF_DIVERGED,
  BSF_ITERATION_LIMIT,
  BSF_TIME_LIMIT,
  BSF_INTERRUPTED,
  BSF_FAILED,
  BSF_USAGE
} bsf_status;

enum { BSF_CONTINUE = 0, BSF_STOP = 1 };  /* of compute; a negative number anywhere: the user's error code */

/* Values of the options; 0 is automatic. */
enum { BSF_SERIAL = 1, BSF_THREADS = 2, BSF_MPI = 3 };  /* backend */
enum { BSF_FLAT = 1, BSF_TREE = 2, BSF_AUTO = 3 };      /* collective */
enum { BSF_SPIN = 1, BSF_SLEEP = 2 };                   /* wait */

typedef struct {
  uint64_t iteration, counter;     /* from 1; elements that were present */
  double elapsed_s;
  int32_t job, worker, workers;    /* job from 0; worker 0 is the master; workers 0: all other ranks */
} bsf_at;

typedef struct {
  uint32_t abi, size;              /* BSF_ABI, sizeof(bsf_job) */
  uint64_t list_length;
  size_t partial_bytes;
  void *data;                      /* shared by all threads, never freed */
  /* Elements are numbered over the whole list, from 0; last is one behind the last. */
  int (*set_up)(void *data, uint64_t first, uint64_t last, void **block);  /* NULL: no block */
  void (*tear_down)(void *data, void *block);
  void (*identity)(void *data, void *partial);                             /* NULL: zero bytes */
  int64_t (*map_fold)(void *data, void *block, uint64_t first, uint64_t last, const void *x,
                      void *partial);                                      /* elements present */
  void (*combine)(void *data, void *left, const void *right);              /* NULL: sum of doubles */
  int (*compute)(void *data, void *x, const void *sum, const bsf_at *at, double *step_norm, int32_t *next_job);
} bsf_job;

typedef struct {
  uint32_t abi, size;              /* BSF_ABI, sizeof(bsf_algorithm) */
  const char *name, *parameters;   /* a checkpoint of others is refused */
  const bsf_job *jobs;
  int32_t job_count;
  size_t x_bytes;
  int (*dispatch)(void *data, const void *x, const bsf_at *at);  /* job, or -1 to stop; NULL: next_job */
  int (*output)(void *data, const void *x, const bsf_at *at);    /* after every output_every-th iteration */
  void *data;
} bsf_algorithm;

typedef struct {
  uint32_t abi, size;              /* BSF_ABI, sizeof(bsf_options) */
  int32_t backend, workers, threads, collective, wait, reproducible;
  uint64_t iterations, max_iterations, output_every, checkpoint_every;
  double time_limit_s, divergence_factor, checkpoint_every_s;
  const char *checkpoint, *resume, *timings, *trace;  /* files */
  int32_t mpi_comm;                /* MPI_Comm_c2f(comm); 0: world, the only one so far */
} bsf_options;

typedef struct {
  bsf_status status;
  int32_t is_master;               /* the fields below are of the master */
  uint64_t iterations, counter;
  double time_s, step_norm, growth_rate;  /* not a number where it is unknown */
  char digest[65], message[512];
} bsf_outcome;

/* All automatic: under an MPI launcher its ranks, else threads on all cores. */
void bsf_options_init(bsf_options *o);

/* Takes --workers 4, --timings FILE and the like out of a command line, and leaves the others; the names are those of
 * `runcast bsf run`. BSF_FINISHED, or BSF_USAGE with a bsf_message(). The texts of argv must outlive the options. */
bsf_status bsf_options_from_args(bsf_options *o, int *argc, char **argv);

/* Runs an algorithm; o NULL: all automatic; out NULL: only the status. Under MPI all ranks of the communicator call it;
 * MPI is initialized, and then finalized, if the program has not done so. */
bsf_status bsf_run(const bsf_algorithm *a, const bsf_options *o, void *x, bsf_outcome *out);

/* What the last call of this thread had to say; empty when all was well. */
const char *bsf_message(void);

const char *bsf_version(void);

#ifdef __cplusplus
}
#endif
#endif
