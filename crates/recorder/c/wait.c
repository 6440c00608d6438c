/* Completion of requests. Handles are copied before a call, for it replaces those that it completes. */
static int cancels;

HIDDEN MPI_Request *copy_requests(struct thread *t, int n, const MPI_Request *requests) {
    if (!t || n <= 0)
        return 0;
    if ((uint32_t)n > t->requests_cap) {
        free(t->requests);
        t->requests = malloc((size_t)n * sizeof *t->requests);
        t->requests_cap = t->requests ? (uint32_t)n : 0;
    }
    if (t->requests)
        memcpy(t->requests, requests, (size_t)n * sizeof *requests);
    return t->requests;
}
HIDDEN MPI_Status *own_statuses(struct thread *t, int n, MPI_Status *given) {
    if (!t || n <= 0 || given != MPI_STATUSES_IGNORE)
        return given;
    if ((uint32_t)n > t->statuses_cap) {
        free(t->statuses);
        t->statuses = malloc((size_t)n * sizeof *t->statuses);
        t->statuses_cap = t->statuses ? (uint32_t)n : 0;
    }
    return t->statuses ? t->statuses : given;
}

HIDDEN void completes(const struct request *r, const MPI_Status *s) {
    int cancelled = 0;
    if (!r->receives)
        return;
    if (UNLIKELY(cancels) && s)
        PMPI(Test_cancelled)((MPI_Status *)(uintptr_t)s, &cancelled);
    if (s && !cancelled)
        receive_done(r, rank_of(s->MPI_SOURCE), tag_of(s->MPI_TAG), received(s));
    else
        receive_done(r, -3, 0, 0);
}

/* In calls of this thread, 1 for the call just before; posted by another one: -(1 + 65536 number + thread). */
HIDDEN int64_t distance(struct thread *t, const struct request *r) {
    if (r->thread == (uint32_t)t->index)
        return (int64_t)(t->now->number - r->number);
    return -(int64_t)(1 + (r->number << 16) + r->thread);
}

/* A call that concerns `n` requests: those with numbers in `index`, if it is given. */
HIDDEN void requests_event(struct thread *t, unsigned call, unsigned flags, int n, const MPI_Request *handle, const int *index,
                           const MPI_Status *status, int ends) {
    static __thread struct request few[16] __attribute__((tls_model("initial-exec")));
    struct request *found = n > 16 ? malloc((size_t)n * sizeof *found) : few;
    uint32_t k = 0;
    if (found && handle)
        for (int i = 0; i < n; i++) {
            MPI_Request h = handle[index ? index[i] : i];
            if (h == NO_REQUEST || !request_find(t, h, &found[k], ends))
                continue;
            if (ends)
                completes(&found[k], status && status != MPI_STATUSES_IGNORE ? &status[i] : 0);
            k++;
        }
    struct event *e = event_new(t, call, flags, 0, BIT(COUNT) | (k ? BIT(REQS) : 0));
    e->field[COUNT] = k;
    int64_t *list = k ? event_many(e, REQS, k) : 0;
    if (k && !list)
        e->mask = BIT(COUNT);
    for (uint32_t i = 0; list && i < k; i++)
        list[i] = distance(t, &found[i]);
    if (found != few)
        free(found);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    ENTER;
    STATUS(status);
    MPI_Request old = *request;
    int rc = PMPI(Wait)(request, s);
    LEAVE(requests_event(t, WAIT, 0, 1, &old, 0, rc ? 0 : s, 1));
    return rc;
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    ENTER;
    STATUS(status);
    MPI_Request old = *request;
    int rc = PMPI(Test)(request, flag, s);
    LEAVE(if (!rc && *flag && old != NO_REQUEST) requests_event(t, WAIT, POLLED, 1, &old, 0, s, 1));
    return rc;
}
int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses) {
    ENTER;
    MPI_Request *old = copy_requests(t, n, requests);
    MPI_Status *s = own_statuses(t, n, statuses);
    int rc = PMPI(Waitall)(n, requests, s);
    LEAVE(requests_event(t, WAITALL, 0, n, old, 0, rc ? 0 : s, 1));
    return rc;
}
int MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses) {
    ENTER;
    MPI_Request *old = copy_requests(t, n, requests);
    MPI_Status *s = own_statuses(t, n, statuses);
    int rc = PMPI(Testall)(n, requests, flag, s);
    LEAVE(if (!rc && *flag) requests_event(t, WAITALL, POLLED, n, old, 0, s, 1));
    return rc;
}
int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status) {
    ENTER;
    STATUS(status);
    MPI_Request *old = copy_requests(t, n, requests);
    int rc = PMPI(Waitany)(n, requests, index, s);
    LEAVE(requests_event(t, WAITANY, 0, !rc && *index != MPI_UNDEFINED, old, index, s, 1));
    return rc;
}
int MPI_Testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
    ENTER;
    STATUS(status);
    MPI_Request *old = copy_requests(t, n, requests);
    int rc = PMPI(Testany)(n, requests, index, flag, s);
    LEAVE(if (!rc && *flag && *index != MPI_UNDEFINED) requests_event(t, WAITANY, POLLED, 1, old, index, s, 1));
    return rc;
}
int MPI_Waitsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
    ENTER;
    MPI_Request *old = copy_requests(t, n, requests);
    MPI_Status *s = own_statuses(t, n, statuses);
    int rc = PMPI(Waitsome)(n, requests, done, indices, s);
    LEAVE(requests_event(t, WAITSOME, 0, !rc && *done != MPI_UNDEFINED ? *done : 0, old, indices, s, 1));
    return rc;
}
int MPI_Testsome(int n, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses) {
    ENTER;
    MPI_Request *old = copy_requests(t, n, requests);
    MPI_Status *s = own_statuses(t, n, statuses);
    int rc = PMPI(Testsome)(n, requests, done, indices, s);
    LEAVE(if (!rc && *done != MPI_UNDEFINED && *done > 0) requests_event(t, WAITSOME, POLLED, *done, old, indices, s, 1));
    return rc;
}
int MPI_Start(MPI_Request *request) {
    ENTER;
    int rc = PMPI(Start)(request);
    LEAVE(requests_event(t, START, PERSISTENT, 1, request, 0, 0, 0));
    return rc;
}
int MPI_Startall(int n, MPI_Request *requests) {
    ENTER;
    int rc = PMPI(Startall)(n, requests);
    LEAVE(requests_event(t, START, PERSISTENT, n, requests, 0, 0, 0));
    return rc;
}
int MPI_Request_free(MPI_Request *request) {
    ENTER;
    MPI_Request old = *request;
    int rc = PMPI(Request_free)(request);
    LEAVE(requests_event(t, REQUEST_FREE, 0, 1, &old, 0, 0, 2));
    return rc;
}
int MPI_Cancel(MPI_Request *request) {
    ENTER;
    cancels = 1;
    MPI_Request old = *request;
    int rc = PMPI(Cancel)(request);
    LEAVE(requests_event(t, CANCEL, 0, 1, &old, 0, 0, 0));
    return rc;
}
