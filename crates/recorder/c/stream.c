/* A stream: integers in order, as few terms. A term is a base with a nest of up to three (count, stride), inner first,
 * or a repeat of several terms. What needs more than MOST_TERMS is kept as a sketch. */
#define MOST_TERMS 4096
#define REPEAT_WIDTH 32
#define REPEAT 4
#define COMMON 16

struct term {
    uint32_t kind;  /* 0..3: depth of the nest; REPEAT */
    uint32_t width; /* of a repeat: terms of its body */
    int64_t base;
    struct {
        uint64_t count;
        int64_t stride;
    } nest[3]; /* a repeat has its count in nest[0] */
    struct term *body;
};

struct sketch {
    uint64_t n;
    int64_t least, greatest, sum;
    uint32_t kinds;
    struct {
        int64_t value;
        uint64_t n;
    } common[COMMON];
};

struct stream {
    uint64_t n;    /* values in all */
    int64_t first; /* the only one, while n is 1: most streams never hold more, and need no memory */
    struct term *terms;
    uint32_t count, cap;
    struct sketch *sketch;
};

HIDDEN int same_term(const struct term *a, const struct term *b) {
    if (a->kind != b->kind)
        return 0;
    if (a->kind == REPEAT) {
        if (a->width != b->width || a->nest[0].count != b->nest[0].count)
            return 0;
        for (uint32_t i = 0; i < a->width; i++)
            if (!same_term(&a->body[i], &b->body[i]))
                return 0;
        return 1;
    }
    return a->base == b->base && !memcmp(a->nest, b->nest, a->kind * sizeof a->nest[0]);
}

HIDDEN void forget_terms(struct term *terms, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (terms[i].kind == REPEAT) {
            forget_terms(terms[i].body, terms[i].width);
            give(terms[i].body, terms[i].width * sizeof(struct term));
            terms[i].body = 0;
        }
}

HIDDEN void stream_free(struct stream *s) {
    forget_terms(s->terms, s->count);
    give(s->terms, s->cap * sizeof(struct term));
    give(s->sketch, sizeof *s->sketch);
    memset(s, 0, sizeof *s);
}

/* Of the values that are counted, the rarest gives way (Metwally et al., ICDT 2005). */
HIDDEN void sketch_add(struct sketch *k, int64_t value, uint64_t times) {
    if (!k->n || value < k->least)
        k->least = value;
    if (!k->n || value > k->greatest)
        k->greatest = value;
    k->n += times;
    k->sum = (int64_t)((uint64_t)k->sum + (uint64_t)value * times);
    uint32_t rarest = 0;
    for (uint32_t i = 0; i < k->kinds; i++) {
        if (k->common[i].value == value) {
            k->common[i].n += times;
            return;
        }
        if (k->common[i].n < k->common[rarest].n)
            rarest = i;
    }
    if (k->kinds < COMMON)
        rarest = k->kinds++;
    k->common[rarest].value = value;
    k->common[rarest].n += times;
}

/* Calls `each` with every value and how often it comes in a row, in order. */
typedef void (*each_value)(void *to, int64_t value, uint64_t times);
HIDDEN void walk_nest(const struct term *t, int level, int64_t base, each_value each, void *to) {
    if (level < 0) {
        each(to, base, 1);
        return;
    }
    if (level == 0 && t->nest[0].stride == 0) {
        each(to, base, t->nest[0].count);
        return;
    }
    for (uint64_t i = 0; i < t->nest[level].count; i++)
        walk_nest(t, level - 1, (int64_t)((uint64_t)base + i * (uint64_t)t->nest[level].stride), each, to);
}
HIDDEN void walk_terms(const struct term *terms, uint32_t n, each_value each, void *to) {
    for (uint32_t i = 0; i < n; i++) {
        if (terms[i].kind == REPEAT)
            for (uint64_t k = 0; k < terms[i].nest[0].count; k++)
                walk_terms(terms[i].body, terms[i].width, each, to);
        else
            walk_nest(&terms[i], (int)terms[i].kind - 1, terms[i].base, each, to);
    }
}

HIDDEN void into_sketch(void *to, int64_t value, uint64_t times) { sketch_add(to, value, times); }

HIDDEN void stream_to_sketch(struct stream *s) {
    if (s->sketch || !s->n)
        return;
    struct sketch *k = take(sizeof *k);
    if (!k)
        return;
    if (s->n == 1)
        sketch_add(k, s->first, 1);
    else
        walk_terms(s->terms, s->count, into_sketch, k);
    forget_terms(s->terms, s->count);
    give(s->terms, s->cap * sizeof(struct term));
    s->terms = 0;
    s->count = s->cap = 0;
    s->sketch = k;
}

HIDDEN int same_nest(const struct term *a, const struct term *b, uint32_t depth) {
    return !memcmp(a->nest, b->nest, depth * sizeof a->nest[0]);
}

/* The last w terms go on with the repeat before them, or are the second time of the w before them. */
HIDDEN int fold_terms(struct stream *s, uint32_t w) {
    struct term *t = s->terms, *last = &t[s->count - 1];
    if (s->count > w && t[s->count - 1 - w].kind == REPEAT && t[s->count - 1 - w].width == w) {
        struct term *r = &t[s->count - 1 - w];
        uint32_t i = w;
        while (i > 0 && same_term(&r->body[i - 1], &t[s->count - w + i - 1]))
            i--;
        if (i == 0) {
            forget_terms(t + s->count - w, w);
            s->count -= w;
            r->nest[0].count++;
            return 1;
        }
    }
    if (s->count < 2 * w || !same_term(last, last - w))
        return 0;
    struct term *second = &t[s->count - w], *one = second - w;
    for (uint32_t i = 0; i + 1 < w; i++)
        if (!same_term(&one[i], &second[i]))
            return 0;
    struct term *body = take(w * sizeof *body);
    if (!body)
        return 0;
    memcpy(body, one, w * sizeof *body);
    forget_terms(second, w);
    memset(one, 0, sizeof *one);
    one->kind = REPEAT;
    one->width = w;
    one->nest[0].count = 2;
    one->body = body;
    s->count -= 2 * w - 1;
    return 1;
}

HIDDEN void reduce_terms(struct stream *s) {
again:
    if (s->count < 2)
        return;
    struct term *b = &s->terms[s->count - 1], *a = b - 1;
    if (a->kind != REPEAT && b->kind != REPEAT) {
        if (a->kind == b->kind + 1 && same_nest(a, b, b->kind)) {
            uint64_t next = (uint64_t)a->base + a->nest[b->kind].count * (uint64_t)a->nest[b->kind].stride;
            if ((uint64_t)b->base == next) {
                a->nest[b->kind].count++;
                s->count--;
                goto again;
            }
        }
        if (a->kind == b->kind && a->kind < 3 && same_nest(a, b, a->kind)) {
            a->nest[a->kind].count = 2;
            a->nest[a->kind].stride = (int64_t)((uint64_t)b->base - (uint64_t)a->base);
            a->kind++;
            s->count--;
            goto again;
        }
    }
    for (uint32_t w = 1; w <= REPEAT_WIDTH && w < s->count; w++)
        if (fold_terms(s, w))
            goto again;
}

HIDDEN int stream_append(struct stream *s, int64_t base, uint64_t times) {
    if (s->count == s->cap) {
        struct term *wider = widen(s->terms, sizeof *wider, &s->cap, 2);
        if (!wider)
            return 0;
        s->terms = wider;
    }
    struct term *t = &s->terms[s->count++];
    memset(t, 0, sizeof *t);
    t->base = base;
    if (times > 1) {
        t->kind = 1;
        t->nest[0].count = times;
    }
    return 1;
}

HIDDEN void stream_push(struct stream *s, int64_t value) {
    if (s->sketch) {
        sketch_add(s->sketch, value, 1);
        s->n++;
        return;
    }
    if (s->n == 0) {
        s->first = value;
        s->n = 1;
        return;
    }
    if (!s->terms && !stream_append(s, s->first, 1))
        return;
    if (!stream_append(s, value, 1))
        return;
    s->n++;
    reduce_terms(s);
    if (UNLIKELY(s->count > MOST_TERMS))
        stream_to_sketch(s);
}

/* The same value `times` times, into an empty stream. */
HIDDEN void stream_fill(struct stream *s, int64_t value, uint64_t times) {
    s->n = times;
    s->first = value;
    if (times > 1)
        stream_append(s, value, times);
}

HIDDEN void push_times(void *to, int64_t value, uint64_t times) {
    while (times--)
        stream_push(to, value);
}

/* Moves all values of `from` to the end of `to`. */
HIDDEN void stream_join(struct stream *to, struct stream *from) {
    if (from->sketch) {
        stream_to_sketch(to);
        if (!to->sketch && to->n == 0)
            to->sketch = take(sizeof *to->sketch);
        if (to->sketch) {
            struct sketch *a = to->sketch, *b = from->sketch;
            for (uint32_t i = 0; i < b->kinds; i++)
                sketch_add(a, b->common[i].value, b->common[i].n);
            a->n = to->n + b->n;
            a->least = b->least < a->least ? b->least : a->least;
            a->greatest = b->greatest > a->greatest ? b->greatest : a->greatest;
            to->n += from->n;
        }
    } else if (from->n == 1)
        stream_push(to, from->first);
    else
        walk_terms(from->terms, from->count, push_times, to);
    stream_free(from);
}
