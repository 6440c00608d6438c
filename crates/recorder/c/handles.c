/* Handles of MPI: the library's own symbols, which are looked up when MPI starts, so that this file can be loaded
 * before programs that have none; sizes of datatypes; communicators. */
#include <mpi.h>
#if MPI_VERSION >= 3
#define CONST const
#else
#define CONST
#endif

HIDDEN int see_mpi(struct dl_phdr_info *info, size_t size, void *to) {
    (void)size;
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : 0;
    name = name ? name + 1 : info->dlpi_name;
    if (!name || strncmp(name, "libmpi", 6))
        return 0;
    void **found = to, *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    found[1] = library ? dlsym(library, (const char *)found[0]) : 0;
    return found[1] != 0;
}

HIDDEN int no_such_call(void) { return MPI_ERR_OTHER; }

/* A symbol of the MPI library; also where that was loaded late, as by an interpreter. */
HIDDEN void *symbol(const char *name) {
    void *p = dlsym(RTLD_NEXT, name);
    if (p)
        return p;
    void *found[2] = {(void *)(uintptr_t)name, 0};
    dl_iterate_phdr(see_mpi, found);
    return found[1];
}
/* An object of it: an executable may hold the copy that counts. */
HIDDEN void *object(const char *name) {
    void *p = dlsym(RTLD_DEFAULT, name);
    return p ? p : symbol(name);
}
HIDDEN void *entry_point(const char *name) {
    void *p = symbol(name);
    if (!p) {
        complain(name);
        p = (void *)(uintptr_t)no_such_call;
    }
    return p;
}

#ifdef RUNCAST_RECORD_LINKED
/* Linked into a static program, before its MPI. */
#define PMPI(name) PMPI_##name
#else
#define PMPI(name)                                            \
    (*({                                                      \
        static __typeof__(&MPI_##name) call_;                 \
        if (UNLIKELY(!call_))                                 \
            *(void **)&call_ = entry_point("PMPI_" #name);    \
        call_;                                                \
    }))
#endif

#if defined(OPEN_MPI) && !defined(RUNCAST_RECORD_LINKED)
/* Its handles are addresses of objects in the library. */
#define HANDLE(type, name)                 \
    ((type)({                              \
        static void *object_;              \
        if (UNLIKELY(!object_))            \
            object_ = object(name);        \
        object_;                           \
    }))
#define WORLD HANDLE(MPI_Comm, "ompi_mpi_comm_world")
#define SELF HANDLE(MPI_Comm, "ompi_mpi_comm_self")
#define NO_COMM HANDLE(MPI_Comm, "ompi_mpi_comm_null")
#define NO_REQUEST HANDLE(MPI_Request, "ompi_request_null")
#define NO_WIN HANDLE(MPI_Win, "ompi_mpi_win_null")
#define BYTES HANDLE(MPI_Datatype, "ompi_mpi_byte")
#else
#define WORLD MPI_COMM_WORLD
#define SELF MPI_COMM_SELF
#define NO_COMM MPI_COMM_NULL
#define NO_REQUEST MPI_REQUEST_NULL
#define NO_WIN MPI_WIN_NULL
#define BYTES MPI_BYTE
#endif

/* Sizes of datatypes: a small table for each thread, emptied when any type is freed. */
#define TYPE_KEYS 64
struct type_sizes {
    uint64_t generation;
    struct {
        uintptr_t type;
        int64_t size;
        int known;
    } key[TYPE_KEYS];
};
static uint64_t type_generation;

HIDDEN int64_t type_size(struct type_sizes *sizes, MPI_Datatype type) {
    uint64_t generation = __atomic_load_n(&type_generation, __ATOMIC_ACQUIRE);
    if (UNLIKELY(sizes->generation != generation)) {
        memset(sizes, 0, sizeof *sizes);
        sizes->generation = generation;
    }
    uintptr_t t = (uintptr_t)type;
    unsigned at = (unsigned)(mix(1, t) & (TYPE_KEYS - 1));
    if (LIKELY(sizes->key[at].known && sizes->key[at].type == t))
        return sizes->key[at].size;
    int size = 0;
    if (PMPI(Type_size)(type, &size) != MPI_SUCCESS || size < 0)
        size = 0;
    sizes->key[at].type = t;
    sizes->key[at].size = size;
    sizes->key[at].known = 1;
    return size;
}

/* Communicators: 0 the world, 1 self, then in the order of their creation on this rank. */
enum { INTRA = 2, INTER, CART, GRAPH, DIST_GRAPH };
struct comm {
    uintptr_t handle;
    int freed;
    uint32_t parent, kind, size, remote;
    uint64_t hash;
    struct stream members; /* as ranks of the world */
    uint32_t dims, dim[16], periodic[16];
    uint32_t in, out; /* neighbors */
};
#define MOST_COMMS 16384
static struct comm comms[MOST_COMMS]; /* never moves: threads read it without a lock */
static uint32_t comm_count;
static pthread_rwlock_t comm_lock = PTHREAD_RWLOCK_INITIALIZER;
static int world_size, world_rank;

#define UNKNOWN UINT32_MAX
HIDDEN uint32_t comm_find(uintptr_t handle) {
    for (uint32_t i = comm_count; i-- > 0;)
        if (comms[i].handle == handle && !comms[i].freed)
            return i;
    return UNKNOWN;
}
HIDDEN uint32_t comm_add(MPI_Comm comm, uint32_t parent);

struct comm_keys {
    uint64_t generation;
    uintptr_t handle[8];
    uint32_t id[8];
};
static uint64_t comm_generation = 1;

HIDDEN uint32_t comm_id(struct comm_keys *keys, MPI_Comm comm) {
    uint64_t generation = __atomic_load_n(&comm_generation, __ATOMIC_ACQUIRE);
    if (UNLIKELY(keys->generation != generation)) {
        memset(keys, 0, sizeof *keys);
        keys->generation = generation;
    }
    uintptr_t h = (uintptr_t)comm;
    unsigned at = (unsigned)(mix(2, h) & 7);
    if (LIKELY(keys->handle[at] == h && h))
        return keys->id[at];
    pthread_rwlock_rdlock(&comm_lock);
    uint32_t id = comm_find(h);
    pthread_rwlock_unlock(&comm_lock);
    if (id == UNKNOWN) {
        /* Made by a call that is not recorded, or by one that had not ended: it counts from its first use. */
        id = comm == NO_COMM ? 0 : comm_add(comm, 0);
        keys->generation = 0;
        return id;
    }
    keys->handle[at] = h;
    keys->id[at] = id;
    return id;
}

/* Size of the communicator; of the other side, if it has two. */
HIDDEN int64_t comm_size(uint32_t id) { return comms[id].kind == INTER ? comms[id].remote : comms[id].size; }

HIDDEN void comm_members(struct comm *c, MPI_Comm comm) {
    MPI_Group mine, all;
    if (PMPI(Comm_group)(comm, &mine) != MPI_SUCCESS)
        return;
    if (PMPI(Comm_group)(WORLD, &all) != MPI_SUCCESS) {
        PMPI(Group_free)(&mine);
        return;
    }
    int n = 0;
    PMPI(Group_size)(mine, &n);
    int *from = malloc(2 * sizeof(int) * (size_t)(n ? n : 1)), *to = from ? from + n : 0;
    for (int i = 0; from && i < n; i++)
        from[i] = i;
    if (from && PMPI(Group_translate_ranks)(mine, n, from, all, to) == MPI_SUCCESS)
        for (int i = 0; i < n; i++) {
            stream_push(&c->members, to[i]);
            c->hash = mix(c->hash, (uint64_t)to[i]);
        }
    free(from);
    PMPI(Group_free)(&mine);
    PMPI(Group_free)(&all);
}

HIDDEN void comm_shape(struct comm *c, MPI_Comm comm) {
    int inter = 0, topology = MPI_UNDEFINED, n = 0;
    PMPI(Comm_size)(comm, &n);
    c->size = (uint32_t)n;
    c->kind = INTRA;
    PMPI(Comm_test_inter)(comm, &inter);
    if (inter) {
        c->kind = INTER;
        PMPI(Comm_remote_size)(comm, &n);
        c->remote = (uint32_t)n;
        return;
    }
    PMPI(Topo_test)(comm, &topology);
    if (topology == MPI_CART) {
        int dims[16], periods[16], coords[16];
        c->kind = CART;
        PMPI(Cartdim_get)(comm, &n);
        if (n < 0 || n > 16 || PMPI(Cart_get)(comm, n, dims, periods, coords) != MPI_SUCCESS)
            return;
        c->dims = (uint32_t)n;
        for (int i = 0; i < n; i++) {
            c->dim[i] = (uint32_t)dims[i];
            c->periodic[i] = periods[i] != 0;
        }
        c->in = c->out = 2 * (uint32_t)n;
    } else if (topology == MPI_GRAPH) {
        c->kind = GRAPH;
        int rank = 0;
        PMPI(Comm_rank)(comm, &rank);
        PMPI(Graph_neighbors_count)(comm, rank, &n);
        c->in = c->out = (uint32_t)n;
    }
#if MPI_VERSION >= 3 || (MPI_VERSION == 2 && MPI_SUBVERSION >= 2)
    else if (topology == MPI_DIST_GRAPH) {
        int in = 0, out = 0, weighted = 0;
        c->kind = DIST_GRAPH;
        PMPI(Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
        c->in = (uint32_t)in;
        c->out = (uint32_t)out;
    }
#endif
}

/* A new communicator. One that is made again, after an equal one was freed, is that one: so programs that make and free
 * communicators in a loop are still loops. */
HIDDEN uint32_t comm_add(MPI_Comm comm, uint32_t parent) {
    struct comm c = {0};
    c.handle = (uintptr_t)comm;
    c.parent = parent;
    comm_shape(&c, comm);
    c.hash = mix(mix(c.kind, parent), c.size);
    comm_members(&c, comm);
    pthread_rwlock_wrlock(&comm_lock);
    uint32_t id = 0;
    while (id < comm_count && !(comms[id].freed && comms[id].hash == c.hash))
        id++;
    if (id < comm_count) {
        stream_free(&c.members);
        comms[id].handle = c.handle;
        comms[id].freed = 0;
    } else {
        if (comm_count == MOST_COMMS) {
            pthread_rwlock_unlock(&comm_lock);
            complain("more than 16384 communicators: further ones count as the world");
            return 0;
        }
        comms[comm_count++] = c;
    }
    __atomic_fetch_add(&comm_generation, 1, __ATOMIC_RELEASE);
    pthread_rwlock_unlock(&comm_lock);
    return id;
}

HIDDEN void comm_drop(uintptr_t handle) {
    pthread_rwlock_wrlock(&comm_lock);
    for (uint32_t i = 2; i < comm_count; i++)
        if (comms[i].handle == handle)
            comms[i].freed = 1;
    __atomic_fetch_add(&comm_generation, 1, __ATOMIC_RELEASE);
    pthread_rwlock_unlock(&comm_lock);
}
