// A farm as a SimGrid program: tasks are handed out on demand over a star.
//
//   farm WORKERS TASKS TASK_BYTES RESULT_BYTES WORK_S BANDWIDTH LATENCY [--cfg=...]
//
// The first task goes to each worker at once; whoever returns a result gets the next; at the end an empty message to each.
// Messages start at once, whether or not somebody waits for them: every mailbox has its receiver.
// Prints the simulated time and the CPU time of the simulation, both in seconds, and the peak of the memory in bytes.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

namespace {

struct Farm {
  long workers;
  long tasks;
  double task_bytes;
  double result_bytes;
  double work_s;
};

// A task and a result are one byte at least; nothing at all means that there are no more.
int work_to_do;
int no_more;

void master(const Farm& farm, const std::vector<s4u::Mailbox*>& to, s4u::Mailbox* results)
{
  std::vector<s4u::CommPtr> sent(farm.workers);
  long handed = 0;
  for (long worker = 0; worker < farm.workers && handed < farm.tasks; worker++, handed++)
    sent[worker] = to[worker]->put_async(&work_to_do, farm.task_bytes);
  for (long result = 0; result < farm.tasks; result++) {
    const long worker = *results->get<long>();
    sent[worker]->wait();
    if (handed < farm.tasks) {
      sent[worker] = to[worker]->put_async(&work_to_do, farm.task_bytes);
      handed++;
    } else {
      sent[worker] = to[worker]->put_async(&no_more, 0);
    }
  }
  for (auto& message : sent)
    if (message)
      message->wait();
}

void worker(const Farm& farm, long number, s4u::Mailbox* from, s4u::Mailbox* results)
{
  s4u::CommPtr sent;
  while (from->get<int>() == &work_to_do) {
    s4u::this_actor::execute(farm.work_s * 1e9);
    if (sent)
      sent->wait();
    sent = results->put_async(&number, farm.result_bytes);
  }
  if (sent)
    sent->wait();
}

double cpu_s()
{
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

} // namespace

int main(int argc, char** argv)
{
  s4u::Engine engine(&argc, argv);
  if (argc != 8) {
    std::fprintf(stderr, "usage: farm WORKERS TASKS TASK_BYTES RESULT_BYTES WORK_S BANDWIDTH LATENCY\n");
    return 2;
  }
  const Farm farm{std::atol(argv[1]), std::atol(argv[2]), std::atof(argv[3]), std::atof(argv[4]), std::atof(argv[5])};
  const double bandwidth = std::atof(argv[6]);
  const double latency   = std::atof(argv[7]);

  auto* star = s4u::create_star_zone("star");
  std::vector<s4u::Host*> hosts;
  for (long number = 0; number <= farm.workers; number++) {
    const auto name = "n" + std::to_string(number);
    auto* host      = star->create_host(name, 1e9)->seal();
    auto* link      = star->create_split_duplex_link(name + "_link", bandwidth)->set_latency(latency)->seal();
    star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, s4u::LinkInRoute::Direction::UP}}, true);
    hosts.push_back(host);
  }
  star->seal();

  auto* results = s4u::Mailbox::by_name("results");
  std::vector<s4u::Mailbox*> to;
  for (long number = 0; number < farm.workers; number++)
    to.push_back(s4u::Mailbox::by_name("w" + std::to_string(number)));
  results->set_receiver(s4u::Actor::create("master", hosts[0], [&] { master(farm, to, results); }));
  for (long number = 0; number < farm.workers; number++)
    to[number]->set_receiver(
        s4u::Actor::create("worker", hosts[number + 1], [&, number] { worker(farm, number, to[number], results); }));
  engine.run();

  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.12f %.6f %ld\n", s4u::Engine::get_clock(), cpu_s(), usage.ru_maxrss * 1024L);
  return 0;
}
