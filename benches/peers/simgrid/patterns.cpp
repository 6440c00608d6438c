// Patterns of messages as an MPI program, for SimGrid's SMPI: what testdata/sim/simgrid/patterns.csv was made with.
//
//   smpicxx -O2 -o patterns patterns.cpp
//   smpirun -np RANKS -platform galera.xml -hostfile HOSTS --cfg=smpi/simulate-computation:no ./patterns PATTERN BYTES
//
// Prints the time from a common start to the end of the last process, in seconds.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mpi.h>
#include <unistd.h>
#include <vector>

namespace {

int rank, count;

// All send to rank 0 at once, which has posted its receives.
void gather_burst(std::vector<char>& data, int bytes)
{
  if (rank != 0) {
    MPI_Send(data.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    return;
  }
  std::vector<MPI_Request> requests(count - 1);
  for (int from = 1; from < count; from++)
    MPI_Irecv(data.data(), bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
  MPI_Waitall(count - 1, requests.data(), MPI_STATUSES_IGNORE);
}

// Each sends to the next and receives from the one before, three times; no barrier between.
void ring(std::vector<char>& data, int bytes)
{
  for (int round = 0; round < 3; round++) {
    MPI_Request request;
    MPI_Irecv(data.data(), bytes, MPI_BYTE, (rank + count - 1) % count, 0, MPI_COMM_WORLD, &request);
    MPI_Send(data.data(), bytes, MPI_BYTE, (rank + 1) % count, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Each sends to all others, starting with the next; one after the other, though small messages overlap.
void one_by_one(std::vector<char>& data, int bytes)
{
  std::vector<MPI_Request> requests(count - 1);
  for (int other = 1; other < count; other++)
    MPI_Irecv(data.data(), bytes, MPI_BYTE, (rank + count - other) % count, 0, MPI_COMM_WORLD, &requests[other - 1]);
  for (int other = 1; other < count; other++)
    MPI_Send(data.data(), bytes, MPI_BYTE, (rank + other) % count, 0, MPI_COMM_WORLD);
  MPI_Waitall(count - 1, requests.data(), MPI_STATUSES_IGNORE);
}

// The same with all at once.
void many_to_many(std::vector<char>& data, int bytes)
{
  std::vector<MPI_Request> requests;
  requests.reserve(2 * count);
  for (int other = 1; other < count; other++) {
    requests.emplace_back();
    MPI_Irecv(data.data(), bytes, MPI_BYTE, (rank + count - other) % count, 0, MPI_COMM_WORLD, &requests.back());
  }
  for (int other = 1; other < count; other++) {
    requests.emplace_back();
    MPI_Isend(data.data(), bytes, MPI_BYTE, (rank + other) % count, 0, MPI_COMM_WORLD, &requests.back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

// Each of the lower half sends to all of the upper half at once.
void cross(std::vector<char>& data, int bytes)
{
  const int half = count / 2;
  std::vector<MPI_Request> requests(half);
  for (int other = 0; other < half; other++)
    if (rank < half)
      MPI_Isend(data.data(), bytes, MPI_BYTE, half + (rank + other) % half, 0, MPI_COMM_WORLD, &requests[other]);
    else
      MPI_Irecv(data.data(), bytes, MPI_BYTE, (rank - other) % half, 0, MPI_COMM_WORLD, &requests[other]);
  MPI_Waitall(half, requests.data(), MPI_STATUSES_IGNORE);
}

// The lower half sends to the upper half, one to one: through the links between leaves.
void bisection(std::vector<char>& data, int bytes)
{
  const int half = count / 2;
  if (rank < half)
    MPI_Send(data.data(), bytes, MPI_BYTE, rank + half, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(data.data(), bytes, MPI_BYTE, rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The receiver of a message comes late.
void late(std::vector<char>& data, int bytes)
{
  if (rank == 0) {
    MPI_Send(data.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    usleep(100);
    MPI_Recv(data.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

} // namespace

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  const int bytes = std::atoi(argv[2]);
  std::vector<char> data(bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  // A common start: far beyond the end of the barrier.
  const long left_ns = std::lround((1.0 - MPI_Wtime()) * 1e9);
  const timespec left{0, left_ns};
  nanosleep(&left, nullptr);
  const double begun = MPI_Wtime();
  if (!std::strcmp(argv[1], "gather_burst"))
    gather_burst(data, bytes);
  else if (!std::strcmp(argv[1], "ring"))
    ring(data, bytes);
  else if (!std::strcmp(argv[1], "many_to_many"))
    many_to_many(data, bytes);
  else if (!std::strcmp(argv[1], "one_by_one"))
    one_by_one(data, bytes);
  else if (!std::strcmp(argv[1], "cross"))
    cross(data, bytes);
  else if (!std::strcmp(argv[1], "bisection"))
    bisection(data, bytes);
  else
    late(data, bytes);
  const double spent = MPI_Wtime() - begun;
  double most        = 0;
  MPI_Reduce(&spent, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%.10f\n", most);
  MPI_Finalize();
  return 0;
}
