/* The layout of the structures in C, a line a field, for the comparison with that of the library. */
#include "bsf.h"

#include <stdio.h>

#define SIZE(type) printf(#type " %d\n", (int)sizeof(type))
#define FIELD(type, field) printf(#type "." #field " %d\n", (int)offsetof(type, field))

int main(void) {
  SIZE(bsf_at), SIZE(bsf_job), SIZE(bsf_algorithm), SIZE(bsf_options), SIZE(bsf_outcome), SIZE(bsf_status);
  FIELD(bsf_at, elapsed_s), FIELD(bsf_at, workers);
  FIELD(bsf_job, partial_bytes), FIELD(bsf_job, set_up), FIELD(bsf_job, compute);
  FIELD(bsf_algorithm, jobs), FIELD(bsf_algorithm, x_bytes), FIELD(bsf_algorithm, dispatch), FIELD(bsf_algorithm, data);
  FIELD(bsf_options, iterations), FIELD(bsf_options, time_limit_s), FIELD(bsf_options, trace), FIELD(bsf_options, mpi_comm);
  FIELD(bsf_outcome, iterations), FIELD(bsf_outcome, growth_rate), FIELD(bsf_outcome, digest), FIELD(bsf_outcome, message);
  return 0;
}
