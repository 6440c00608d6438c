/* Events of a thread on their way into its queue. An Irecv stands where it was posted, but its peer and size are known
 * when it completes; so events wait in a ring until all before them are complete. */
#define RING 4096
#define MOST_THREADS 1024
#define FEW 4

struct event {
    uint64_t number; /* of the call in its thread, from 1 */
    unsigned call, flags, mask;
    uint32_t site, comm;
    int waits; /* for the completion of a receive */
    int64_t field[FIELDS];
    /* Several values of one field: requests, or the blocks of an irregular collective. */
    uint32_t many;
    int many_field;
    int64_t few[FEW], *list;
    struct sample sample;
};

enum { IN_CALL = 1, AT_WORK };
struct thread {
    int index;
    volatile int inside; /* IN_CALL of MPI, or AT_WORK in this library */
    int paused;
    struct clocks clocks;
    void *back, *frame;
    struct event *ring, *now;
    uint64_t next, done; /* events made; events that are in the queue */
    uint64_t polling_ns, calls_ns;
    struct queue queue;
    struct site_key *sites;
    struct type_sizes types;
    struct comm_keys comms;
    MPI_Request *requests;
    MPI_Status *statuses;
    uint32_t requests_cap, statuses_cap;
    uint64_t flushed;
    struct counters counters;
};

static struct thread *threads[MOST_THREADS];
static uint32_t thread_count;
static volatile int recording, stopping;
static __thread struct thread *mine __attribute__((tls_model("initial-exec")));
static uint64_t started_wall, ended_wall;

/* Requests that are under way, by handle. A library may give the same handle to several that are complete at once;
 * they are then taken in the order of their posting, those of the own thread first. */
#define SHARDS 64
#define BUCKETS 64
struct request {
    struct request *next;
    uintptr_t handle;
    uint32_t thread;
    uint64_t number; /* of the call that posted it */
    uint16_t index;  /* in that call */
    int receives, persistent;
};
static struct {
    int lock;
    struct request *bucket[BUCKETS], *spare;
} shards[SHARDS];

HIDDEN void shard_lock(unsigned s) {
    while (__atomic_exchange_n(&shards[s].lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}
HIDDEN void shard_unlock(unsigned s) { __atomic_store_n(&shards[s].lock, 0, __ATOMIC_RELEASE); }

HIDDEN void request_add(struct thread *t, MPI_Request handle, int receives, int persistent) {
    uint64_t h = mix(3, (uintptr_t)handle);
    unsigned s = h % SHARDS, b = (h >> 8) % BUCKETS;
    shard_lock(s);
    struct request *r = shards[s].spare;
    if (r)
        shards[s].spare = r->next;
    else
        r = take(sizeof *r);
    if (r) {
        *r = (struct request){0, (uintptr_t)handle, (uint32_t)t->index, t->now->number, 0, receives, persistent};
        struct request **end = &shards[s].bucket[b];
        while (*end)
            end = &(*end)->next;
        *end = r;
    }
    shard_unlock(s);
}

/* Finds a request; takes it out of the table if it ends here. */
HIDDEN int request_find(const struct thread *t, MPI_Request handle, struct request *found, int ends) {
    uint64_t h = mix(3, (uintptr_t)handle);
    unsigned s = h % SHARDS, b = (h >> 8) % BUCKETS;
    shard_lock(s);
    struct request **at = 0;
    for (struct request **one = &shards[s].bucket[b]; *one; one = &(*one)->next)
        if ((*one)->handle == (uintptr_t)handle && (!at || (*one)->thread == (uint32_t)t->index)) {
            at = one;
            if ((*one)->thread == (uint32_t)t->index)
                break;
        }
    struct request *r = at ? *at : 0;
    if (r) {
        *found = *r;
        if (ends > 1 || (ends && !r->persistent)) {
            *at = r->next;
            r->next = shards[s].spare;
            shards[s].spare = r;
        }
    }
    shard_unlock(s);
    return r != 0;
}

HIDDEN int64_t *event_list(struct event *e) { return e->list ? e->list : e->few; }

/* From the ring into the queue. */
HIDDEN struct node *leaf_of(const struct event *e) {
    struct node *n = leaf_new(e->call, e->flags, e->site, e->comm, e->mask, e->many);
    if (!n)
        return 0;
    n->only = e->sample;
    const int64_t *list = e->list ? e->list : e->few;
    for (unsigned f = 0, k = 0; f < FIELDS && k < n->streams; f++) {
        if (!(e->mask & 1u << f))
            continue;
        if (!(e->many && e->many_field == (int)f && f == REQS))
            stream_push(&n->stream[k], e->field[f]);
        if (e->many && e->many_field == (int)f)
            for (uint32_t i = 0; i < e->many; i++)
                stream_push(&n->stream[k], list[i]);
        k++;
    }
    return n;
}

HIDDEN void commit(struct thread *t, int all) {
    while (t->done < t->next) {
        struct event *e = &t->ring[t->done % RING];
        if (!all && __atomic_load_n(&e->waits, __ATOMIC_ACQUIRE))
            return;
        e->waits = 0;
        queue_push(&t->queue, leaf_of(e), settings.window, settings.limit);
        free(e->list);
        e->list = 0;
        t->done++;
    }
}

HIDDEN struct event *event_new(struct thread *t, unsigned call, unsigned flags, uint32_t comm, unsigned mask) {
    commit(t, 0);
    if (UNLIKELY(t->next - t->done == RING)) {
        t->ring[t->done % RING].waits = 0;
        struct event *e = &t->ring[t->done % RING];
        queue_push(&t->queue, leaf_of(e), settings.window, settings.limit);
        free(e->list);
        t->done++;
    }
    struct event *e = &t->ring[t->next % RING];
    memset(e, 0, sizeof *e);
    e->number = ++t->next;
    e->call = call;
    e->flags = flags;
    e->mask = mask;
    e->comm = comm;
    e->site = site_of(t->sites, t->back, t->frame);
    t->now = e;
    return e;
}

/* A list of values for one field. NULL leaves the event without it. */
HIDDEN int64_t *event_many(struct event *e, int field, uint32_t n) {
    if (n > FEW) {
        e->list = malloc(n * sizeof *e->list);
        if (!e->list)
            return 0;
    }
    e->many = n;
    e->many_field = field;
    return event_list(e);
}

/* A receive is complete: its event gets what arrived. */
HIDDEN void receive_done(const struct request *r, int64_t peer, int64_t tag, int64_t size) {
    struct thread *t = threads[r->thread];
    if (r->persistent || r->number <= t->done || r->number > t->next)
        return;
    struct event *e = &t->ring[(r->number - 1) % RING];
    if (e->number != r->number)
        return;
    if (e->field[PEER] == -1) /* from MPI_PROC_NULL; not every library fills its status in */
        e->field[SIZE] = 0;
    else if (peer >= -1) {
        e->field[PEER] = peer;
        e->field[TAG] = tag;
        e->field[SIZE] = size;
    }
    __atomic_store_n(&e->waits, 0, __ATOMIC_RELEASE);
}

HIDDEN struct thread *thread_new(void) {
    struct thread *t = take(sizeof *t);
    if (!t)
        return 0;
    t->ring = take(RING * sizeof *t->ring);
    t->sites = take(SITE_KEYS * sizeof *t->sites);
    t->index = (int)__atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
    if (!t->ring || !t->sites || t->index >= MOST_THREADS) {
        __atomic_store_n(&thread_count, MOST_THREADS < thread_count ? MOST_THREADS : thread_count, __ATOMIC_RELAXED);
        return 0;
    }
    clocks_start(&t->clocks);
    counters_open(&t->counters);
    t->flushed = t->clocks.wall;
    __atomic_store_n(&threads[t->index], t, __ATOMIC_RELEASE);
    return mine = t;
}

HIDDEN void flush_if_due(struct thread *t);
HIDDEN void gate_enter(void);
HIDDEN void gate_leave(void);

/* From here on a thread changes its queue; it waits while another one writes the queues of all. */
HIDDEN void at_work(struct thread *t) {
    t->inside = AT_WORK;
    if (thread_count > 1) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        while (UNLIKELY(stopping))
            sched_yield();
    }
}

/* Into a call: the state of the thread, or none where nothing is recorded: before MPI_Init, inside of other calls. */
HIDDEN struct thread *enter(void *back, void *frame) {
    if (UNLIKELY(!recording))
        return 0;
    struct thread *t = mine;
    if (UNLIKELY(!t)) {
        t = thread_new();
        if (!t)
            return 0;
    }
    if (t->inside)
        return 0;
    at_work(t);
    clocks_enter(&t->clocks, 0);
    if (UNLIKELY(settings.counters))
        counters_enter(&t->counters, t->paused);
    if (settings.gate)
        gate_leave();
    t->back = back;
    t->frame = frame;
    t->now = 0;
    t->inside = IN_CALL;
    return t;
}

/* Out of it. Without an event, its block and its time go to the next one. */
HIDDEN void leave(struct thread *t) {
    if (UNLIKELY(t->paused))
        t->now = 0;
    flush_if_due(t);
    if (settings.gate)
        gate_enter();
    struct event *e = t->now;
    uint64_t spent = clocks_leave(&t->clocks, 0);
    t->calls_ns += spent;
    if (!e) {
        t->polling_ns += spent;
        t->clocks.polling += spent;
        if (t->paused)
            t->clocks.block = t->clocks.block_wall = t->clocks.polling = 0;
    } else {
        e->sample.block = t->clocks.block;
        e->sample.wall = t->clocks.block_wall;
        e->sample.call = spent + t->clocks.polling;
        t->clocks.block = t->clocks.block_wall = t->clocks.polling = 0;
    }
    t->now = 0;
    if (UNLIKELY(settings.counters))
        counters_leave(&t->counters);
    t->inside = 0;
}

#define ENTER struct thread *t = enter(__builtin_return_address(0), __builtin_frame_address(0))
#define LEAVE(...)              \
    do {                        \
        if (LIKELY(t != 0)) {   \
            at_work(t);         \
            if (!t->paused) {   \
                __VA_ARGS__;    \
            }                   \
            leave(t);           \
        }                       \
    } while (0)

#define BIT(field) (1u << (field))
HIDDEN int64_t rank_of(int rank) { return rank == MPI_PROC_NULL ? -1 : rank == MPI_ANY_SOURCE ? -2 : rank; }
HIDDEN int64_t tag_of(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }
HIDDEN int64_t bytes_of(struct thread *t, int64_t count, MPI_Datatype type) { return count * type_size(&t->types, type); }
HIDDEN int64_t received(const MPI_Status *status) {
    int n = 0;
    if (PMPI(Get_count)((MPI_Status *)(uintptr_t)status, BYTES, &n) == MPI_SUCCESS && n >= 0)
        return n;
#if MPI_VERSION >= 3
    MPI_Count many = 0;
    if (PMPI(Get_elements_x)((MPI_Status *)(uintptr_t)status, BYTES, &many) == MPI_SUCCESS && many >= 0)
        return many;
#endif
    return 0;
}
HIDDEN uint32_t comm_of(struct thread *t, MPI_Comm comm) { return comm_id(&t->comms, comm); }

HIDDEN struct event *send_event(struct thread *t, unsigned call, unsigned flags, int64_t bytes, int dest, int tag, MPI_Comm comm) {
    struct event *e = event_new(t, call, flags, comm_of(t, comm), BIT(PEER) | BIT(SIZE) | BIT(TAG));
    e->field[PEER] = rank_of(dest);
    e->field[SIZE] = bytes;
    e->field[TAG] = tag;
    return e;
}

/* A receive that is complete (with its status), or one that will be. */
HIDDEN struct event *receive_event(struct thread *t, unsigned call, unsigned flags, int64_t bytes, int source, int tag, MPI_Comm comm,
                                   const MPI_Status *status) {
    if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
        flags |= ANY;
    struct event *e = send_event(t, call, flags, bytes, source, (int)tag_of(tag), comm);
    if (source == MPI_PROC_NULL)
        e->field[SIZE] = 0;
    else if (status) {
        e->field[PEER] = rank_of(status->MPI_SOURCE);
        e->field[TAG] = tag_of(status->MPI_TAG);
        e->field[SIZE] = received(status);
    }
    return e;
}
