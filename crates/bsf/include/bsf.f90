! The declarations of bsf.h for Fortran: compile this file with the program. What fields mean is told there.
!
! Functions for the fields of type c_funptr are bind(c), and are set with c_funloc; c_null_funptr stands for NULL.
module bsf
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: BSF_ABI = 1

  enum, bind(c)
    enumerator :: BSF_CONVERGED = 0, BSF_FINISHED, BSF_DIVERGED, BSF_ITERATION_LIMIT, BSF_TIME_LIMIT, BSF_INTERRUPTED
    enumerator :: BSF_FAILED, BSF_USAGE
  end enum
  integer(c_int), parameter :: BSF_CONTINUE = 0, BSF_STOP = 1
  integer(c_int32_t), parameter :: BSF_SERIAL = 1, BSF_THREADS = 2, BSF_MPI = 3
  integer(c_int32_t), parameter :: BSF_FLAT = 1, BSF_TREE = 2, BSF_AUTO = 3
  integer(c_int32_t), parameter :: BSF_SPIN = 1, BSF_SLEEP = 2

  type, bind(c) :: bsf_at
    integer(c_int64_t) :: iteration, counter
    real(c_double) :: elapsed_s
    integer(c_int32_t) :: job, worker, workers
  end type

  type, bind(c) :: bsf_job
    integer(c_int32_t) :: abi = BSF_ABI, size = 0
    integer(c_int64_t) :: list_length = 0
    integer(c_size_t) :: partial_bytes = 0
    type(c_ptr) :: data = c_null_ptr
    type(c_funptr) :: set_up = c_null_funptr, tear_down = c_null_funptr, identity = c_null_funptr
    type(c_funptr) :: map_fold = c_null_funptr, combine = c_null_funptr, compute = c_null_funptr
  end type

  type, bind(c) :: bsf_algorithm
    integer(c_int32_t) :: abi = BSF_ABI, size = 0
    type(c_ptr) :: name = c_null_ptr, parameters = c_null_ptr, jobs = c_null_ptr
    integer(c_int32_t) :: job_count = 0
    integer(c_size_t) :: x_bytes = 0
    type(c_funptr) :: dispatch = c_null_funptr, output = c_null_funptr
    type(c_ptr) :: data = c_null_ptr
  end type

  type, bind(c) :: bsf_options
    integer(c_int32_t) :: abi, size
    integer(c_int32_t) :: backend, workers, threads, collective, wait, reproducible
    integer(c_int64_t) :: iterations, max_iterations, output_every, checkpoint_every
    real(c_double) :: time_limit_s, divergence_factor, checkpoint_every_s
    type(c_ptr) :: checkpoint, resume, timings, trace
    integer(c_int32_t) :: mpi_comm
  end type

  type, bind(c) :: bsf_outcome
    integer(c_int) :: status
    integer(c_int32_t) :: is_master
    integer(c_int64_t) :: iterations, counter
    real(c_double) :: time_s, step_norm, growth_rate
    character(kind=c_char) :: digest(65), message(512)
  end type

  interface
    subroutine bsf_options_init(o) bind(c)
      import :: bsf_options
      type(bsf_options), intent(out) :: o
    end subroutine

    function bsf_run(a, o, x, out) result(status) bind(c)
      import :: bsf_algorithm, bsf_options, bsf_outcome, c_ptr, c_int
      type(bsf_algorithm), intent(in) :: a
      type(bsf_options), intent(in) :: o
      type(c_ptr), value :: x
      type(bsf_outcome), intent(out) :: out
      integer(c_int) :: status
    end function

    function bsf_message() result(text) bind(c)
      import :: c_ptr
      type(c_ptr) :: text
    end function

    function bsf_version() result(text) bind(c)
      import :: c_ptr
      type(c_ptr) :: text
    end function
  end interface
end module
