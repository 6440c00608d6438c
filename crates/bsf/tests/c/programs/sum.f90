! The sum of the squares up to 10, from Fortran.
module squares
  use, intrinsic :: iso_c_binding
  use bsf
  implicit none
contains
  function map_fold(data, block, first, last, x, partial) result(present_ones) bind(c)
    type(c_ptr), value :: data, block, x, partial
    integer(c_int64_t), value :: first, last
    integer(c_int64_t) :: present_ones, i
    real(c_double), pointer :: s
    call c_f_pointer(partial, s)
    do i = first, last - 1
      s = s + real((i + 1)**2, c_double)
    end do
    present_ones = last - first
  end function

  function compute(data, x, sum, at, step_norm, next_job) result(decision) bind(c)
    type(c_ptr), value :: data, x, sum
    type(bsf_at), intent(in) :: at
    real(c_double), intent(inout) :: step_norm
    integer(c_int32_t), intent(inout) :: next_job
    integer(c_int) :: decision
    real(c_double), pointer :: to, from
    call c_f_pointer(x, to)
    call c_f_pointer(sum, from)
    to = from
    decision = BSF_STOP
  end function
end module

program main
  use squares
  implicit none
  type(bsf_job), target :: job
  type(bsf_algorithm) :: algorithm
  type(bsf_options) :: options
  type(bsf_outcome) :: outcome
  real(c_double), target :: x = 0
  integer(c_int) :: status

  job%size = int(c_sizeof(job), c_int32_t)
  job%list_length = 10
  job%partial_bytes = 8
  job%map_fold = c_funloc(map_fold)
  job%compute = c_funloc(compute)
  algorithm%size = int(c_sizeof(algorithm), c_int32_t)
  algorithm%jobs = c_loc(job)
  algorithm%job_count = 1
  algorithm%x_bytes = 8
  call bsf_options_init(options)
  if (options%size /= c_sizeof(options)) error stop 'the layout of bsf_options differs'
  options%workers = 3
  status = bsf_run(algorithm, options, c_loc(x), outcome)
  print '(a, i0, a, f0.1, a, i0)', 'status ', status, ' sum ', x, ' master ', outcome%is_master
end program
