! A ring in the three interfaces of Fortran: -DF77, -DF90, -DF08.
program interfaces
#if defined(F08)
   use mpi_f08
#define NOERR
#define HANDLE(kind) type(kind)
#elif defined(F90)
   use mpi
#define NOERR , ierr
#define HANDLE(kind) integer
#endif
   implicit none
#if defined(F77)
   include 'mpif.h'
#define NOERR , ierr
#define HANDLE(kind) integer
#endif
   integer :: ierr, rank, ranks, i
   HANDLE(MPI_Request) :: r(2)
   HANDLE(MPI_Comm) :: half
   double precision :: x(10), y(10)
   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank NOERR)
   call mpi_comm_size(MPI_COMM_WORLD, ranks NOERR)
   call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half NOERR)
   x = 1
   do i = 1, 20
      call mpi_irecv(y, 10, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), MPI_ANY_TAG, MPI_COMM_WORLD, r(1) NOERR)
      call mpi_isend(x, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 3, MPI_COMM_WORLD, r(2) NOERR)
      call mpi_waitall(2, r, MPI_STATUSES_IGNORE NOERR)
      call mpi_allreduce(MPI_IN_PLACE, x, 10, MPI_DOUBLE_PRECISION, MPI_MAX, half NOERR)
   end do
   call mpi_finalize(ierr)
end program interfaces
