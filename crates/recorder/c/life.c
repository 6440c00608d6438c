/* From MPI_Init to MPI_Finalize, and the other ends that a program comes to. */
static char path_new[4096], path_part[4096], path_done[4096];
static const int caught[] = {SIGTERM, SIGINT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
static struct sigaction before[sizeof caught / sizeof *caught];
static pid_t owner;
static int writing;

HIDDEN uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *s = getenv(name);
    char *end;
    if (!s || !*s)
        return otherwise;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    if (*end || errno || *s == '-') {
        complain(name);
        return otherwise;
    }
    return v;
}

HIDDEN void read_settings(void) {
    settings.dir = getenv("RUNCAST_RECORD_DIR");
    settings.depth = (unsigned)number_of("RUNCAST_RECORD_DEPTH", settings.depth);
    settings.depth = settings.depth < 1 ? 1 : settings.depth > DEEPEST ? DEEPEST : settings.depth;
    uint64_t window = number_of("RUNCAST_RECORD_WINDOW", settings.window);
    settings.window = window < 1 ? 1 : window > 65536 ? 65536 : (unsigned)window;
    settings.limit = number_of("RUNCAST_RECORD_LIMIT", settings.limit);
    settings.flush_ns = number_of("RUNCAST_RECORD_FLUSH", settings.flush_ns / 1000000u) * 1000000u;
    settings.gate = (int)number_of("RUNCAST_RECORD_GATE", 0);
    settings.counters = (int)number_of("RUNCAST_RECORD_COUNTERS", 0);
    if (getenv("RUNCAST_RECORD_OFF"))
        settings.dir = 0;
}

/* Writes what is there; to the final name if the program has come to its end. */
HIDDEN void snapshot(int last) {
    if (__atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE))
        return;
    int profile = 0;
    for (uint32_t i = 0; i < thread_count; i++)
        profile |= threads[i] && threads[i]->queue.profile;
    if (!last)
        ended_wall = clock_ns(CLOCK_MONOTONIC);
    if (write_file(path_new, !last, profile) && rename(path_new, last ? path_done : path_part) == 0) {
        if (last)
            unlink(path_part);
    } else {
        unlink(path_new);
        complain("the recording could not be written");
    }
    __atomic_store_n(&writing, 0, __ATOMIC_RELEASE);
}

/* Others stop at their next call while one thread writes for all. */
HIDDEN void snapshot_of_all(struct thread *t, int last) {
    stopping = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    int busy = 1;
    for (int tries = 0; busy && tries < 20000; tries++) {
        busy = 0;
        for (uint32_t i = 0; i < thread_count; i++)
            busy |= threads[i] && threads[i] != t && threads[i]->inside == AT_WORK;
        if (busy)
            sched_yield();
    }
    if (!busy || last)
        snapshot(last);
    stopping = 0;
}

HIDDEN void flush_if_due(struct thread *t) {
    if (LIKELY(t->clocks.entry - t->flushed < settings.flush_ns || !settings.flush_ns))
        return;
    t->flushed = t->clocks.entry;
    if (t->index == 0)
        snapshot_of_all(t, 0);
}

HIDDEN void on_signal(int number, siginfo_t *info, void *context) {
    (void)info;
    (void)context;
    struct thread *t = mine;
    int spare = errno;
    ending.signal = number;
    /* In the middle of this library's work the trees are not in order: the last snapshot stands. While the thread waits
       in MPI they are. */
    if (recording && getpid() == owner && !(t && t->inside == AT_WORK))
        snapshot(0);
    errno = spare;
    for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++)
        if (caught[i] == number)
            sigaction(number, &before[i], 0);
    raise(number);
}

HIDDEN void catch_signals(void) {
    for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction now, ours;
        if (sigaction(caught[i], 0, &now) || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
            continue;
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = on_signal;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&ours.sa_mask);
        before[i] = now;
        sigaction(caught[i], &ours, 0);
    }
}

HIDDEN void at_exit(void) {
    if (!recording || getpid() != owner)
        return;
    for (uint32_t i = 0; i < thread_count; i++)
        if (threads[i] && !threads[i]->inside)
            commit(threads[i], 1);
    snapshot(0);
    recording = 0;
}
HIDDEN void in_child(void) {
    recording = 0;
    settings.dir = 0;
}

/* At most as many ranks of a node compute at once as it has cores: a counter that they share. */
static int *gate_file;
static int gate_held;
static int gate_cores;
HIDDEN void gate_open(void) {
    char path[4160];
    snprintf(path, sizeof path, "%s/gate", settings.dir);
    int f = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (f < 0 || ftruncate(f, sizeof(int)) != 0 ||
        (gate_file = mmap(0, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0)) == MAP_FAILED) {
        gate_file = 0;
        settings.gate = 0;
    }
    if (f >= 0)
        close(f);
    gate_cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
}
HIDDEN void gate_enter(void) {
    struct timespec pause = {0, 20000};
    for (int tries = 0; tries < 500; tries++) {
        int now = __atomic_load_n(gate_file, __ATOMIC_RELAXED);
        if (now < gate_cores && __atomic_compare_exchange_n(gate_file, &now, now + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            gate_held = 1;
            return;
        }
        nanosleep(&pause, 0);
    }
}
HIDDEN void gate_leave(void) {
    if (gate_held)
        __atomic_fetch_sub(gate_file, 1, __ATOMIC_RELEASE);
    gate_held = 0;
}

/* Wall time that a call takes longer: a thousand calls of nothing, folded and thrown away. */
static uint64_t call_cost;
HIDDEN void measure_call(struct thread *t) {
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 1000; i++) {
        at_work(t);
        clocks_enter(&t->clocks, 0);
        t->back = __builtin_return_address(0);
        t->frame = __builtin_frame_address(0);
        at_work(t);
        event_new(t, SEND + i % 3, 0, 0, BIT(PEER) | BIT(SIZE) | BIT(TAG));
        leave(t);
    }
    call_cost = (clock_ns(CLOCK_MONOTONIC) - start) / 1000;
    commit(t, 1);
    for (uint32_t i = 0; i < t->queue.length; i++)
        node_free(t->queue.nodes[i]);
    t->queue.length = t->queue.longest = 0;
    t->queue.events = t->next = t->done = t->calls_ns = t->polling_ns = 0;
    memset(t->sites, 0, SITE_KEYS * sizeof *t->sites);
    memset(&t->clocks, 0, sizeof t->clocks);
    site_count = 0;
}

HIDDEN void prepare_comms(void) {
    comms[0] = (struct comm){.handle = (uintptr_t)WORLD, .size = (uint32_t)world_size, .kind = 0};
    for (int i = 0; i < world_size; i++)
        stream_push(&comms[0].members, i);
    comms[1] = (struct comm){.handle = (uintptr_t)SELF, .size = 1, .kind = 1};
    stream_push(&comms[1].members, world_rank);
    comm_count = 2;
}

HIDDEN void begin(void) {
    read_settings();
    if (!settings.dir || recording || ending.finalized)
        return;
    PMPI(Comm_size)(WORLD, &world_size);
    PMPI(Comm_rank)(WORLD, &world_rank);
    mkdir(settings.dir, 0777);
    snprintf(path_new, sizeof path_new, "%s/rank-%d.new", settings.dir, world_rank);
    snprintf(path_part, sizeof path_part, "%s/rank-%d.part", settings.dir, world_rank);
    snprintf(path_done, sizeof path_done, "%s/rank-%d.rcr", settings.dir, world_rank);
    owner = getpid();
    crc_prepare();
    /* The first unwinding loads what it needs. */
    struct trail trail;
    unwind((uintptr_t)__builtin_return_address(0), &trail);
    site_count = 0;
    measure_kappa();
    ending.reference[0] = reference_loop();
    prepare_comms();
    catch_signals();
    static int once;
    if (!once++) {
        atexit(at_exit);
        pthread_atfork(0, 0, in_child);
    }
    if (!mine && !thread_new())
        return;
    int gate = settings.gate;
    settings.gate = 0;
    measure_call(mine);
    meta_start();
    meta_add("\"call_cost_s\":%.9f,", (double)call_cost * 1e-9);
    settings.gate = gate;
    if (gate)
        gate_open();
    PMPI(Barrier)(WORLD);
    started_wall = clock_ns(CLOCK_MONOTONIC);
    clocks_start(&mine->clocks);
    counters_leave(&mine->counters);
    memset(mine->counters.sum, 0, sizeof mine->counters.sum);
    mine->clocks.block = mine->clocks.block_wall = 0;
    mine->flushed = started_wall;
    recording = 1;
}

HIDDEN void end(struct thread *t) {
    if (!t)
        return;
    at_work(t);
    if (t->paused)
        t->paused = 0;
    event_new(t, 97, 0, 0, 0);
    struct event *e = t->now;
    e->sample.block = t->clocks.block;
    e->sample.wall = t->clocks.block_wall;
    ended_wall = t->clocks.entry;
    if (settings.gate)
        gate_leave();
    ending.finalized = 1;
    ending.reference[1] = reference_loop();
    stopping = 1;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct thread *one = threads[i];
        if (!one)
            continue;
        commit(one, 1);
        for (uint32_t k = 0; k < one->queue.length; k++)
            node_close(one->queue.nodes[k]);
    }
    recording = 0;
    snapshot(1);
    stopping = 0;
}

int MPI_Init(int *argc, char ***argv) {
    int rc = PMPI(Init)(argc, argv);
    if (rc == MPI_SUCCESS)
        begin();
    return rc;
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int rc = PMPI(Init_thread)(argc, argv, required, provided);
    if (rc == MPI_SUCCESS)
        begin();
    return rc;
}
int MPI_Finalize(void) {
    end(enter(__builtin_return_address(0), __builtin_frame_address(0)));
    return PMPI(Finalize)();
}
int MPI_Abort(MPI_Comm comm, int code) {
    struct thread *t = enter(__builtin_return_address(0), __builtin_frame_address(0));
    if (t) {
        at_work(t);
        event_new(t, 98, 0, comm_of(t, comm), 0);
        t->now->sample.block = t->clocks.block;
        t->now->sample.wall = t->clocks.block_wall;
        commit(t, 1);
        ending.aborted = 1;
        ending.abort_code = code;
        snapshot(0);
        recording = 0;
    }
    return PMPI(Abort)(comm, code);
}
int MPI_Pcontrol(const int level, ...) {
    ENTER;
    if (t) {
        at_work(t);
        if (level == 0)
            t->paused = 1;
        else if (level == 1)
            t->paused = 0;
        else
            event_new(t, 99, 0, 0, BIT(EXTRA))->field[EXTRA] = level;
        leave(t);
    }
    return MPI_SUCCESS;
}
