/* Folding while running: a queue of nodes, each the leaf of a call or a loop, in which repeated sequences become loops
 * as they appear. */
enum { PEER, PEER2, SIZE, TAG, ROOT, COUNT, REQS, EXTRA, FIELDS };
enum { ANY = 1, NONBLOCKING = 2, PERSISTENT = 4, SYNC = 8, PARTITIONED = 16, POLLED = 32, COLLECTIVE = 64, IRREGULAR = 128 };

struct node {
    uint64_t shape;
    uint32_t tail; /* of the shape of the last leaf in it: nodes that differ in it cannot be alike */
    uint16_t loop, call;
    uint32_t flags, site, comm;
    uint32_t mask, streams; /* a leaf's fields, and how many they are */
    struct sample only;     /* of a leaf that was executed once */
    struct statistics *statistics;
    struct node **body; /* a loop's */
    uint32_t length, cap;
    uint64_t last, total; /* count of the last execution, which may grow; counts of all */
    struct stream counts; /* of the executions before the last */
    struct stream *stream;
};

struct queue {
    struct node **nodes;
    uint32_t *tails;
    uint32_t length, cap, longest;
    uint64_t events;
    int profile; /* over the limit: a leaf for each site and call, in no order */
};

HIDDEN uint64_t loop_shape(const struct node *l) {
    uint64_t h = 0x6c6f6f70;
    for (uint32_t i = 0; i < l->length; i++)
        h = mix(h, l->body[i]->shape);
    return h;
}

/* Of a leaf, of the fields in `mask`; `shaped` is what else belongs to its shape: numbers of requests and of blocks. */
HIDDEN struct node *leaf_new(unsigned call, unsigned flags, uint32_t site, uint32_t comm, unsigned mask, uint64_t shaped) {
    struct node *n = take(sizeof *n);
    if (!n)
        return 0;
    n->call = (uint16_t)call;
    n->flags = flags;
    n->site = site;
    n->comm = comm;
    n->mask = mask;
    n->streams = (uint32_t)__builtin_popcount(mask);
    n->stream = n->streams ? take(n->streams * sizeof *n->stream) : 0;
    if (n->streams && !n->stream)
        n->mask = n->streams = 0;
    n->shape = mix(mix(mix(call | (uint64_t)flags << 16, site), comm), shaped | (uint64_t)mask << 56);
    n->tail = (uint32_t)n->shape;
    return n;
}

HIDDEN void node_free(struct node *n) {
    for (uint32_t i = 0; i < n->length; i++)
        node_free(n->body[i]);
    give(n->body, n->cap * sizeof *n->body);
    for (uint32_t i = 0; i < n->streams; i++)
        stream_free(&n->stream[i]);
    give(n->stream, n->streams * sizeof *n->stream);
    give(n->statistics, sizeof *n->statistics);
    stream_free(&n->counts);
    give(n, sizeof *n);
}

HIDDEN int own_statistics(struct node *n) {
    if (n->statistics)
        return 1;
    n->statistics = take(sizeof *n->statistics);
    if (!n->statistics)
        return 0;
    statistics_add(n->statistics, &n->only);
    return 1;
}

/* The executions of `from`, a node of the same shape, come after those of `to`. */
HIDDEN void node_join(struct node *to, struct node *from) {
    if (to->loop) {
        stream_push(&to->counts, (int64_t)to->last);
        if (from->counts.n)
            stream_join(&to->counts, &from->counts);
        to->last = from->last;
        to->total += from->total;
        for (uint32_t i = 0; i < to->length; i++)
            node_join(to->body[i], from->body[i]);
        from->length = 0;
    } else {
        for (uint32_t i = 0; i < to->streams; i++)
            stream_join(&to->stream[i], &from->stream[i]);
        if (own_statistics(to)) {
            if (from->statistics)
                statistics_join(to->statistics, from->statistics);
            else
                statistics_add(to->statistics, &from->only);
        }
    }
    node_free(from);
}

HIDDEN int same_shapes(struct node *const *a, struct node *const *b, uint32_t w) {
    while (w--)
        if (a[w]->shape != b[w]->shape)
            return 0;
    return 1;
}

/* The last w nodes of the queue go into the body of a loop, as one more execution. */
HIDDEN void extend(struct queue *q, struct node *l, uint32_t w) {
    for (uint32_t i = 0; i < w; i++)
        node_join(l->body[i], q->nodes[q->length - w + i]);
    l->last++;
    l->total++;
    q->length -= w;
}

/* The last w nodes of the body of `l` become a loop of their own, executed once each time. */
HIDDEN struct node *promote(struct node *l, uint32_t w) {
    struct node *inner = take(sizeof *inner);
    struct node **body = take(w * sizeof *body);
    if (!inner || !body) {
        give(inner, sizeof *inner);
        give(body, w * sizeof *body);
        return 0;
    }
    memcpy(body, l->body + l->length - w, w * sizeof *body);
    inner->loop = 1;
    inner->body = body;
    inner->length = inner->cap = w;
    inner->last = 1;
    inner->total = l->total;
    if (l->total > 1)
        stream_fill(&inner->counts, 1, l->total - 1);
    inner->tail = body[w - 1]->tail;
    inner->shape = loop_shape(inner);
    l->length -= w - 1;
    l->body[l->length - 1] = inner;
    return inner;
}

/* Shapes of the loops from `top` down to the one that changed. */
HIDDEN void reshape(struct node *top) {
    struct node *path[64];
    int n = 0;
    for (struct node *l = top; l->loop && n < 64; l = l->body[l->length - 1])
        path[n++] = l;
    while (n--)
        path[n]->shape = loop_shape(path[n]);
}

/* Whether the last w nodes continue the loop before them, or repeat the w nodes before them. */
HIDDEN int fold_at(struct queue *q, uint32_t w) {
    struct node **t = q->nodes + q->length - w;
    struct node *top = t[-1];
    int depth = 0;
    for (struct node *l = top; l->loop && depth < 60; l = l->body[l->length - 1], depth++) {
        if (l->length == w) {
            if (same_shapes(l->body, t, w)) {
                extend(q, l, w);
                return 1;
            }
        } else if (l->length > w && !l->body[l->length - 1]->loop && same_shapes(l->body + l->length - w, t, w)) {
            struct node *inner = promote(l, w);
            if (!inner)
                return 0;
            extend(q, inner, w);
            reshape(top);
            return 1;
        }
    }
    if (q->length < 2 * w || !same_shapes(t - w, t, w))
        return 0;
    struct node *l = take(sizeof *l);
    struct node **body = take(w * sizeof *body);
    if (!l || !body) {
        give(l, sizeof *l);
        give(body, w * sizeof *body);
        return 0;
    }
    memcpy(body, t - w, w * sizeof *body);
    l->loop = 1;
    l->body = body;
    l->length = l->cap = w;
    l->last = l->total = 1;
    l->tail = body[w - 1]->tail;
    l->shape = loop_shape(l);
    extend(q, l, w);
    q->length -= w - 1;
    q->nodes[q->length - 1] = l;
    q->tails[q->length - 1] = l->tail;
    return 1;
}

HIDDEN void fold(struct queue *q, uint32_t window) {
again:
    for (uint32_t w = 1; w <= window && w < q->length; w++)
        if (q->tails[q->length - 1 - w] == q->tails[q->length - 1] && fold_at(q, w))
            goto again;
}

HIDDEN void to_profile(struct queue *q);

/* Appends a leaf and folds what can be folded. */
HIDDEN void queue_push(struct queue *q, struct node *leaf, uint32_t window, uint64_t limit) {
    if (!leaf)
        return;
    q->events++;
    if (UNLIKELY(q->profile)) {
        for (uint32_t i = 0; i < q->length; i++)
            if (q->nodes[i]->shape == leaf->shape) {
                node_join(q->nodes[i], leaf);
                return;
            }
    }
    if (q->length == q->cap) {
        uint32_t cap = q->cap;
        struct node **nodes = widen(q->nodes, sizeof *nodes, &cap, 64);
        if (nodes)
            q->nodes = nodes;
        uint32_t *tails = nodes ? widen(q->tails, sizeof *tails, &q->cap, 64) : 0;
        if (!tails) {
            node_free(leaf);
            return;
        }
        q->tails = tails;
    }
    q->nodes[q->length] = leaf;
    q->tails[q->length++] = leaf->tail;
    if (q->profile) {
        for (uint32_t i = 0; i < leaf->streams; i++)
            stream_to_sketch(&leaf->stream[i]);
        return;
    }
    fold(q, window);
    if (q->length > q->longest)
        q->longest = q->length;
    if (UNLIKELY(__atomic_load_n(&memory_used, __ATOMIC_RELAXED) > limit))
        to_profile(q);
}

HIDDEN void profile_node(struct queue *q, struct node *n) {
    if (n->loop) {
        uint32_t length = n->length;
        n->length = 0;
        for (uint32_t i = 0; i < length; i++)
            profile_node(q, n->body[i]);
        node_free(n);
        return;
    }
    for (uint32_t i = 0; i < n->streams; i++)
        stream_to_sketch(&n->stream[i]);
    q->events -= 1;
    queue_push(q, n, 0, UINT64_MAX);
}

/* Gives the order up: what is left are counts and sums for each site and call. */
HIDDEN void to_profile(struct queue *q) {
    struct node **old = q->nodes;
    uint32_t length = q->length, cap = q->cap;
    q->profile = 1;
    q->nodes = 0;
    give(q->tails, cap * sizeof *q->tails);
    q->tails = 0;
    q->length = q->cap = 0;
    for (uint32_t i = 0; i < length; i++)
        profile_node(q, old[i]);
    give(old, cap * sizeof *old);
}

/* At the end: the last counts join the others. */
HIDDEN void node_close(struct node *n) {
    if (!n->loop)
        return;
    stream_push(&n->counts, (int64_t)n->last);
    n->last = 0;
    for (uint32_t i = 0; i < n->length; i++)
        node_close(n->body[i]);
}
