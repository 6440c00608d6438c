// A periodic halo exchange in three dimensions as a SimGrid program, on a torus.
//
//   halo SIDE ITERATIONS BYTES CALC_S BANDWIDTH LATENCY [--cfg=...]
//
// SIDE^3 processes, x fastest; in each iteration six receives, six sends to +x -x +y -y +z -z, and a computation that needs
// all of them. Prints the simulated time and the CPU time of the simulation, both in seconds, and the peak of the memory in
// bytes.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

namespace {

struct Halo {
  long side;
  long iterations;
  double bytes;
  double calc_s;
};

long neighbor(const Halo& halo, long rank, int direction)
{
  const long side   = halo.side;
  long place[3]     = {rank % side, rank / side % side, rank / side / side};
  long& coordinate  = place[direction / 2];
  coordinate        = (coordinate + (direction % 2 == 0 ? 1 : side - 1)) % side;
  return place[0] + side * (place[1] + side * place[2]);
}

int something;

void cell(const Halo& halo, const std::array<s4u::Mailbox*, 6>& from, const std::array<s4u::Mailbox*, 6>& to)
{
  std::array<int*, 6> got;
  for (long iteration = 0; iteration < halo.iterations; iteration++) {
    std::vector<s4u::CommPtr> messages;
    for (int direction = 0; direction < 6; direction++)
      messages.push_back(from[direction]->get_async<int>(&got[direction]));
    for (int direction = 0; direction < 6; direction++)
      messages.push_back(to[direction]->put_async(&something, halo.bytes));
    for (auto& message : messages)
      message->wait();
    s4u::this_actor::execute(halo.calc_s * 1e9);
  }
}

} // namespace

int main(int argc, char** argv)
{
  s4u::Engine engine(&argc, argv);
  if (argc != 7) {
    std::fprintf(stderr, "usage: halo SIDE ITERATIONS BYTES CALC_S BANDWIDTH LATENCY\n");
    return 2;
  }
  const Halo halo{std::atol(argv[1]), std::atol(argv[2]), std::atof(argv[3]), std::atof(argv[4])};
  const double bandwidth = std::atof(argv[5]);
  const double latency   = std::atof(argv[6]);
  const auto side        = static_cast<unsigned long>(halo.side);
  const long count       = halo.side * halo.side * halo.side;

  std::vector<s4u::Host*> hosts(count);
  s4u::ClusterCallbacks callbacks([&hosts](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long number) {
    auto* host    = zone->create_host("n" + std::to_string(number), 1e9)->seal();
    hosts[number] = host;
    return std::make_pair(host->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
  });
  s4u::create_torus_zone("torus", nullptr, {side, side, side}, callbacks, bandwidth, latency,
                         s4u::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();

  // A message in a direction arrives from the opposite one.
  std::vector<std::array<s4u::Mailbox*, 6>> boxes(count);
  for (long rank = 0; rank < count; rank++)
    for (int direction = 0; direction < 6; direction++)
      boxes[rank][direction] = s4u::Mailbox::by_name(std::to_string(rank) + "_" + std::to_string(direction));
  for (long rank = 0; rank < count; rank++) {
    std::array<s4u::Mailbox*, 6> to;
    for (int direction = 0; direction < 6; direction++)
      to[direction] = boxes[neighbor(halo, rank, direction)][direction ^ 1];
    s4u::Actor::create("cell", hosts[rank], [&halo, from = boxes[rank], to] { cell(halo, from, to); });
  }
  engine.run();

  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const double cpu_s = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
                       1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  std::printf("%.12f %.6f %ld\n", s4u::Engine::get_clock(), cpu_s, usage.ru_maxrss * 1024L);
  return 0;
}
