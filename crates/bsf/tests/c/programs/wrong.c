/* What is wrong is told, field by field; nothing aborts. */
#include "bsf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int is, const char *what, const char *said) {
  if (!is) failures++, printf("not as expected: %s: %s\n", what, said);
}

static int64_t one_each(void *data, void *block, uint64_t first, uint64_t last, const void *x, void *sum) {
  (void)block, (void)x;
  *(double *)sum += (double)(last - first);
  return data && first <= 70 && 70 < last ? -7 : (int64_t)(last - first);
}

static int64_t too_many(void *data, void *block, uint64_t first, uint64_t last, const void *x, void *sum) {
  (void)data, (void)block, (void)x, (void)sum;
  return (int64_t)(last - first) + 1;
}

static int add_up(void *data, void *x, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  (void)data, (void)norm, (void)next;
  *(double *)x += *(const double *)sum;
  return at->iteration == 3 ? BSF_STOP : BSF_CONTINUE;
}

static int to_job_9(void *data, void *x, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  (void)data, (void)x, (void)sum, (void)at, (void)norm;
  *next = 9;
  return BSF_CONTINUE;
}

static int fails(void *data, void *x, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  (void)data, (void)x, (void)sum, (void)at, (void)norm, (void)next;
  return -3;
}

static int stop_at_5(void *data, const void *x, const bsf_at *at) {
  (void)data, (void)x;
  return at->iteration == 5 ? -1 : (int)(at->iteration % 2);
}

static int output_fails(void *data, const void *x, const bsf_at *at) {
  (void)data, (void)x;
  return at->iteration == 2 ? -9 : 0;
}

static int never(void *data, void *x, const void *sum, const bsf_at *at, double *norm, int32_t *next) {
  (void)data, (void)sum, (void)at, (void)norm, (void)next;
  *(double *)x += 1;
  return BSF_CONTINUE;
}

static bsf_job jobs[2];
static bsf_algorithm algorithm;
static bsf_options options;
static bsf_outcome out;
static double x;

static void begin(void) {
  memset(jobs, 0, sizeof jobs);
  for (int i = 0; i < 2; i++) {
    jobs[i].abi = BSF_ABI, jobs[i].size = sizeof jobs[i];
    jobs[i].list_length = 100, jobs[i].partial_bytes = sizeof(double);
    jobs[i].map_fold = one_each, jobs[i].compute = add_up;
  }
  memset(&algorithm, 0, sizeof algorithm);
  algorithm.abi = BSF_ABI, algorithm.size = sizeof algorithm;
  algorithm.name = "wrong", algorithm.jobs = jobs, algorithm.job_count = 2, algorithm.x_bytes = sizeof x;
  bsf_options_init(&options);
  options.workers = 3;
  x = 0;
}

static void ends(bsf_status status, const char *word) {
  bsf_status returned = bsf_run(&algorithm, &options, &x, &out);
  int is = returned == status && out.status == status && strstr(out.message, word) && !strcmp(out.message, bsf_message());
  expect(is, word, out.message);
}

int main(void) {
  begin(), ends(BSF_CONVERGED, "");
  expect(x == 300 && out.iterations == 3 && out.counter == 100 && out.is_master, "the sum of three iterations", "");
  expect(strlen(out.digest) == 32 && isnan(out.growth_rate), "digest, and a rate that is unknown", out.digest);
  begin(), jobs[0].map_fold = NULL, ends(BSF_USAGE, "jobs[0].map_fold");
  begin(), jobs[1].compute = NULL, ends(BSF_USAGE, "jobs[1].compute");
  begin(), jobs[1].list_length = 0, ends(BSF_USAGE, "jobs[1].list_length");
  begin(), jobs[0].partial_bytes = 9, ends(BSF_USAGE, "jobs[0].partial_bytes");
  begin(), jobs[0].abi = 2, ends(BSF_USAGE, "jobs[0].abi");
  begin(), algorithm.size += 8, ends(BSF_USAGE, "algorithm.size");
  begin(), algorithm.x_bytes = 0, ends(BSF_USAGE, "algorithm.x_bytes");
  begin(), algorithm.jobs = NULL, ends(BSF_USAGE, "algorithm.jobs");
  begin(), algorithm.job_count = 0, ends(BSF_USAGE, "algorithm.job_count");
  begin(), options.workers = 101, ends(BSF_USAGE, "workers");
  begin(), options.backend = 4, ends(BSF_USAGE, "options.backend");
  begin(), options.time_limit_s = NAN, ends(BSF_USAGE, "options.time_limit_s");
  begin(), options.resume = "no/such/file", ends(BSF_USAGE, "no/such/file");
  begin(), jobs[0].compute = to_job_9, ends(BSF_USAGE, "next_job");
  begin(), jobs[0].compute = fails, ends(BSF_FAILED, "iteration 1: compute failed: compute returned the code -3");
  begin(), jobs[0].map_fold = too_many, ends(BSF_FAILED, "at most");
  begin(), jobs[0].data = &x, ends(BSF_FAILED, "worker 3, iteration 1: map and fold failed: map_fold of elements 67 to 99 returned the code -7");
  expect(x == 0, "nothing is written after a failure", "");
  begin(), jobs[0].compute = jobs[1].compute = never, algorithm.dispatch = stop_at_5, ends(BSF_FINISHED, "");
  expect(x == 4 && out.iterations == 4, "the dispatcher ends the run", "");
  begin(), jobs[0].compute = never, algorithm.output = output_fails, ends(BSF_FAILED, "iteration 2: output returned the code -9");
  begin(), jobs[0].compute = never, options.max_iterations = 7, ends(BSF_ITERATION_LIMIT, "");
  begin(), jobs[0].compute = never, options.iterations = 7, ends(BSF_FINISHED, "");
  /* A header that ended before the last fields, and no options at all. */
  begin(), algorithm.size = (uint32_t)offsetof(bsf_algorithm, dispatch), algorithm.dispatch = output_fails;
  options.size = (uint32_t)offsetof(bsf_options, threads), options.threads = -5;
  ends(BSF_CONVERGED, "");
  expect(bsf_run(NULL, NULL, NULL, NULL) == BSF_USAGE, "no algorithm", "");
  begin(), expect(bsf_run(&algorithm, NULL, &x, NULL) == BSF_CONVERGED && x == 300, "no options, no outcome", "");
  printf("%d failures\n", failures);
  return failures != 0;
}
