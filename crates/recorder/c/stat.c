/* What is told of the executions of a call: the processor time of the block before it, its wall time, and the wall
 * time of the call. Times in nanoseconds. */
#define BINS 64
#define SEGMENTS 16

struct stat_sums {
    double sum, squares;
    uint64_t least, greatest;
};

struct statistics {
    uint64_t n;
    struct stat_sums block, wall, call;
    uint32_t bins[BINS];
    /* Means of equal numbers of executions, in order. */
    double segment[SEGMENTS];
    uint64_t segment_length, in_last;
    uint32_t segments;
};

struct sample {
    uint64_t block, wall, call;
};

/* Quarter octaves from 64 ns: bin 4k+j begins at 64 2^(k + j/4) ns. */
HIDDEN unsigned bin_of(uint64_t ns) {
    if (ns < 64)
        return 0;
    unsigned octave = 63 - (unsigned)__builtin_clzll(ns);
    /* The fraction in 1/65536, against 2^(1/4), 2^(1/2), 2^(3/4). */
    uint64_t part = octave > 16 ? ns >> (octave - 16) : ns << (16 - octave);
    unsigned bin = (octave - 6) * 4 + (part >= 77936) + (part >= 92682) + (part >= 110218);
    return bin < BINS ? bin : BINS - 1;
}

HIDDEN void sums_add(struct stat_sums *s, uint64_t v, int first) {
    s->sum += (double)v;
    s->squares += (double)v * (double)v;
    if (first || v < s->least)
        s->least = v;
    if (v > s->greatest)
        s->greatest = v;
}

HIDDEN void segment_add(struct statistics *s, double mean, uint64_t n) {
    if (!s->segment_length)
        s->segment_length = 1;
    while (n) {
        if (s->segments == 0 || s->in_last == s->segment_length) {
            if (s->segments == SEGMENTS) {
                for (uint32_t i = 0; i < SEGMENTS / 2; i++)
                    s->segment[i] = (s->segment[2 * i] + s->segment[2 * i + 1]) / 2;
                s->segments = SEGMENTS / 2;
                s->segment_length *= 2;
            }
            s->segment[s->segments++] = 0;
            s->in_last = 0;
        }
        uint64_t room = s->segment_length - s->in_last, now = n < room ? n : room;
        double *m = &s->segment[s->segments - 1];
        *m += (mean - *m) * (double)now / (double)(s->in_last + now);
        s->in_last += now;
        n -= now;
    }
}

HIDDEN void statistics_add(struct statistics *s, const struct sample *x) {
    int first = s->n++ == 0;
    sums_add(&s->block, x->block, first);
    sums_add(&s->wall, x->wall, first);
    sums_add(&s->call, x->call, first);
    s->bins[bin_of(x->block)]++;
    segment_add(s, (double)x->block, 1);
}

HIDDEN void sums_join(struct stat_sums *to, const struct stat_sums *from) {
    to->sum += from->sum;
    to->squares += from->squares;
    if (from->least < to->least)
        to->least = from->least;
    if (from->greatest > to->greatest)
        to->greatest = from->greatest;
}

HIDDEN void statistics_join(struct statistics *to, const struct statistics *from) {
    to->n += from->n;
    sums_join(&to->block, &from->block);
    sums_join(&to->wall, &from->wall);
    sums_join(&to->call, &from->call);
    for (int i = 0; i < BINS; i++)
        to->bins[i] += from->bins[i];
    for (uint32_t i = 0; i < from->segments; i++)
        segment_add(to, from->segment[i], i + 1 < from->segments ? from->segment_length : from->in_last);
}
