/* What a recording says of its run, as JSON, and the statistics. */
static char meta_text[65536]; /* what is known at the start, made then: without the last brace */
static struct {
    int dynamic, finalized, aborted, abort_code, signal;
    uint64_t reference[2];
} ending;

HIDDEN void json_text(char *to, size_t room, const char *s) {
    size_t n = 0;
    for (; *s && n + 8 < room; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            to[n++] = '\\';
        if (c < 32 || c == 127)
            n += (size_t)snprintf(to + n, room - n, "\\u%04x", c);
        else
            to[n++] = (char)c;
    }
    to[n] = 0;
    /* Text that is not UTF-8 would make the whole unreadable. */
    for (unsigned char *p = (unsigned char *)to; *p;) {
        int more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p >= 0xe0 && *p < 0xf0 ? 2 : *p >= 0xf0 && *p < 0xf5 ? 3 : -1, good = more >= 0;
        for (int i = 1; good && i <= more; i++)
            good = (p[i] & 0xc0) == 0x80;
        if (good)
            p += more + 1;
        else
            *p++ = '?';
    }
}

HIDDEN void meta_add(const char *format, ...) {
    size_t at = strlen(meta_text);
    va_list list;
    va_start(list, format);
    vsnprintf(meta_text + at, sizeof meta_text - at - 1, format, list);
    va_end(list);
}

HIDDEN void meta_pair(const char *name, const char *value) {
    static char text[16384];
    json_text(text, sizeof text, value);
    meta_add("\"%s\":\"%s\",", name, text);
}

HIDDEN void meta_processor(void) {
    char line[512], *model = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && !model && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && (model = strchr(line, ':')))
            model[strcspn(model, "\n")] = 0;
    if (f)
        fclose(f);
    meta_pair("processor", model && model[1] ? model + 2 : "");
}

HIDDEN void meta_argv(void) {
    static char raw[16384], text[16384];
    int f = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = f >= 0 ? read(f, raw, sizeof raw - 1) : 0;
    if (f >= 0)
        close(f);
    raw[n > 0 ? n : 0] = 0;
    meta_add("\"argv\":[");
    for (char *p = raw; p < raw + n; p += strlen(p) + 1) {
        json_text(text, sizeof text, p);
        meta_add("%s\"%s\"", p == raw ? "" : ",", text);
    }
    meta_add("],");
}

HIDDEN void meta_start(void) {
    char path[4096], version[4096] = "";
    int n = 0;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    strcpy(meta_text, "{");
    meta_pair("program", path);
    meta_argv();
    meta_pair("cwd", getcwd(path, sizeof path) ? path : "");
    path[0] = 0;
    module_at((uintptr_t)&settings);
    for (uint32_t i = 0; module_count && i < modules[0].id_length; i++)
        snprintf(path + 2 * i, 3, "%02x", modules[0].id[i]);
    meta_pair("build_id", path);
#ifdef OPEN_MPI
    snprintf(path, sizeof path, "Open MPI");
#elif defined(MPICH_VERSION)
    snprintf(path, sizeof path, "MPICH");
#else
    snprintf(path, sizeof path, "MPI");
#endif
#if MPI_VERSION >= 3
    static char library[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    PMPI(Get_library_version)(library, &n);
    char *from = strstr(library, "Version:") ? strstr(library, "Version:") + 8 : strstr(library, " v") ? strstr(library, " v") + 2 : library;
    from += strspn(from, " \t");
    snprintf(version, sizeof version, "%.*s", (int)strcspn(from, "\n,"), from);
#endif
    meta_add("\"mpi\":{");
    meta_pair("name", path);
    meta_pair("version", version);
    meta_text[strlen(meta_text) - 1] = '}';
    path[0] = 0;
    gethostname(path, sizeof path - 1);
    meta_add(",\"p\":%d,\"rank\":%d,\"hosts\":[", world_size, world_rank);
    json_text(version, sizeof version, path);
    meta_add("\"%s\"],\"cores\":%ld,", version, sysconf(_SC_NPROCESSORS_ONLN));
    meta_processor();
    meta_add("\"start\":%lld,\"params\":{},\"set\":{},\"kappa_ns\":[%llu,%llu],\"kappa_s\":%.9f,\"limits\":{\"depth\":%u,\"window\":%u,\"limit_bytes\":%llu},",
             (long long)time(0), (unsigned long long)kappa[0], (unsigned long long)kappa[1], (double)kappa[0] * 1e-9, settings.depth,
             settings.window, (unsigned long long)settings.limit);
}

/* Numbers without the C library, which may not be used in a signal handler. */
HIDDEN void put_number(struct out *o, uint64_t v) {
    char b[24];
    int n = 24;
    do
        b[--n] = (char)('0' + v % 10);
    while (v /= 10);
    put(o, b + n, (size_t)(24 - n));
}
HIDDEN void put_seconds(struct out *o, uint64_t ns) {
    put_number(o, ns / 1000000000u);
    char b[10] = ".000000000";
    for (uint64_t k = 9, r = ns % 1000000000u; k > 0; k--, r /= 10)
        b[k] = (char)('0' + r % 10);
    put(o, b, 10);
}
HIDDEN void put_named(struct out *o, const char *name, uint64_t ns) {
    put_text(o, ",\"");
    put_text(o, name);
    put_text(o, "\":");
    put_seconds(o, ns);
}
HIDDEN void put_warning(struct out *o, int *any, int says, const char *code, const char *message) {
    if (!says)
        return;
    put_text(o, (*any)++ ? ",{\"code\":\"" : "{\"code\":\"");
    put_text(o, code);
    put_text(o, "\",\"message\":\"");
    put_text(o, message);
    put_text(o, "\"}");
}

HIDDEN void put_meta(struct out *o) {
    uint64_t events = 0, calls = 0, polling = 0, longest = 0;
    uint64_t instructions = 0, cycles = 0;
    int backwards = 0, many = 0, profile = 0, any = 0, counted = settings.counters;
    for (uint32_t i = 0; i < thread_count; i++) {
        struct thread *t = threads[i];
        if (!t)
            continue;
        events += t->queue.events;
        counted &= t->counters.file != 0;
        instructions += t->counters.sum[0];
        cycles += t->counters.sum[1];
        calls += t->calls_ns;
        polling += t->polling_ns;
        longest = t->queue.longest > longest ? t->queue.longest : longest;
        backwards |= t->clocks.backwards;
        profile |= t->queue.profile;
        many |= t->clocks.threads_sum > 1.2 * t->clocks.threads_weight;
    }
    put_text(o, meta_text);
    put_text(o, "\"events\":");
    put_number(o, events);
    if (counted) {
        put_text(o, ",\"instructions\":");
        put_number(o, instructions);
        put_text(o, ",\"cycles\":");
        put_number(o, cycles);
    }
    put_text(o, ",\"longest_queue\":");
    put_number(o, longest);
    put_named(o, "wall_s", ended_wall - started_wall);
    put_named(o, "calls_s", calls);
    put_named(o, "polling_s", polling);
    put_text(o, ",\"reference_s\":[");
    put_seconds(o, ending.reference[0]);
    if (ending.reference[1]) {
        put_text(o, ",");
        put_seconds(o, ending.reference[1]);
    }
    put_text(o, "],\"exit\":{\"code\":");
    if (ending.aborted)
        put_number(o, (uint64_t)(uint32_t)ending.abort_code);
    else
        put_text(o, ending.finalized ? "0" : "null");
    put_text(o, ",\"signal\":");
    if (ending.signal)
        put_number(o, (uint64_t)ending.signal);
    else
        put_text(o, "null");
    put_text(o, ending.aborted ? ",\"aborted\":true}" : ",\"aborted\":false}");
    put_text(o, ",\"warnings\":[");
    put_warning(o, &any, !counted, "no_counters", counters_reason());
    put_warning(o, &any, backwards, "clock_backwards", "the clock went back: blocks in which it did count as 0");
    put_warning(o, &any, many, "threads", "long blocks use more than one thread");
    put_warning(o, &any, profile, "profile", "the limit of memory was reached: the order of events is lost");
    put_warning(o, &any, ending.dynamic, "dynamic_processes", "the program starts processes, which are not recorded");
    put_warning(o, &any, memory_failed, "no_memory", "no memory was left: later events are missing");
    put_text(o, "]}");
}

/* Leaves in the order of the trees. */
struct column {
    struct out *o;
    void (*put)(struct out *, const struct statistics *);
};
HIDDEN void each_leaf(const struct node *n, const struct column *c) {
    for (uint32_t i = 0; i < n->length; i++)
        each_leaf(n->body[i], c);
    if (n->loop)
        return;
    if (n->statistics) {
        c->put(c->o, n->statistics);
        return;
    }
    static struct statistics one;
    memset(&one, 0, sizeof one);
    statistics_add(&one, &n->only);
    c->put(c->o, &one);
}
HIDDEN void put_column(struct out *o, void (*f)(struct out *, const struct statistics *)) {
    struct column c = {o, f};
    for (uint32_t i = 0; i < thread_count; i++)
        for (uint32_t k = 0; threads[i] && k < threads[i]->queue.length; k++)
            each_leaf(threads[i]->queue.nodes[k], &c);
}

/* A time in 1/1024 octaves: 0.07 %. */
HIDDEN void put_q(struct out *o, double ns) {
    double q = ns > 1 ? 1024 * log2(ns) + 0.5 : 0;
    put_fixed(o, q > 65535 ? 65535 : (uint64_t)q, 2);
}
HIDDEN void column_n(struct out *o, const struct statistics *s) { put_fixed(o, s->n, 8); }
HIDDEN void column_block(struct out *o, const struct statistics *s) { put_f(o, s->block.sum * 1e-9); }
HIDDEN void column_wall(struct out *o, const struct statistics *s) { put_f(o, s->wall.sum * 1e-9); }
HIDDEN void column_call(struct out *o, const struct statistics *s) { put_f(o, s->call.sum * 1e-9); }
HIDDEN void column_q(struct out *o, const struct statistics *s) {
    double n = s->n ? (double)s->n : 1, mean = s->block.sum / n, variance = s->block.squares / n - mean * mean;
    put_q(o, mean);
    put_q(o, variance > 0 ? sqrt(variance) : 0);
    put_q(o, (double)s->block.greatest);
    put_q(o, s->wall.sum / n);
    put_q(o, s->call.sum / n);
}
HIDDEN void column_bins(struct out *o, const struct statistics *s) {
    unsigned n = 0;
    for (unsigned i = 0; i < BINS; i++)
        n += s->bins[i] != 0;
    put_u(o, n);
    for (unsigned i = 0; i < BINS; i++)
        if (s->bins[i]) {
            put_u(o, i);
            put_u(o, s->bins[i]);
        }
}
HIDDEN void column_means(struct out *o, const struct statistics *s) {
    for (unsigned i = 0; i < SEGMENTS; i++)
        put_q(o, i < s->segments ? s->segment[i] : 0);
}
HIDDEN void put_statistics(struct out *o) {
    put_column(o, column_n);
    put_column(o, column_block);
    put_column(o, column_wall);
    put_column(o, column_call);
    put_column(o, column_q);
    put_column(o, column_bins);
    put_column(o, column_means);
}
