/* Call sites: return addresses as (module, offset), outwards to main. Unwinding takes microseconds, so that it is done
 * once for each path to a pair of return address and frame address. It leaves where on the stack the outer return
 * addresses are: while they stay there, the path is the same. */
#define DEEPEST 16
#define SITE_KEYS 4096
#define SITE_WAYS 8
#define MODULES 1024

struct module {
    uintptr_t low, high, base;
    int hidden; /* the MPI library, or this one: no site of the program */
    int end;    /* the C library: outside of main */
    char path[512];
    uint8_t id[32];
    uint32_t id_length;
};

struct site {
    uint64_t hash;
    uint32_t depth;
    uint32_t module[DEEPEST];
    uint64_t offset[DEEPEST];
};

/* Outer return addresses of a path, and where they were found. */
struct trail {
    const uintptr_t *slot[DEEPEST];
    uintptr_t value[DEEPEST];
    uint32_t length;
    int blind; /* some of them lie elsewhere, as on machines with a link register */
};

struct site_key {
    uintptr_t back, frame;
    uint32_t site, hits;
    int several;
    struct trail trail;
};

static struct module modules[MODULES];
static uint32_t module_count;
static struct site *sites;
static uint32_t site_count, site_cap;
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

HIDDEN void read_build_id(struct module *m, const ElfW(Phdr) * h, uintptr_t base) {
    const uint8_t *at = (const uint8_t *)(base + h->p_vaddr), *end = at + h->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const uint8_t *name = at + sizeof *note, *text = name + ((note->n_namesz + 3) & ~3u);
        if (note->n_type == 3 && note->n_namesz == 4 && !memcmp(name, "GNU", 4) && note->n_descsz <= sizeof m->id) {
            memcpy(m->id, text, note->n_descsz);
            m->id_length = note->n_descsz;
            return;
        }
        at = text + ((note->n_descsz + 3) & ~3u);
    }
}

HIDDEN int see_module(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD)
            continue;
        uintptr_t from = info->dlpi_addr + h->p_vaddr;
        low = from < low ? from : low;
        high = from + h->p_memsz > high ? from + h->p_memsz : high;
    }
    for (uint32_t i = 0; i < module_count; i++)
        if (modules[i].low == low && modules[i].base == info->dlpi_addr)
            return 0;
    if (module_count == MODULES || high == 0)
        return module_count == MODULES;
    struct module *m = &modules[module_count];
    memset(m, 0, sizeof *m);
    m->low = low;
    m->high = high;
    m->base = info->dlpi_addr;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "";
    snprintf(m->path, sizeof m->path, "%s", path);
    if (!*path) {
        ssize_t n = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
        m->path[n > 0 ? n : 0] = 0;
    }
    const char *name = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
    uintptr_t own = (uintptr_t)modules;
    m->hidden = (own >= low && own < high) || !strncmp(name, "libmpi", 6) || !strncmp(name, "libmpich", 8);
    m->end = !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) || !strncmp(name, "ld-", 3);
    for (int i = 0; i < info->dlpi_phnum && !m->id_length; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_build_id(m, &info->dlpi_phdr[i], info->dlpi_addr);
    module_count++;
    return 0;
}

HIDDEN int module_at(uintptr_t address) {
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < module_count; i++)
            if (address >= modules[i].low && address < modules[i].high)
                return (int)i;
        if (again == 0)
            dl_iterate_phdr(see_module, 0);
    }
    return -1;
}

struct unwinding {
    struct site *site;
    uintptr_t back, before;
    int found, frames;
    struct trail *trail;
};

HIDDEN _Unwind_Reason_Code see_frame(struct _Unwind_Context *context, void *to) {
    struct unwinding *u = to;
    uintptr_t at = (uintptr_t)_Unwind_GetIP(context);
    if (++u->frames > 256 || !at)
        return _URC_END_OF_STACK;
    if (at == u->back)
        u->found = 1;
    if (!u->found || at == u->before)
        return _URC_NO_REASON;
    u->before = at;
    int m = module_at(at - 1);
    if (m < 0 || modules[m].end)
        return _URC_END_OF_STACK;
    if (modules[m].hidden)
        return _URC_NO_REASON;
    struct site *s = u->site;
    if (at != u->back) {
        /* The context is that of the frame that was called from here: its return address lies right below it. */
        const uintptr_t *slot = (const uintptr_t *)_Unwind_GetCFA(context) - 1;
        struct trail *trail = u->trail;
        trail->blind |= *slot != at;
        trail->slot[trail->length] = slot;
        trail->value[trail->length++] = at;
    }
    s->module[s->depth] = (uint32_t)m;
    s->offset[s->depth++] = at - modules[m].base;
    return s->depth < settings.depth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

HIDDEN uint32_t unwind(uintptr_t back, struct trail *trail) {
    struct site s = {0};
    struct unwinding u = {&s, back, 0, 0, 0, trail};
    trail->length = 0;
    trail->blind = 0;
    pthread_mutex_lock(&site_lock);
    _Unwind_Backtrace(see_frame, &u);
    if (s.depth == 0) {
        int m = module_at(back - 1);
        s.depth = m >= 0;
        s.module[0] = m < 0 ? 0 : (uint32_t)m;
        s.offset[0] = m < 0 ? 0 : back - modules[m].base;
    }
    for (uint32_t i = 0; i < s.depth; i++)
        s.hash = mix(mix(s.hash, s.module[i]), s.offset[i]);
    uint32_t i = 0;
    while (i < site_count && sites[i].hash != s.hash)
        i++;
    if (i == site_count) {
        if (site_count == site_cap) {
            struct site *wider = widen(sites, sizeof *wider, &site_cap, 64);
            if (!wider) {
                pthread_mutex_unlock(&site_lock);
                return 0;
            }
            sites = wider;
        }
        sites[site_count++] = s;
    }
    pthread_mutex_unlock(&site_lock);
    return i;
}

HIDDEN int is_on(const struct trail *trail) {
    for (uint32_t i = 0; i < trail->length; i++)
        if (UNLIKELY(*trail->slot[i] != trail->value[i]))
            return 0;
    return 1;
}

/* Where trails cannot be followed, a path is looked at again now and then, and always once it has changed. */
HIDDEN uint32_t blind_site(struct site_key *k) {
    if (!k->several && (++k->hits & 63))
        return k->site;
    struct trail trail;
    uint32_t site = unwind(k->back, &trail);
    k->several |= site != k->site;
    return site;
}

HIDDEN uint32_t site_of(struct site_key *keys, void *back, void *frame) {
    uintptr_t b = (uintptr_t)back, f = (uintptr_t)frame;
    uint32_t from = (uint32_t)(b ^ (b >> 12) ^ (f >> 4) ^ (f >> 16));
    struct site_key *k = keys;
    for (uint32_t way = 0; way < SITE_WAYS; way++) {
        k = &keys[(from + way) & (SITE_KEYS - 1)];
        if (!k->back)
            break;
        if (UNLIKELY(k->back != b || k->frame != f))
            continue;
        if (UNLIKELY(k->trail.blind))
            return blind_site(k);
        if (LIKELY(is_on(&k->trail)))
            return k->site;
    }
    *k = (struct site_key){.back = b, .frame = f};
    k->site = unwind(b, &k->trail);
    return k->site;
}
