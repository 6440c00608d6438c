/* One-sided communication. */
enum { WIN_CREATE, WIN_ALLOCATE, WIN_ALLOCATE_SHARED, WIN_CREATE_DYNAMIC, WIN_FREE, WIN_POST, WIN_START, WIN_COMPLETE, WIN_WAIT, WIN_TEST,
       WIN_LOCK, WIN_LOCK_ALL, WIN_UNLOCK, WIN_UNLOCK_ALL, WIN_FLUSH, WIN_FLUSH_ALL, WIN_FLUSH_LOCAL, WIN_FLUSH_LOCAL_ALL,
       RMA_PLAIN, RMA_GET_ACCUMULATE, RMA_FETCH_AND_OP, RMA_COMPARE_AND_SWAP };
#define WINDOWS 256
static struct {
    uintptr_t handle;
    uint32_t comm;
} windows[WINDOWS];
static pthread_mutex_t window_lock = PTHREAD_MUTEX_INITIALIZER;

HIDDEN void window_set(uintptr_t handle, uint32_t comm, uintptr_t new_handle) {
    pthread_mutex_lock(&window_lock);
    for (int i = 0; i < WINDOWS; i++)
        if (windows[i].handle == handle) {
            windows[i].comm = comm;
            __atomic_store_n(&windows[i].handle, new_handle, __ATOMIC_RELEASE);
            break;
        }
    pthread_mutex_unlock(&window_lock);
}
HIDDEN uint32_t window_comm(MPI_Win window) {
    for (int i = 0; i < WINDOWS; i++)
        if (__atomic_load_n(&windows[i].handle, __ATOMIC_ACQUIRE) == (uintptr_t)window)
            return windows[i].comm;
    return 0;
}

HIDDEN void window_event(struct thread *t, unsigned call, unsigned flags, uint32_t comm, int which, int64_t bytes, int peer) {
    struct event *e = event_new(t, call, flags, comm, (peer == NO_ROOT ? 0 : BIT(PEER)) | (bytes < 0 ? 0 : BIT(SIZE)) | BIT(EXTRA));
    e->field[PEER] = rank_of(peer);
    e->field[SIZE] = bytes;
    e->field[EXTRA] = which;
}
#define MAKES_WINDOW(name, which, parameters, arguments, bytes)                                     \
    int MPI_##name(JUST parameters, MPI_Win *window) {                                              \
        ENTER;                                                                                      \
        int rc = PMPI(name)(JUST arguments, window);                                                \
        LEAVE(if (!rc) {                                                                            \
            window_set(0, comm_of(t, comm), (uintptr_t)*window);                                    \
            window_event(t, WIN, COLLECTIVE, comm_of(t, comm), which, (int64_t)(bytes), NO_ROOT);   \
        });                                                                                         \
        return rc;                                                                                  \
    }
MAKES_WINDOW(Win_create, WIN_CREATE, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm), (base, size, unit, info, comm), size)
#if MPI_VERSION >= 3
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window) {
    ENTER;
    int rc = PMPI(Win_allocate)(size, unit, info, comm, base, window);
    LEAVE(if (!rc) {
        window_set(0, comm_of(t, comm), (uintptr_t)*window);
        window_event(t, WIN, COLLECTIVE, comm_of(t, comm), WIN_ALLOCATE, size, NO_ROOT);
    });
    return rc;
}
MAKES_WINDOW(Win_allocate_shared, WIN_ALLOCATE_SHARED, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base),
             (size, unit, info, comm, base), size)
MAKES_WINDOW(Win_create_dynamic, WIN_CREATE_DYNAMIC, (MPI_Info info, MPI_Comm comm), (info, comm), 0)
#endif
int MPI_Win_free(MPI_Win *window) {
    ENTER;
    uintptr_t old = (uintptr_t)*window;
    uint32_t comm = window_comm(*window);
    int rc = PMPI(Win_free)(window);
    LEAVE(if (!rc) {
        window_set(old, 0, 0);
        window_event(t, WIN, COLLECTIVE, comm, WIN_FREE, -1, NO_ROOT);
    });
    return rc;
}
#define ON_WINDOW(name, call, flags, which, peer, parameters, arguments)                      \
    int MPI_##name(JUST parameters) {                                                         \
        ENTER;                                                                                \
        int rc = PMPI(name)(JUST arguments);                                                  \
        LEAVE(window_event(t, call, flags, window_comm(window), which, -1, peer));            \
        return rc;                                                                            \
    }
ON_WINDOW(Win_fence, FENCE, COLLECTIVE, 0, NO_ROOT, (int assertion, MPI_Win window), (assertion, window))
ON_WINDOW(Win_post, WIN_POST_START, 0, WIN_POST, NO_ROOT, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
ON_WINDOW(Win_start, WIN_POST_START, 0, WIN_START, NO_ROOT, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
ON_WINDOW(Win_complete, WIN_COMPLETE_WAIT, 0, WIN_COMPLETE, NO_ROOT, (MPI_Win window), (window))
ON_WINDOW(Win_wait, WIN_COMPLETE_WAIT, 0, WIN_WAIT, NO_ROOT, (MPI_Win window), (window))
ON_WINDOW(Win_lock, LOCK, 0, WIN_LOCK, rank, (int kind, int rank, int assertion, MPI_Win window), (kind, rank, assertion, window))
ON_WINDOW(Win_unlock, UNLOCK, 0, WIN_UNLOCK, rank, (int rank, MPI_Win window), (rank, window))
int MPI_Win_test(MPI_Win window, int *flag) {
    ENTER;
    int rc = PMPI(Win_test)(window, flag);
    LEAVE(if (!rc && *flag) window_event(t, WIN_COMPLETE_WAIT, POLLED, window_comm(window), WIN_TEST, -1, NO_ROOT));
    return rc;
}
#if MPI_VERSION >= 3
ON_WINDOW(Win_lock_all, LOCK, 0, WIN_LOCK_ALL, NO_ROOT, (int assertion, MPI_Win window), (assertion, window))
ON_WINDOW(Win_unlock_all, UNLOCK, 0, WIN_UNLOCK_ALL, NO_ROOT, (MPI_Win window), (window))
ON_WINDOW(Win_flush, FLUSH, 0, WIN_FLUSH, rank, (int rank, MPI_Win window), (rank, window))
ON_WINDOW(Win_flush_all, FLUSH, 0, WIN_FLUSH_ALL, NO_ROOT, (MPI_Win window), (window))
ON_WINDOW(Win_flush_local, FLUSH, 0, WIN_FLUSH_LOCAL, rank, (int rank, MPI_Win window), (rank, window))
ON_WINDOW(Win_flush_local_all, FLUSH, 0, WIN_FLUSH_LOCAL_ALL, NO_ROOT, (MPI_Win window), (window))
#endif

#define MOVES(name, call, which, parameters, arguments, bytes)                                   \
    int MPI_##name(JUST parameters) {                                                            \
        ENTER;                                                                                   \
        int rc = PMPI(name)(JUST arguments);                                                     \
        LEAVE(window_event(t, call, 0, window_comm(window), which, bytes, rank));                \
        return rc;                                                                               \
    }
#define MOVES_LATER(name, call, which, parameters, arguments, bytes)                             \
    int MPI_##name(JUST parameters, MPI_Request *request) {                                      \
        ENTER;                                                                                   \
        int rc = PMPI(name)(JUST arguments, request);                                            \
        LEAVE(window_event(t, call, NONBLOCKING, window_comm(window), which, bytes, rank);       \
              request_add(t, *request, 0, 0));                                                   \
        return rc;                                                                               \
    }
#define TARGET int rank, MPI_Aint at, int into_count, MPI_Datatype into_type
#define TARGET_ARGS rank, at, into_count, into_type
#define ORIGIN CONST void *buf, int count, MPI_Datatype type
MOVES(Put, PUT, RMA_PLAIN, (ORIGIN, TARGET, MPI_Win window), (buf, count, type, TARGET_ARGS, window), bytes_of(t, count, type))
MOVES(Get, GET, RMA_PLAIN, (void *buf, int count, MPI_Datatype type, TARGET, MPI_Win window), (buf, count, type, TARGET_ARGS, window),
      bytes_of(t, count, type))
MOVES(Accumulate, ACCUMULATE, RMA_PLAIN, (ORIGIN, TARGET, MPI_Op op, MPI_Win window), (buf, count, type, TARGET_ARGS, op, window),
      bytes_of(t, count, type))
#if MPI_VERSION >= 3
#define BOTH ORIGIN, void *got, int got_count, MPI_Datatype got_type, TARGET, MPI_Op op, MPI_Win window
#define BOTH_ARGS buf, count, type, got, got_count, got_type, TARGET_ARGS, op, window
MOVES(Get_accumulate, ACCUMULATE, RMA_GET_ACCUMULATE, (BOTH), (BOTH_ARGS), bytes_of(t, got_count, got_type))
MOVES(Fetch_and_op, ACCUMULATE, RMA_FETCH_AND_OP,
      (CONST void *buf, void *got, MPI_Datatype type, int rank, MPI_Aint at, MPI_Op op, MPI_Win window), (buf, got, type, rank, at, op, window),
      bytes_of(t, 1, type))
MOVES(Compare_and_swap, ACCUMULATE, RMA_COMPARE_AND_SWAP,
      (CONST void *buf, CONST void *with, void *got, MPI_Datatype type, int rank, MPI_Aint at, MPI_Win window),
      (buf, with, got, type, rank, at, window), bytes_of(t, 1, type))
MOVES_LATER(Rput, PUT, RMA_PLAIN, (ORIGIN, TARGET, MPI_Win window), (buf, count, type, TARGET_ARGS, window), bytes_of(t, count, type))
MOVES_LATER(Rget, GET, RMA_PLAIN, (void *buf, int count, MPI_Datatype type, TARGET, MPI_Win window), (buf, count, type, TARGET_ARGS, window),
            bytes_of(t, count, type))
MOVES_LATER(Raccumulate, ACCUMULATE, RMA_PLAIN, (ORIGIN, TARGET, MPI_Op op, MPI_Win window), (buf, count, type, TARGET_ARGS, op, window),
            bytes_of(t, count, type))
MOVES_LATER(Rget_accumulate, ACCUMULATE, RMA_GET_ACCUMULATE, (BOTH), (BOTH_ARGS), bytes_of(t, got_count, got_type))
#endif
