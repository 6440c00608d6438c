/* Streams and folding without MPI: prints what `folding.rs` expects. */
#include "../c/base.c"
#include "../c/stream.c"
#include "../c/stat.c"
#include "../c/fold.c"

static void print_terms(const struct term *t, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            printf(" ");
        if (t[i].kind == REPEAT) {
            printf("%llux[", (unsigned long long)t[i].nest[0].count);
            print_terms(t[i].body, t[i].width);
            printf("]");
            continue;
        }
        printf("%lld", (long long)t[i].base);
        for (uint32_t k = 0; k < t[i].kind; k++)
            printf("{%llux%lld}", (unsigned long long)t[i].nest[k].count, (long long)t[i].nest[k].stride);
    }
}

static void stream(const char *name, const int64_t *values, int n, int times) {
    struct stream s = {0};
    for (int i = 0; i < times; i++)
        for (int k = 0; k < n; k++)
            stream_push(&s, values[k]);
    printf("%s: ", name);
    print_terms(s.terms, s.count);
    printf("\n");
    stream_free(&s);
}

static struct queue q;
/* The first events that were pushed, to be compared with what the tree expands to. */
static struct { int call; int64_t peer; } events[400000];
static uint32_t pushed, expanded, wrong;

static void event(int call, int64_t peer, int64_t size, int64_t tag, int fields) {
    struct node *leaf = leaf_new((unsigned)call, 0, 0, 0, (1u << fields) - 1, 0);
    int64_t values[] = {peer, size, tag};
    for (int i = 0; i < fields; i++)
        stream_push(&leaf->stream[i], values[i]);
    events[pushed].call = call;
    events[pushed++].peer = fields ? peer : 0;
    queue_push(&q, leaf, 256, UINT64_MAX);
}

static uint32_t term_count(const struct term *t, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += t[i].kind == REPEAT ? term_count(t[i].body, t[i].width) : 1;
    return sum;
}
static uint32_t terms_of(const struct stream *s) { return s->terms ? term_count(s->terms, s->count) : s->n != 0; }
static void count(const struct node *n, uint32_t *nodes, uint32_t *terms) {
    ++*nodes;
    *terms += n->loop ? terms_of(&n->counts) : 0;
    for (uint32_t i = 0; i < n->streams; i++)
        *terms += terms_of(&n->stream[i]);
    for (uint32_t i = 0; i < n->length; i++)
        count(n->body[i], nodes, terms);
}

/* The values of a stream one after another. */
struct reader { int64_t *value; uint64_t at, n; };
static void take_value(void *to, int64_t value, uint64_t times) {
    struct reader *r = to;
    while (times--)
        r->value[r->n++] = value;
}
static struct reader readers[65536];
static const struct stream *owner[65536];
static int reader_count;
static int64_t next_value(const struct stream *s) {
    int i = 0;
    while (i < reader_count && owner[i] != s)
        i++;
    if (i == reader_count) {
        owner[reader_count++] = s;
        readers[i].value = calloc(s->n, sizeof(int64_t));
        if (s->terms)
            walk_terms(s->terms, s->count, take_value, &readers[i]);
        else
            take_value(&readers[i], s->first, 1);
    }
    return readers[i].value[readers[i].at++];
}
static void expand(const struct node *n) {
    if (!n->loop) {
        int64_t peer = n->streams ? next_value(&n->stream[0]) : 0;
        wrong += events[expanded].call != n->call || events[expanded].peer != peer;
        expanded++;
        return;
    }
    for (int64_t k = next_value(&n->counts); k > 0; k--)
        for (uint32_t i = 0; i < n->length; i++)
            expand(n->body[i]);
}

static void report(const char *name) {
    uint32_t nodes = 0, terms = 0;
    for (uint32_t i = 0; i < q.length; i++) {
        node_close(q.nodes[i]);
        count(q.nodes[i], &nodes, &terms);
    }
    expanded = wrong = 0;
    for (uint32_t i = 0; i < q.length; i++)
        expand(q.nodes[i]);
    printf("%s: %u events, %u nodes, %u terms, longest %u, expanded %u, wrong %u\n", name, pushed, nodes, terms, q.longest, expanded, wrong);
    for (uint32_t i = 0; i < q.length; i++)
        node_free(q.nodes[i]);
    for (int i = 0; i < reader_count; i++)
        free(readers[i].value);
    memset(readers, 0, sizeof readers);
    reader_count = 0;
    q.length = q.longest = pushed = 0;
}

static void heat(int iterations) {
    int64_t peers[] = {22, 20, 25, 17, 37, 5};
    for (int i = 1; i <= iterations; i++) {
        for (int k = 0; k < 6; k++)
            event(10, peers[k], 8192, k ^ 1, 3);
        for (int k = 0; k < 6; k++)
            event(1, peers[k], 8192, k, 3);
        event(21, 12, 0, 0, 1);
        if (i % 10 == 0)
            event(52, 8, 0, 0, 1);
    }
    event(97, 0, 0, 0, 0);
}

int main(void) {
    stream("tens", (int64_t[]){1, 2, 3, 10, 20, 30}, 6, 2);
    stream("peers", (int64_t[]){22, 20, 25, 17, 37, 5}, 6, 20);
    stream("constant", (int64_t[]){7}, 1, 1000);
    heat(200);
    report("heat 200");
    heat(20000);
    report("heat 20000");
    for (int i = 0; i < 64; i++) {
        for (int k = 0; k < 64; k++)
            event(52, 16, 0, 0, 1);
        for (int k = 0; k < 2; k++)
            event(41, 65536 - 1024 * i, 0, 0, 2);
        for (int k = 0; k < 3; k++)
            event(13, 3, 65536 - 1024 * i, 0, 3);
    }
    event(97, 0, 0, 0, 0);
    report("panels");
    for (int i = 0; i < 500; i++)
        for (int bit = 1; bit < 64; bit *= 2)
            event(13, 21 ^ bit, 21 ^ bit, 0, 2);
    report("butterfly");
    /* Trips that vary, and a fold that was made too early. */
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 1 + i * i % 7; k++)
            event(1, k, 0, 0, 1);
        event(52, i, 0, 0, 1);
        if (i % 3 == 0)
            event(1, -1, 0, 0, 1);
    }
    report("varying");
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = mix(random, (uint64_t)i);
        event(1 + (int)(random % 3), (int64_t)(random >> 8) % 4, 0, 0, 1);
    }
    report("random");
    printf("bins: %u %u %u %u %u\n", bin_of(64), bin_of(75), bin_of(77), bin_of(129), bin_of(1000000000));
    struct sketch many = {0};
    for (int i = 0; i < 1000; i++)
        sketch_add(&many, i % 10 == 0 ? 5 : i, 1);
    printf("sketch: %llu values %lld..%lld sum %lld, %u kinds\n", (unsigned long long)many.n, (long long)many.least, (long long)many.greatest,
           (long long)many.sum, many.kinds);
    return 0;
}
