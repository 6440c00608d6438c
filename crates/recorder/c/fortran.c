/* Fortran. MPICH's entries call those of C, which are recorded. Open MPI's do not: its mpif.h, `use mpi` and
 * `use mpi_f08` end in the same functions, which take handles as integers; here they are recorded with C's handles,
 * under the names that compilers give them. The Fortran entry of the profiling interface does the work, so that
 * MPI_IN_PLACE and MPI_BOTTOM are what they were. */
#if defined(OPEN_MPI) && !defined(RUNCAST_RECORD_LINKED)
typedef MPI_Fint F;
#define STATUS_INTEGERS ((int)(sizeof(MPI_Status) / sizeof(F)))
#define C_COMM(x) PMPI(Comm_f2c)(*(x))
#define C_TYPE(x) PMPI(Type_f2c)(*(x))
#define C_REQUEST(x) PMPI(Request_f2c)(*(x))

/* `ierr` may be left out by programs of Fortran 2008. */
#define FORTRAN(lower, upper, parameters, arguments, before, ...)                                             \
    static void f_##lower(JUST parameters, F *ierr) {                                                         \
        static void (*call)(JUST parameters, F *);                                                            \
        F own_error = 0;                                                                                      \
        ierr = ierr ? ierr : &own_error;                                                                      \
        if (UNLIKELY(!call))                                                                                  \
            *(void **)&call = entry_point("pmpi_" #lower "_");                                                \
        ENTER;                                                                                                \
        before;                                                                                               \
        call(JUST arguments, ierr);                                                                           \
        LEAVE(__VA_ARGS__);                                                                                   \
    }                                                                                                         \
    F_NAMES(lower, upper)
#define F_NAME(name, of) extern __typeof__(of) name __attribute__((alias(#of)));
#define F_NAMES(lower, upper)                \
    F_NAME(mpi_##lower, f_##lower)           \
    F_NAME(mpi_##lower##_, f_##lower)        \
    F_NAME(mpi_##lower##__, f_##lower)       \
    F_NAME(MPI_##upper, f_##lower)           \
    F_NAME(mpi_##lower##_f08_, f_##lower)

HIDDEN int f_ignored(const F *status, const char *const *names) {
    for (int i = 0; i < 4; i++)
        if (status == dlsym(RTLD_DEFAULT, names[i]))
            return 1;
    return 0;
}
HIDDEN int f_status_ignored(const F *status) {
    static const char *const names[] = {"mpi_fortran_status_ignore_", "mpi_fortran_status_ignore", "mpi_fortran_status_ignore__",
                                        "MPI_FORTRAN_STATUS_IGNORE"};
    return f_ignored(status, names);
}
HIDDEN int f_statuses_ignored(const F *statuses) {
    static const char *const names[] = {"mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore", "mpi_fortran_statuses_ignore__",
                                        "MPI_FORTRAN_STATUSES_IGNORE"};
    return f_ignored(statuses, names);
}
HIDDEN MPI_Status c_status(const F *status) {
    MPI_Status s;
    memset(&s, 0, sizeof s);
    PMPI(Status_f2c)((F *)(uintptr_t)status, &s);
    return s;
}
#define F_STATUS                            \
    F own_[sizeof(MPI_Status) / sizeof(F)]; \
    if (t && f_status_ignored(status))      \
    status = own_

/* From MPI_Init on. */
static void f_init(F *ierr) {
    static void (*call)(F *);
    F own = 0;
    *(void **)&call = entry_point("pmpi_init_");
    call(ierr ? ierr : &own);
    begin();
}
F_NAMES(init, INIT)
static void f_init_thread(F *required, F *provided, F *ierr) {
    static void (*call)(F *, F *, F *);
    F own = 0;
    *(void **)&call = entry_point("pmpi_init_thread_");
    call(required, provided, ierr ? ierr : &own);
    begin();
}
F_NAMES(init_thread, INIT_THREAD)
static void f_finalize(F *ierr) {
    static void (*call)(F *);
    F own = 0;
    end(enter(__builtin_return_address(0), __builtin_frame_address(0)));
    *(void **)&call = entry_point("pmpi_finalize_");
    call(ierr ? ierr : &own);
}
F_NAMES(finalize, FINALIZE)
static void f_abort(F *comm, F *code, F *ierr) {
    F rc = MPI_Abort(C_COMM(comm), *code);
    if (ierr)
        *ierr = rc;
}
F_NAMES(abort, ABORT)

#define F_DATA void *buf, F *count, F *type
#define F_SEND(lower, upper, code, flags)                                                                                   \
    FORTRAN(lower, upper, (F_DATA, F *dest, F *tag, F *comm), (buf, count, type, dest, tag, comm), ,                        \
            send_event(t, code, flags, bytes_of(t, *count, C_TYPE(type)), *dest, *tag, C_COMM(comm)))
#define F_ISEND(lower, upper, code, flags)                                                                                  \
    FORTRAN(lower, upper, (F_DATA, F *dest, F *tag, F *comm, F *request), (buf, count, type, dest, tag, comm, request), ,   \
            send_event(t, code, flags, bytes_of(t, *count, C_TYPE(type)), *dest, *tag, C_COMM(comm));                       \
            request_add(t, C_REQUEST(request), 0, ((flags) & PERSISTENT) != 0))
F_SEND(send, SEND, SEND, 0)
F_SEND(bsend, BSEND, BSEND, 0)
F_SEND(ssend, SSEND, SSEND, SYNC)
F_SEND(rsend, RSEND, RSEND, 0)
F_ISEND(isend, ISEND, SEND, NONBLOCKING)
F_ISEND(ibsend, IBSEND, BSEND, NONBLOCKING)
F_ISEND(issend, ISSEND, SSEND, SYNC | NONBLOCKING)
F_ISEND(irsend, IRSEND, RSEND, NONBLOCKING)
F_ISEND(send_init, SEND_INIT, SEND, PERSISTENT)
F_ISEND(ssend_init, SSEND_INIT, SSEND, SYNC | PERSISTENT)
FORTRAN(recv, RECV, (F_DATA, F *source, F *tag, F *comm, F *status), (buf, count, type, source, tag, comm, status), F_STATUS,
        MPI_Status s = c_status(status);
        receive_event(t, RECV, 0, bytes_of(t, *count, C_TYPE(type)), *source, *tag, C_COMM(comm), *ierr ? 0 : &s))
#define F_IRECV(lower, upper, flags)                                                                                          \
    FORTRAN(lower, upper, (F_DATA, F *source, F *tag, F *comm, F *request), (buf, count, type, source, tag, comm, request), , \
            receive_event(t, RECV, flags, bytes_of(t, *count, C_TYPE(type)), *source, *tag, C_COMM(comm), 0);                 \
            t->now->waits = !*ierr && (flags) == NONBLOCKING;                                                                 \
            request_add(t, C_REQUEST(request), 1, (flags) == PERSISTENT))
F_IRECV(irecv, IRECV, NONBLOCKING)
F_IRECV(recv_init, RECV_INIT, PERSISTENT)
FORTRAN(sendrecv, SENDRECV,
        (F_DATA, F *dest, F *tag, void *into, F *most, F *into_type, F *source, F *into_tag, F *comm, F *status),
        (buf, count, type, dest, tag, into, most, into_type, source, into_tag, comm, status), F_STATUS, MPI_Status s = c_status(status);
        sendrecv_event(t, bytes_of(t, *count, C_TYPE(type)), *dest, *tag, *source, C_COMM(comm), *ierr ? 0 : &s))
FORTRAN(sendrecv_replace, SENDRECV_REPLACE, (F_DATA, F *dest, F *tag, F *source, F *into_tag, F *comm, F *status),
        (buf, count, type, dest, tag, source, into_tag, comm, status), F_STATUS, MPI_Status s = c_status(status);
        sendrecv_event(t, bytes_of(t, *count, C_TYPE(type)), *dest, *tag, *source, C_COMM(comm), *ierr ? 0 : &s))
FORTRAN(probe, PROBE, (F *source, F *tag, F *comm, F *status), (source, tag, comm, status), F_STATUS, MPI_Status s = c_status(status);
        probe_event(t, PROBE, 0, *source, *tag, C_COMM(comm), *ierr ? 0 : &s))
FORTRAN(iprobe, IPROBE, (F *source, F *tag, F *comm, F *flag, F *status), (source, tag, comm, flag, status), F_STATUS, if (!*ierr && *flag) {
    MPI_Status s = c_status(status);
    probe_event(t, PROBE, POLLED | NONBLOCKING, *source, *tag, C_COMM(comm), &s);
})

/* Handles and statuses of several requests, as C has them. */
HIDDEN MPI_Request *c_requests(struct thread *t, int n, const F *requests) {
    MPI_Request one = NO_REQUEST, *all = n > 0 && t ? copy_requests(t, 1, &one) : 0;
    if (!all)
        return 0;
    if ((uint32_t)n > t->requests_cap) {
        MPI_Request *wider = realloc(t->requests, (size_t)n * sizeof *wider);
        if (!wider)
            return 0;
        t->requests = wider;
        t->requests_cap = (uint32_t)n;
    }
    for (int i = 0; i < n; i++)
        t->requests[i] = PMPI(Request_f2c)(requests[i]);
    return t->requests;
}
HIDDEN F *f_statuses(struct thread *t, int n, F *given) {
    if (!t || n <= 0 || !f_statuses_ignored(given))
        return given;
    F *own = (F *)own_statuses(t, n, MPI_STATUSES_IGNORE);
    return own ? own : given;
}
HIDDEN void f_event(struct thread *t, unsigned call, unsigned flags, int n, const MPI_Request *old, const F *index, const F *statuses) {
    MPI_Status *s = n > 0 && !f_statuses_ignored(statuses) ? malloc((size_t)n * sizeof *s) : 0;
    int *from_zero = index && n > 0 ? malloc((size_t)n * sizeof *from_zero) : 0;
    for (int i = 0; s && i < n; i++)
        s[i] = c_status(statuses + (size_t)i * STATUS_INTEGERS);
    for (int i = 0; from_zero && i < n; i++)
        from_zero[i] = index[i] - 1;
    requests_event(t, call, flags, n, old, from_zero, s, 1);
    free(s);
    free(from_zero);
}
FORTRAN(wait, WAIT, (F *request, F *status), (request, status), F_STATUS; MPI_Request old = C_REQUEST(request), MPI_Status s = c_status(status);
        requests_event(t, WAIT, 0, 1, &old, 0, *ierr ? 0 : &s, 1))
FORTRAN(test, TEST, (F *request, F *flag, F *status), (request, flag, status), F_STATUS;
        MPI_Request old = C_REQUEST(request), if (!*ierr && *flag && old != NO_REQUEST) {
            MPI_Status s = c_status(status);
            requests_event(t, WAIT, POLLED, 1, &old, 0, &s, 1);
        })
FORTRAN(waitall, WAITALL, (F *n, F *requests, F *statuses), (n, requests, statuses), MPI_Request *old = c_requests(t, *n, requests);
        statuses = f_statuses(t, *n, statuses), f_event(t, WAITALL, 0, *n, old, 0, statuses))
FORTRAN(testall, TESTALL, (F *n, F *requests, F *flag, F *statuses), (n, requests, flag, statuses),
        MPI_Request *old = c_requests(t, *n, requests);
        statuses = f_statuses(t, *n, statuses), if (!*ierr && *flag) f_event(t, WAITALL, POLLED, *n, old, 0, statuses))
FORTRAN(waitany, WAITANY, (F *n, F *requests, F *index, F *status), (n, requests, index, status), F_STATUS;
        MPI_Request *old = c_requests(t, *n, requests), f_event(t, WAITANY, 0, *index != MPI_UNDEFINED, old, index, status))
FORTRAN(waitsome, WAITSOME, (F *n, F *requests, F *done, F *indices, F *statuses), (n, requests, done, indices, statuses),
        MPI_Request *old = c_requests(t, *n, requests);
        statuses = f_statuses(t, *n, statuses), f_event(t, WAITSOME, 0, *done > 0 ? *done : 0, old, indices, statuses))
FORTRAN(start, START, (F *request), (request), , MPI_Request old = C_REQUEST(request);
        requests_event(t, START, PERSISTENT, 1, &old, 0, 0, 0))
FORTRAN(startall, STARTALL, (F *n, F *requests), (n, requests), MPI_Request *old = c_requests(t, *n, requests),
        requests_event(t, START, PERSISTENT, *n, old, 0, 0, 0))
FORTRAN(request_free, REQUEST_FREE, (F *request), (request), MPI_Request old = C_REQUEST(request),
        requests_event(t, REQUEST_FREE, 0, 1, &old, 0, 0, 2))

#define F_INTO F_DATA, void *into, F *into_count, F *into_type
#define F_INTO_ARGS buf, count, type, into, into_count, into_type
FORTRAN(barrier, BARRIER, (F *comm), (comm), , collective_event(t, BARRIER, COLLECTIVE, C_COMM(comm), -1, NO_ROOT))
FORTRAN(bcast, BCAST, (F_DATA, F *root, F *comm), (buf, count, type, root, comm), ,
        collective_event(t, BCAST, COLLECTIVE, C_COMM(comm), bytes_of(t, *count, C_TYPE(type)), *root))
FORTRAN(gather, GATHER, (F_INTO, F *root, F *comm), (F_INTO_ARGS, root, comm), , MPI_Comm c = C_COMM(comm);
        collective_event(t, GATHER, COLLECTIVE, c,
                         peers_of(t, c) * (is_root(t, c, *root) ? bytes_of(t, *into_count, C_TYPE(into_type))
                                                                : bytes_of(t, *count, C_TYPE(type))), *root))
FORTRAN(scatter, SCATTER, (F_INTO, F *root, F *comm), (F_INTO_ARGS, root, comm), , MPI_Comm c = C_COMM(comm);
        collective_event(t, SCATTER, COLLECTIVE, c,
                         peers_of(t, c) * (is_root(t, c, *root) ? bytes_of(t, *count, C_TYPE(type))
                                                                : bytes_of(t, *into_count, C_TYPE(into_type))), *root))
#define F_ALL(lower, upper, code)                                                                              \
    FORTRAN(lower, upper, (F_INTO, F *comm), (F_INTO_ARGS, comm), , MPI_Comm c = C_COMM(comm);                 \
            collective_event(t, code, COLLECTIVE, c, peers_of(t, c) * bytes_of(t, *into_count, C_TYPE(into_type)), NO_ROOT))
F_ALL(allgather, ALLGATHER, ALLGATHER)
F_ALL(alltoall, ALLTOALL, ALLTOALL)
FORTRAN(allgatherv, ALLGATHERV, (F_DATA, void *into, F *counts, F *at, F *into_type, F *comm),
        (buf, count, type, into, counts, at, into_type, comm), , MPI_Comm c = C_COMM(comm);
        blocks_event(t, ALLGATHERV, COLLECTIVE, c, NO_ROOT, bytes_of(t, *count, C_TYPE(type)), -1, peers_of(t, c), counts,
                     C_TYPE(into_type), 0))
FORTRAN(gatherv, GATHERV, (F_DATA, void *into, F *counts, F *at, F *into_type, F *root, F *comm),
        (buf, count, type, into, counts, at, into_type, root, comm), , MPI_Comm c = C_COMM(comm); int is = is_root(t, c, *root);
        blocks_event(t, GATHERV, COLLECTIVE, c, *root, bytes_of(t, *count, C_TYPE(type)), is ? -1 : 0, peers_of(t, c), is ? counts : 0,
                     C_TYPE(into_type), 0))
FORTRAN(scatterv, SCATTERV, (void *buf, F *counts, F *at, F *type, void *into, F *count, F *into_type, F *root, F *comm),
        (buf, counts, at, type, into, count, into_type, root, comm), , MPI_Comm c = C_COMM(comm); int is = is_root(t, c, *root);
        blocks_event(t, SCATTERV, COLLECTIVE, c, *root, is ? -1 : 0, bytes_of(t, *count, C_TYPE(into_type)), peers_of(t, c),
                     is ? counts : 0, C_TYPE(type), 0))
FORTRAN(alltoallv, ALLTOALLV, (void *buf, F *counts, F *at, F *type, void *into, F *into_counts, F *into_at, F *into_type, F *comm),
        (buf, counts, at, type, into, into_counts, into_at, into_type, comm), , MPI_Comm c = C_COMM(comm); int64_t n = peers_of(t, c);
        blocks_event(t, ALLTOALLV, COLLECTIVE, c, NO_ROOT, -1, sum_of(t, n, into_counts, C_TYPE(into_type), 0), n, counts,
                     C_TYPE(type), 0))
#define F_REDUCTION void *buf, void *into, F *count, F *type, F *op
FORTRAN(reduce, REDUCE, (F_REDUCTION, F *root, F *comm), (buf, into, count, type, op, root, comm), ,
        collective_event(t, REDUCE, COLLECTIVE, C_COMM(comm), bytes_of(t, *count, C_TYPE(type)), *root))
#define F_REDUCE(lower, upper, code)                                                               \
    FORTRAN(lower, upper, (F_REDUCTION, F *comm), (buf, into, count, type, op, comm), ,            \
            collective_event(t, code, COLLECTIVE, C_COMM(comm), bytes_of(t, *count, C_TYPE(type)), NO_ROOT))
F_REDUCE(allreduce, ALLREDUCE, ALLREDUCE)
F_REDUCE(scan, SCAN, SCAN)
F_REDUCE(exscan, EXSCAN, EXSCAN)
FORTRAN(iallreduce, IALLREDUCE, (F_REDUCTION, F *comm, F *request), (buf, into, count, type, op, comm, request), ,
        collective_event(t, ALLREDUCE, COLLECTIVE | NONBLOCKING, C_COMM(comm), bytes_of(t, *count, C_TYPE(type)), NO_ROOT);
        request_add(t, C_REQUEST(request), 0, 0))
FORTRAN(ibarrier, IBARRIER, (F *comm, F *request), (comm, request), ,
        collective_event(t, BARRIER, COLLECTIVE | NONBLOCKING, C_COMM(comm), -1, NO_ROOT); request_add(t, C_REQUEST(request), 0, 0))

FORTRAN(comm_dup, COMM_DUP, (F *comm, F *made), (comm, made), , comm_event(t, COMM, COMM_DUP, C_COMM(comm), C_COMM(made)))
FORTRAN(comm_create, COMM_CREATE, (F *comm, F *group, F *made), (comm, group, made), ,
        comm_event(t, COMM, COMM_CREATE, C_COMM(comm), C_COMM(made)))
FORTRAN(comm_split, COMM_SPLIT, (F *comm, F *color, F *key, F *made), (comm, color, key, made), ,
        split_event(t, COMM_SPLIT, C_COMM(comm), C_COMM(made), *color, *key))
FORTRAN(comm_free, COMM_FREE, (F *comm), (comm), uintptr_t old = (uintptr_t)C_COMM(comm); uint32_t id = t ? comm_of(t, (MPI_Comm)old) : 0,
        comm_end(t, COMM_FREE, id, old))
FORTRAN(cart_create, CART_CREATE, (F *comm, F *n, F *dims, F *periods, F *reorder, F *made), (comm, n, dims, periods, reorder, made), ,
        comm_event(t, CART_CREATE, 0, C_COMM(comm), C_COMM(made)))
FORTRAN(cart_sub, CART_SUB, (F *comm, F *keep, F *made), (comm, keep, made), , comm_event(t, CART_SUB, 0, C_COMM(comm), C_COMM(made)))
#endif
