/* Messages between two ranks. */
#define SEND_PARAMETERS(count_t) CONST void *buf, count_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm
#define SEND_CALL(name, count_t, code, flags)                                            \
    int MPI_##name(SEND_PARAMETERS(count_t)) {                                           \
        ENTER;                                                                           \
        int rc = PMPI(name)(buf, count, type, dest, tag, comm);                          \
        LEAVE(send_event(t, code, flags, bytes_of(t, count, type), dest, tag, comm));    \
        return rc;                                                                       \
    }
#define SEND_REQUEST(name, count_t, code, flags)                                         \
    int MPI_##name(SEND_PARAMETERS(count_t), MPI_Request *request) {                     \
        ENTER;                                                                           \
        int rc = PMPI(name)(buf, count, type, dest, tag, comm, request);                 \
        LEAVE(send_event(t, code, flags, bytes_of(t, count, type), dest, tag, comm);     \
              request_add(t, *request, 0, ((flags) & PERSISTENT) != 0));                 \
        return rc;                                                                       \
    }
#define SEND_FAMILY(x, i, code, flags)                         \
    SEND_CALL(x, int, code, flags)                             \
    SEND_REQUEST(i, int, code, (flags) | NONBLOCKING)          \
    SEND_REQUEST(x##_init, int, code, (flags) | PERSISTENT)
SEND_FAMILY(Send, Isend, SEND, 0)
SEND_FAMILY(Bsend, Ibsend, BSEND, 0)
SEND_FAMILY(Ssend, Issend, SSEND, SYNC)
SEND_FAMILY(Rsend, Irsend, RSEND, 0)
#if MPI_VERSION >= 4
#define SEND_FAMILY_C(x, i, code, flags)                             \
    SEND_CALL(x##_c, MPI_Count, code, flags)                         \
    SEND_REQUEST(i##_c, MPI_Count, code, (flags) | NONBLOCKING)      \
    SEND_REQUEST(x##_init_c, MPI_Count, code, (flags) | PERSISTENT)
SEND_FAMILY_C(Send, Isend, SEND, 0)
SEND_FAMILY_C(Bsend, Ibsend, BSEND, 0)
SEND_FAMILY_C(Ssend, Issend, SSEND, SYNC)
SEND_FAMILY_C(Rsend, Irsend, RSEND, 0)
#endif

/* Where a status is wanted though the program ignores it. */
#define STATUS(given)   \
    MPI_Status own_;    \
    MPI_Status *s = t && (given) == MPI_STATUS_IGNORE ? &own_ : (given)

#define RECV_CALL(name, count_t)                                                                        \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,     \
                   MPI_Status *status) {                                                                \
        ENTER;                                                                                          \
        STATUS(status);                                                                                 \
        int rc = PMPI(name)(buf, count, type, source, tag, comm, s);                                    \
        LEAVE(receive_event(t, RECV, 0, bytes_of(t, count, type), source, tag, comm, rc ? 0 : s));      \
        return rc;                                                                                      \
    }
#define RECV_REQUEST(name, count_t, flags)                                                              \
    int MPI_##name(void *buf, count_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,     \
                   MPI_Request *request) {                                                              \
        ENTER;                                                                                          \
        int rc = PMPI(name)(buf, count, type, source, tag, comm, request);                              \
        LEAVE(receive_event(t, RECV, flags, bytes_of(t, count, type), source, tag, comm, 0);            \
              t->now->waits = rc == MPI_SUCCESS && (flags) == NONBLOCKING;                              \
              request_add(t, *request, 1, ((flags) & PERSISTENT) != 0));                                \
        return rc;                                                                                      \
    }
RECV_CALL(Recv, int)
RECV_REQUEST(Irecv, int, NONBLOCKING)
RECV_REQUEST(Recv_init, int, PERSISTENT)
#if MPI_VERSION >= 4
RECV_CALL(Recv_c, MPI_Count)
RECV_REQUEST(Irecv_c, MPI_Count, NONBLOCKING)
RECV_REQUEST(Recv_init_c, MPI_Count, PERSISTENT)
#endif

/* To PEER, from PEER2; SIZE and TAG are those of the message that is sent. */
HIDDEN void sendrecv_event(struct thread *t, int64_t bytes, int dest, int tag, int source, MPI_Comm comm, const MPI_Status *s) {
    unsigned flags = source == MPI_ANY_SOURCE ? ANY : 0;
    struct event *e = event_new(t, SENDRECV, flags, comm_of(t, comm), BIT(PEER) | BIT(PEER2) | BIT(SIZE) | BIT(TAG));
    e->field[PEER] = rank_of(dest);
    e->field[PEER2] = s ? rank_of(s->MPI_SOURCE) : rank_of(source);
    e->field[SIZE] = bytes;
    e->field[TAG] = tag;
}
int MPI_Sendrecv(CONST void *buf, int count, MPI_Datatype type, int dest, int tag, void *into, int most, MPI_Datatype into_type,
                 int source, int into_tag, MPI_Comm comm, MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Sendrecv)(buf, count, type, dest, tag, into, most, into_type, source, into_tag, comm, s);
    LEAVE(sendrecv_event(t, bytes_of(t, count, type), dest, tag, source, comm, rc ? 0 : s));
    return rc;
}
int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int tag, int source, int into_tag, MPI_Comm comm,
                         MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Sendrecv_replace)(buf, count, type, dest, tag, source, into_tag, comm, s);
    LEAVE(sendrecv_event(t, bytes_of(t, count, type), dest, tag, source, comm, rc ? 0 : s));
    return rc;
}

#if MPI_VERSION >= 4
/* One message, whatever its parts; when they become ready is no event. */
#define PARTITIONED_REQUEST(name, code, receives)                                                                       \
    int MPI_##name(SEND_BUFFER(receives), int parts, MPI_Count count, MPI_Datatype type, int peer, int tag,             \
                   MPI_Comm comm, MPI_Info info, MPI_Request *request) {                                                \
        ENTER;                                                                                                          \
        int rc = PMPI(name)(buf, parts, count, type, peer, tag, comm, info, request);                                   \
        LEAVE(send_event(t, code, PERSISTENT | PARTITIONED, parts * bytes_of(t, count, type), peer, tag, comm);         \
              request_add(t, *request, receives, 1));                                                                   \
        return rc;                                                                                                      \
    }
#define SEND_BUFFER(receives) SEND_BUFFER_##receives
#define SEND_BUFFER_0 const void *buf
#define SEND_BUFFER_1 void *buf
PARTITIONED_REQUEST(Psend_init, PSEND, 0)
PARTITIONED_REQUEST(Precv_init, PRECV, 1)
#endif

HIDDEN void probe_event(struct thread *t, unsigned call, unsigned flags, int source, int tag, MPI_Comm comm, const MPI_Status *s) {
    if (source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
        flags |= ANY;
    struct event *e = event_new(t, call, flags, comm_of(t, comm), BIT(PEER) | BIT(TAG));
    e->field[PEER] = rank_of(s ? s->MPI_SOURCE : source);
    e->field[TAG] = tag_of(s ? s->MPI_TAG : tag);
}
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Probe)(source, tag, comm, s);
    LEAVE(probe_event(t, PROBE, 0, source, tag, comm, rc ? 0 : s));
    return rc;
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Iprobe)(source, tag, comm, flag, s);
    LEAVE(if (!rc && *flag) probe_event(t, PROBE, POLLED | NONBLOCKING, source, tag, comm, s));
    return rc;
}
#if MPI_VERSION >= 3
/* A matched message carries no communicator: that of its probe is kept until it is received. */
static __thread uint32_t matched_comm __attribute__((tls_model("initial-exec")));
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Mprobe)(source, tag, comm, message, s);
    LEAVE(probe_event(t, MPROBE, 0, source, tag, comm, rc ? 0 : s); matched_comm = t->now->comm);
    return rc;
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Improbe)(source, tag, comm, flag, message, s);
    LEAVE(if (!rc && *flag) {
        probe_event(t, MPROBE, POLLED | NONBLOCKING, source, tag, comm, s);
        matched_comm = t->now->comm;
    });
    return rc;
}
HIDDEN void mrecv_event(struct thread *t, unsigned flags, int64_t bytes, const MPI_Status *s) {
    struct event *e = event_new(t, MRECV, flags, matched_comm, BIT(PEER) | BIT(SIZE) | BIT(TAG));
    e->field[PEER] = s ? rank_of(s->MPI_SOURCE) : -2;
    e->field[SIZE] = s ? received(s) : bytes;
    e->field[TAG] = s ? tag_of(s->MPI_TAG) : -1;
}
int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    ENTER;
    STATUS(status);
    int rc = PMPI(Mrecv)(buf, count, type, message, s);
    LEAVE(mrecv_event(t, 0, bytes_of(t, count, type), rc ? 0 : s));
    return rc;
}
int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    ENTER;
    int rc = PMPI(Imrecv)(buf, count, type, message, request);
    LEAVE(mrecv_event(t, NONBLOCKING, bytes_of(t, count, type), 0); t->now->waits = rc == MPI_SUCCESS;
          request_add(t, *request, 1, 0));
    return rc;
}
#endif
