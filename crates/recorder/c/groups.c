/* Communicators, topologies and datatypes. EXTRA tells members of a family apart, in the order of this list. */
enum { COMM_DUP, COMM_DUP_WITH_INFO, COMM_IDUP, COMM_SPLIT, COMM_SPLIT_TYPE, COMM_CREATE, COMM_CREATE_GROUP, COMM_FREE, COMM_DISCONNECT,
       BY_INTERCOMM_MERGE, BY_DIST_GRAPH, BY_DIST_GRAPH_ADJACENT };

/* The new communicator is in COUNT (its number, -1 for none); color and key are PEER and PEER2. */
HIDDEN struct event *comm_event(struct thread *t, unsigned call, int which, MPI_Comm parent, MPI_Comm made) {
    uint32_t id = comm_of(t, parent);
    struct event *e = event_new(t, call, COLLECTIVE, id, BIT(COUNT) | BIT(EXTRA));
    e->field[COUNT] = made == NO_COMM ? -1 : (int64_t)comm_add(made, id);
    e->field[EXTRA] = which;
    return e;
}
#define MAKES_COMM(name, call, which, parameters, arguments)              \
    int MPI_##name(JUST parameters, MPI_Comm *made) {                     \
        ENTER;                                                            \
        int rc = PMPI(name)(JUST arguments, made);                        \
        LEAVE(if (!rc) comm_event(t, call, which, comm, *made));          \
        return rc;                                                        \
    }
MAKES_COMM(Comm_dup, COMM, COMM_DUP, (MPI_Comm comm), (comm))
MAKES_COMM(Comm_create, COMM, COMM_CREATE, (MPI_Comm comm, MPI_Group group), (comm, group))
MAKES_COMM(Intercomm_merge, COMM, BY_INTERCOMM_MERGE, (MPI_Comm comm, int high), (comm, high))
MAKES_COMM(Cart_create, CART_CREATE, 0, (MPI_Comm comm, int n, CONST int *dims, CONST int *periods, int reorder),
           (comm, n, dims, periods, reorder))
MAKES_COMM(Cart_sub, CART_SUB, 0, (MPI_Comm comm, CONST int *keep), (comm, keep))
MAKES_COMM(Graph_create, GRAPH_CREATE, 0, (MPI_Comm comm, int n, CONST int *index, CONST int *edges, int reorder),
           (comm, n, index, edges, reorder))
MAKES_COMM(Dist_graph_create, DIST_GRAPH_CREATE, BY_DIST_GRAPH,
           (MPI_Comm comm, int n, CONST int *from, CONST int *degrees, CONST int *to, CONST int *weights, MPI_Info info, int reorder),
           (comm, n, from, degrees, to, weights, info, reorder))
MAKES_COMM(Dist_graph_create_adjacent, DIST_GRAPH_CREATE, BY_DIST_GRAPH_ADJACENT,
           (MPI_Comm comm, int in, CONST int *from, CONST int *from_weights, int out, CONST int *to, CONST int *to_weights, MPI_Info info,
            int reorder),
           (comm, in, from, from_weights, out, to, to_weights, info, reorder))
#if MPI_VERSION >= 3
MAKES_COMM(Comm_dup_with_info, COMM, COMM_DUP_WITH_INFO, (MPI_Comm comm, MPI_Info info), (comm, info))
MAKES_COMM(Comm_create_group, COMM, COMM_CREATE_GROUP, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
#endif
HIDDEN void split_event(struct thread *t, int which, MPI_Comm comm, MPI_Comm made, int color, int key) {
    struct event *e = comm_event(t, COMM, which, comm, made);
    e->mask |= BIT(PEER) | BIT(PEER2);
    e->field[PEER] = color == MPI_UNDEFINED ? -1 : color;
    e->field[PEER2] = key;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
    ENTER;
    int rc = PMPI(Comm_split)(comm, color, key, made);
    LEAVE(if (!rc) split_event(t, COMM_SPLIT, comm, *made, color, key));
    return rc;
}
#if MPI_VERSION >= 3
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
    ENTER;
    int rc = PMPI(Comm_split_type)(comm, type, key, info, made);
    LEAVE(if (!rc) split_event(t, COMM_SPLIT_TYPE, comm, *made, 0, key));
    return rc;
}
#endif
int MPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *made) {
    ENTER;
    int rc = PMPI(Intercomm_create)(comm, leader, peer, other, tag, made);
    LEAVE(if (!rc) comm_event(t, INTERCOMM_CREATE, 0, comm, *made));
    return rc;
}
HIDDEN void comm_end(struct thread *t, int which, uint32_t id, uintptr_t handle) {
    struct event *e = event_new(t, COMM, COLLECTIVE, id, BIT(EXTRA));
    e->field[EXTRA] = which;
    comm_drop(handle);
}
#define ENDS_COMM(name, which)                                                  \
    int MPI_##name(MPI_Comm *comm) {                                            \
        ENTER;                                                                  \
        uintptr_t old = (uintptr_t)*comm;                                       \
        uint32_t id = t ? comm_of(t, *comm) : 0;                                \
        int rc = PMPI(name)(comm);                                              \
        LEAVE(if (!rc) comm_end(t, which, id, old));                            \
        return rc;                                                              \
    }
ENDS_COMM(Comm_free, COMM_FREE)
ENDS_COMM(Comm_disconnect, COMM_DISCONNECT)

/* Processes that are started by the program are not recorded; that there are some is told. */
int MPI_Comm_spawn(CONST char *command, char *argv[], int n, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made, int errors[]) {
    ending.dynamic = 1;
    return PMPI(Comm_spawn)(command, argv, n, info, root, comm, made, errors);
}

/* A freed type's handle may be given to another one. */
int MPI_Type_free(MPI_Datatype *type) {
    int rc = PMPI(Type_free)(type);
    __atomic_fetch_add(&type_generation, 1, __ATOMIC_RELEASE);
    return rc;
}
