/* Hardware counters of a thread: instructions and cycles in user mode, by blocks. Both are read by one system call at the
 * entry into a call of MPI and at its exit. */
#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

struct counters {
    int file; /* 0: none */
    uint64_t from[2], sum[2];
};

/* Why there are none, the first reason. */
static int counters_error;

#if defined(__linux__)
HIDDEN int counter_open(uint64_t what, int group) {
    struct perf_event_attr about;
    memset(&about, 0, sizeof about);
    about.type = PERF_TYPE_HARDWARE;
    about.size = sizeof about;
    about.config = what;
    about.exclude_kernel = 1;
    about.exclude_hv = 1;
    about.read_format = PERF_FORMAT_GROUP;
    return (int)syscall(SYS_perf_event_open, &about, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}
#endif

HIDDEN void counters_read(const struct counters *c, uint64_t *to) {
    uint64_t got[3] = {0};
    if (read(c->file, got, sizeof got) == (ssize_t)sizeof got) {
        to[0] = got[1];
        to[1] = got[2];
    }
}

HIDDEN void counters_open(struct counters *c) {
    c->file = 0;
    if (!settings.counters)
        return;
#if defined(__linux__)
    int first = counter_open(PERF_COUNT_HW_INSTRUCTIONS, -1);
    if (first >= 0 && counter_open(PERF_COUNT_HW_CPU_CYCLES, first) >= 0) {
        c->file = first;
        counters_read(c, c->from);
        return;
    }
    int why = errno;
    if (first >= 0)
        close(first);
    errno = why;
#else
    errno = ENOSYS;
#endif
    if (!counters_error)
        counters_error = errno ? errno : EIO;
}

/* Nothing counts while recording is paused. */
HIDDEN void counters_enter(struct counters *c, int paused) {
    uint64_t now[2];
    if (!c->file || paused)
        return;
    memcpy(now, c->from, sizeof now);
    counters_read(c, now);
    for (int i = 0; i < 2; i++)
        c->sum[i] += now[i] - c->from[i];
}
HIDDEN void counters_leave(struct counters *c) {
    if (c->file)
        counters_read(c, c->from);
}

/* The reason as a sentence. */
HIDDEN const char *counters_reason(void) {
    if (!settings.counters)
        return "no hardware counters were read";
    if (counters_error == EACCES || counters_error == EPERM)
        return "no hardware counters were read: the system does not permit it (kernel.perf_event_paranoid above 2, or a container without perf_event_open)";
    if (counters_error == ENOENT || counters_error == EOPNOTSUPP || counters_error == ENODEV)
        return "no hardware counters were read: this machine has none, as many virtual machines";
    return "no hardware counters were read: perf_event_open fails";
}
