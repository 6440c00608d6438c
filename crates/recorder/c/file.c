/* The recording of one rank as a file. A section is written twice: first its bytes are counted, then they are written
 * with their checksum. No memory is asked for, so that it can be done in a signal handler. */
struct out {
    int file, counting, failed;
    uint64_t bytes, total;
    uint32_t crc, at;
    uint8_t buffer[32768];
};
static struct out out_; /* one writer at a time: see snapshot() */
static uint32_t crc_table[256];

/* CRC-32C (Castagnoli), reflected: 0x82f63b78. */
HIDDEN void crc_prepare(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0x82f63b78u : c >> 1;
        crc_table[i] = c;
    }
}

HIDDEN void out_flush(struct out *o) {
    uint32_t done = 0;
    while (done < o->at && !o->failed) {
        ssize_t n = write(o->file, o->buffer + done, o->at - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            o->failed = 1;
        else
            done += (uint32_t)n;
    }
    o->at = 0;
}

HIDDEN void put(struct out *o, const void *data, size_t n) {
    const uint8_t *d = data;
    o->bytes += n;
    if (o->counting)
        return;
    for (size_t i = 0; i < n; i++) {
        o->crc = o->crc >> 8 ^ crc_table[(o->crc ^ d[i]) & 255];
        o->buffer[o->at++] = d[i];
        if (o->at == sizeof o->buffer)
            out_flush(o);
    }
}
HIDDEN void put_fixed(struct out *o, uint64_t v, int bytes) {
    uint8_t b[8];
    for (int i = 0; i < bytes; i++)
        b[i] = (uint8_t)(v >> 8 * i);
    put(o, b, (size_t)bytes);
}
/* LEB128; signed numbers as zigzag. */
HIDDEN void put_u(struct out *o, uint64_t v) {
    uint8_t b[10];
    int n = 0;
    do {
        b[n] = (uint8_t)(v & 127);
        v >>= 7;
        if (v)
            b[n] |= 128;
        n++;
    } while (v);
    put(o, b, (size_t)n);
}
HIDDEN void put_s(struct out *o, int64_t v) { put_u(o, (uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }
HIDDEN void put_f(struct out *o, double v) {
    uint64_t bits;
    memcpy(&bits, &v, 8);
    put_fixed(o, bits, 8);
}
HIDDEN void put_text(struct out *o, const char *s) { put(o, s, strlen(s)); }

HIDDEN void put_terms(struct out *o, const struct term *t, uint32_t n) {
    for (uint32_t i = 0; i < n; i++, t++) {
        put_u(o, t->kind);
        if (t->kind == REPEAT) {
            put_u(o, t->nest[0].count);
            put_u(o, t->width);
            put_terms(o, t->body, t->width);
            continue;
        }
        put_s(o, t->base);
        for (uint32_t k = 0; k < t->kind; k++) {
            put_u(o, t->nest[k].count);
            put_s(o, t->nest[k].stride);
        }
    }
}
/* With one value more at the end, if `more`: the count of a loop that may still grow. */
HIDDEN void put_stream(struct out *o, const struct stream *s, int more, int64_t value) {
    if (s->sketch) {
        const struct sketch *k = s->sketch;
        put_u(o, 1);
        put_u(o, 5);
        put_u(o, k->n);
        put_s(o, k->least);
        put_s(o, k->greatest);
        put_s(o, k->sum);
        put_u(o, k->kinds);
        for (uint32_t i = 0; i < k->kinds; i++) {
            put_s(o, k->common[i].value);
            put_u(o, k->common[i].n);
        }
        return;
    }
    uint32_t terms = s->terms ? s->count : s->n ? 1 : 0;
    put_u(o, terms + (uint32_t)more);
    if (s->terms)
        put_terms(o, s->terms, s->count);
    else if (s->n) {
        put_u(o, 0);
        put_s(o, s->first);
    }
    if (more) {
        put_u(o, 0);
        put_s(o, value);
    }
}

HIDDEN void put_node(struct out *o, const struct node *n) {
    put_u(o, n->loop ? 2 : 1);
    if (n->loop) {
        put_stream(o, &n->counts, n->last != 0, (int64_t)n->last);
        put_u(o, n->length);
        for (uint32_t i = 0; i < n->length; i++)
            put_node(o, n->body[i]);
        return;
    }
    unsigned flags = n->flags;
    for (uint32_t i = 0; i < n->streams; i++)
        if (n->stream[i].sketch)
            flags |= IRREGULAR;
    put_u(o, n->call);
    put_u(o, flags);
    put_u(o, n->site);
    put_u(o, n->comm);
    put_u(o, n->mask);
    for (uint32_t i = 0; i < n->streams; i++)
        put_stream(o, &n->stream[i], 0, 0);
}

HIDDEN void put_programs(struct out *o) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < thread_count; i++)
        n += threads[i] != 0;
    put_u(o, n);
    for (uint32_t i = 0; i < thread_count; i++) {
        if (!threads[i])
            continue;
        put_u(o, 1);
        put_u(o, 0);
        put_s(o, world_rank);
        put_u(o, i);
        put_u(o, threads[i]->queue.length);
        for (uint32_t k = 0; k < threads[i]->queue.length; k++)
            put_node(o, threads[i]->queue.nodes[k]);
    }
}

HIDDEN void put_modules(struct out *o) {
    put_u(o, module_count);
    for (uint32_t i = 0; i < module_count; i++) {
        put_u(o, strlen(modules[i].path));
        put_text(o, modules[i].path);
        put_u(o, modules[i].id_length);
        put(o, modules[i].id, modules[i].id_length);
    }
}
HIDDEN void put_sites(struct out *o) {
    put_u(o, site_count);
    for (uint32_t i = 0; i < site_count; i++) {
        put_u(o, sites[i].depth);
        for (uint32_t k = 0; k < sites[i].depth; k++) {
            put_u(o, sites[i].module[k]);
            put_u(o, sites[i].offset[k]);
        }
    }
}
HIDDEN void put_comms(struct out *o) {
    put_u(o, comm_count);
    for (uint32_t i = 0; i < comm_count; i++) {
        const struct comm *c = &comms[i];
        put_u(o, c->parent);
        put_u(o, c->kind);
        put_stream(o, &c->members, 0, 0);
        put_u(o, c->dims);
        for (uint32_t k = 0; k < c->dims; k++) {
            put_u(o, c->dim[k]);
            put_u(o, c->periodic[k]);
        }
    }
}

typedef void (*writer)(struct out *);
HIDDEN void put_section(struct out *o, const char *tag, writer body) {
    o->counting = 1;
    o->bytes = 0;
    body(o);
    uint64_t n = o->bytes;
    o->counting = 0;
    o->crc = ~0u;
    put(o, tag, 4);
    put_fixed(o, 0, 4);
    put_fixed(o, n, 8);
    put_fixed(o, n, 8);
    body(o);
    put_fixed(o, ~o->crc, 4);
    o->total += n + 28;
}

HIDDEN void put_end(struct out *o) { put_fixed(o, o->total, 8); }
HIDDEN void put_meta(struct out *o);
HIDDEN void put_statistics(struct out *o);

HIDDEN int write_file(const char *path, int partial, int profile) {
    struct out *o = &out_;
    o->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->file < 0)
        return 0;
    o->failed = o->counting = 0;
    o->at = 0;
    o->crc = ~0u;
    put(o, "RUNCREC1", 8);
    put_fixed(o, 1, 2);
    put_fixed(o, (uint64_t)(partial | profile << 2), 2);
    put_fixed(o, 1, 4);
    put_fixed(o, (uint64_t)world_rank, 4);
    put_fixed(o, (uint64_t)world_size, 4);
    put_fixed(o, 0, 4);
    put_fixed(o, ~o->crc, 4);
    o->total = 32;
    put_section(o, "META", put_meta);
    put_section(o, "MODS", put_modules);
    put_section(o, "SITE", put_sites);
    put_section(o, "COMM", put_comms);
    put_section(o, "PROG", put_programs);
    put_section(o, "STAT", put_statistics);
    put_section(o, "END ", put_end);
    out_flush(o);
    return close(o->file) == 0 && !o->failed;
}
