/* Collectives. SIZE is in bytes as MPI counts them: of an allgather the result, of gather and scatter all blocks
 * together, of an alltoall the data of one process. Irregular ones have the bytes sent, those received, the largest
 * block, and the blocks themselves among up to MOST_BLOCKS ranks. */
#define MOST_BLOCKS 1024
#define NO_ROOT (-100)

HIDDEN struct event *collective_event(struct thread *t, unsigned call, unsigned flags, MPI_Comm comm, int64_t bytes, int root) {
    uint32_t id = comm_of(t, comm);
    struct event *e = event_new(t, call, flags, id, (bytes < 0 ? 0 : BIT(SIZE)) | (root == NO_ROOT ? 0 : BIT(ROOT)));
    e->field[SIZE] = bytes;
    e->field[ROOT] = root == MPI_PROC_NULL ? -1 : root == MPI_ROOT ? -3 : root;
    return e;
}
HIDDEN int64_t peers_of(struct thread *t, MPI_Comm comm) { return comm_size(comm_of(t, comm)); }

/* `counts` of one type or of `types`; none where this rank has no such list. */
HIDDEN void blocks_event(struct thread *t, unsigned call, unsigned flags, MPI_Comm comm, int root, int64_t sent, int64_t got, int64_t n,
                         CONST int *counts, MPI_Datatype type, CONST MPI_Datatype *types) {
    struct event *e = collective_event(t, call, flags, comm, sent, root);
    n = counts ? n : 0;
    int64_t *list = event_many(e, SIZE, 2 + (uint32_t)(n <= MOST_BLOCKS ? n : 0)), sum = 0, most = 0;
    if (!list)
        return;
    for (int64_t i = 0; i < n; i++) {
        int64_t block = bytes_of(t, counts[i], types ? types[i] : type);
        sum += block;
        most = block > most ? block : most;
        if (n <= MOST_BLOCKS)
            list[2 + i] = block;
    }
    e->field[SIZE] = sent < 0 ? sum : sent;
    e->mask |= BIT(SIZE);
    list[0] = got < 0 ? sum : got;
    list[1] = n ? most : e->field[SIZE] > list[0] ? e->field[SIZE] : list[0];
}
HIDDEN int64_t sum_of(struct thread *t, int64_t n, CONST int *counts, MPI_Datatype type, CONST MPI_Datatype *types) {
    int64_t sum = 0;
    for (int64_t i = 0; counts && i < n; i++)
        sum += bytes_of(t, counts[i], types ? types[i] : type);
    return sum;
}
HIDDEN int is_root(struct thread *t, MPI_Comm comm, int root) {
    if (root == MPI_ROOT)
        return 1;
    struct comm *c = &comms[comm_of(t, comm)];
    int rank = -1;
    if (c->kind == INTER)
        return 0;
    PMPI(Comm_rank)(comm, &rank);
    return rank == root;
}

#define JUST(...) __VA_ARGS__
#define BLOCKING(name, parameters, arguments, ...)    \
    int MPI_##name(JUST parameters) {                 \
        ENTER;                                        \
        const unsigned flags = COLLECTIVE;            \
        int rc = PMPI(name)(JUST arguments);          \
        LEAVE((void)flags; __VA_ARGS__);              \
        return rc;                                    \
    }
#define WITH_REQUEST(name, more, parameters, arguments, ...)              \
    int MPI_##name(JUST parameters, MPI_Request *request) {               \
        ENTER;                                                            \
        const unsigned flags = COLLECTIVE | (more);                       \
        int rc = PMPI(name)(JUST arguments, request);                     \
        LEAVE((void)flags; __VA_ARGS__;                                   \
              request_add(t, *request, 0, ((more) & PERSISTENT) != 0));   \
        return rc;                                                        \
    }
#if MPI_VERSION >= 4
#define PERSISTENT_FORM(name, parameters, arguments, ...)                                                   \
    int MPI_##name##_init(JUST parameters, MPI_Info info, MPI_Request *request) {                           \
        ENTER;                                                                                              \
        const unsigned flags = COLLECTIVE | PERSISTENT;                                                     \
        int rc = PMPI(name##_init)(JUST arguments, info, request);                                          \
        LEAVE((void)flags; __VA_ARGS__; request_add(t, *request, 0, 1));                                    \
        return rc;                                                                                          \
    }
#else
#define PERSISTENT_FORM(...)
#endif
#if MPI_VERSION >= 3
#define FORMS(name, iname, ...)                  \
    BLOCKING(name, __VA_ARGS__)                  \
    WITH_REQUEST(iname, NONBLOCKING, __VA_ARGS__)\
    PERSISTENT_FORM(name, __VA_ARGS__)
#else
#define FORMS(name, iname, ...) BLOCKING(name, __VA_ARGS__)
#endif
#define DATA CONST void *buf, int count, MPI_Datatype type, void *into, int into_count, MPI_Datatype into_type
#define DATA_ARGS buf, count, type, into, into_count, into_type

FORMS(Barrier, Ibarrier, (MPI_Comm comm), (comm), collective_event(t, BARRIER, flags, comm, -1, NO_ROOT))
FORMS(Bcast, Ibcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm), (buf, count, type, root, comm),
      collective_event(t, BCAST, flags, comm, bytes_of(t, count, type), root))
FORMS(Gather, Igather, (DATA, int root, MPI_Comm comm), (DATA_ARGS, root, comm),
      collective_event(t, GATHER, flags, comm,
                       peers_of(t, comm) * (is_root(t, comm, root) ? bytes_of(t, into_count, into_type) : bytes_of(t, count, type)), root))
FORMS(Scatter, Iscatter, (DATA, int root, MPI_Comm comm), (DATA_ARGS, root, comm),
      collective_event(t, SCATTER, flags, comm,
                       peers_of(t, comm) * (is_root(t, comm, root) ? bytes_of(t, count, type) : bytes_of(t, into_count, into_type)), root))
FORMS(Allgather, Iallgather, (DATA, MPI_Comm comm), (DATA_ARGS, comm),
      collective_event(t, ALLGATHER, flags, comm, peers_of(t, comm) * bytes_of(t, into_count, into_type), NO_ROOT))
FORMS(Alltoall, Ialltoall, (DATA, MPI_Comm comm), (DATA_ARGS, comm),
      collective_event(t, ALLTOALL, flags, comm, peers_of(t, comm) * bytes_of(t, into_count, into_type), NO_ROOT))

FORMS(Gatherv, Igatherv,
      (CONST void *buf, int count, MPI_Datatype type, void *into, CONST int *counts, CONST int *at, MPI_Datatype into_type, int root,
       MPI_Comm comm),
      (buf, count, type, into, counts, at, into_type, root, comm),
      int is = is_root(t, comm, root);
      blocks_event(t, GATHERV, flags, comm, root, is && buf == MPI_IN_PLACE ? 0 : bytes_of(t, count, type), is ? -1 : 0, peers_of(t, comm),
                   is ? counts : 0, into_type, 0))
FORMS(Scatterv, Iscatterv,
      (CONST void *buf, CONST int *counts, CONST int *at, MPI_Datatype type, void *into, int count, MPI_Datatype into_type, int root,
       MPI_Comm comm),
      (buf, counts, at, type, into, count, into_type, root, comm),
      int is = is_root(t, comm, root);
      blocks_event(t, SCATTERV, flags, comm, root, is ? -1 : 0, into == MPI_IN_PLACE ? 0 : bytes_of(t, count, into_type), peers_of(t, comm),
                   is ? counts : 0, type, 0))
FORMS(Allgatherv, Iallgatherv,
      (CONST void *buf, int count, MPI_Datatype type, void *into, CONST int *counts, CONST int *at, MPI_Datatype into_type, MPI_Comm comm),
      (buf, count, type, into, counts, at, into_type, comm),
      blocks_event(t, ALLGATHERV, flags, comm, NO_ROOT, buf == MPI_IN_PLACE ? 0 : bytes_of(t, count, type), -1, peers_of(t, comm), counts,
                   into_type, 0))
#define MANY(kind, typed)                                                                                         \
    CONST void *buf, CONST int *counts, CONST kind *at, typed type, void *into, CONST int *into_counts, CONST kind *into_at, typed into_type, \
        MPI_Comm comm
#define MANY_ARGS buf, counts, at, type, into, into_counts, into_at, into_type, comm
FORMS(Alltoallv, Ialltoallv, (MANY(int, MPI_Datatype)), (MANY_ARGS), int64_t n = peers_of(t, comm); int in = buf == MPI_IN_PLACE;
      blocks_event(t, ALLTOALLV, flags, comm, NO_ROOT, -1, sum_of(t, n, into_counts, into_type, 0), n, in ? into_counts : counts,
                   in ? into_type : type, 0))
FORMS(Alltoallw, Ialltoallw, (MANY(int, CONST MPI_Datatype *)), (MANY_ARGS), int64_t n = peers_of(t, comm); int in = buf == MPI_IN_PLACE;
      blocks_event(t, ALLTOALLW, flags, comm, NO_ROOT, -1, sum_of(t, n, into_counts, BYTES, into_type), n, in ? into_counts : counts, BYTES,
                   in ? into_type : type))

#define REDUCTION CONST void *buf, void *into, int count, MPI_Datatype type, MPI_Op op
FORMS(Reduce, Ireduce, (REDUCTION, int root, MPI_Comm comm), (buf, into, count, type, op, root, comm),
      collective_event(t, REDUCE, flags, comm, bytes_of(t, count, type), root))
FORMS(Allreduce, Iallreduce, (REDUCTION, MPI_Comm comm), (buf, into, count, type, op, comm),
      collective_event(t, ALLREDUCE, flags, comm, bytes_of(t, count, type), NO_ROOT))
FORMS(Scan, Iscan, (REDUCTION, MPI_Comm comm), (buf, into, count, type, op, comm),
      collective_event(t, SCAN, flags, comm, bytes_of(t, count, type), NO_ROOT))
FORMS(Exscan, Iexscan, (REDUCTION, MPI_Comm comm), (buf, into, count, type, op, comm),
      collective_event(t, EXSCAN, flags, comm, bytes_of(t, count, type), NO_ROOT))
FORMS(Reduce_scatter_block, Ireduce_scatter_block, (REDUCTION, MPI_Comm comm), (buf, into, count, type, op, comm),
      collective_event(t, REDUCE_SCATTER_BLOCK, flags, comm, peers_of(t, comm) * bytes_of(t, count, type), NO_ROOT))
FORMS(Reduce_scatter, Ireduce_scatter, (CONST void *buf, void *into, CONST int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (buf, into, counts, type, op, comm),
      int rank = 0; PMPI(Comm_rank)(comm, &rank);
      blocks_event(t, REDUCE_SCATTER, flags, comm, NO_ROOT, -1, bytes_of(t, counts[rank], type), peers_of(t, comm), counts, type, 0))

#if MPI_VERSION >= 3
HIDDEN int64_t sources(struct thread *t, MPI_Comm comm) { return comms[comm_of(t, comm)].in; }
HIDDEN int64_t targets(struct thread *t, MPI_Comm comm) { return comms[comm_of(t, comm)].out; }
FORMS(Neighbor_allgather, Ineighbor_allgather, (DATA, MPI_Comm comm), (DATA_ARGS, comm),
      collective_event(t, NEIGHBOR_ALLGATHER, flags, comm, targets(t, comm) * bytes_of(t, count, type), NO_ROOT))
FORMS(Neighbor_alltoall, Ineighbor_alltoall, (DATA, MPI_Comm comm), (DATA_ARGS, comm),
      collective_event(t, NEIGHBOR_ALLTOALL, flags, comm, targets(t, comm) * bytes_of(t, count, type), NO_ROOT))
FORMS(Neighbor_allgatherv, Ineighbor_allgatherv,
      (CONST void *buf, int count, MPI_Datatype type, void *into, CONST int *counts, CONST int *at, MPI_Datatype into_type, MPI_Comm comm),
      (buf, count, type, into, counts, at, into_type, comm),
      blocks_event(t, NEIGHBOR_ALLGATHERV, flags, comm, NO_ROOT, targets(t, comm) * bytes_of(t, count, type), -1, sources(t, comm), counts,
                   into_type, 0))
FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, (MANY(int, MPI_Datatype)), (MANY_ARGS),
      blocks_event(t, NEIGHBOR_ALLTOALLV, flags, comm, NO_ROOT, -1, sum_of(t, sources(t, comm), into_counts, into_type, 0), targets(t, comm),
                   counts, type, 0))
FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, (MANY(MPI_Aint, CONST MPI_Datatype *)), (MANY_ARGS),
      blocks_event(t, NEIGHBOR_ALLTOALLW, flags, comm, NO_ROOT, -1, sum_of(t, sources(t, comm), into_counts, BYTES, into_type),
                   targets(t, comm), counts, BYTES, type))
#endif
