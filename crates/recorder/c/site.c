/* Call sites: return addresses as (module, offset), outwards to main. Unwinding takes microseconds, so that it is done
 * once for each pair of return address and frame address. */
#define DEEPEST 16
#define SITE_KEYS 4096
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

struct site_key {
    uintptr_t back, frame;
    uint32_t site, hits;
    int several;
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
    s->module[s->depth] = (uint32_t)m;
    s->offset[s->depth++] = at - modules[m].base;
    return s->depth < settings.depth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

HIDDEN uint32_t unwind(uintptr_t back) {
    struct site s = {0};
    struct unwinding u = {&s, back, 0, 0, 0};
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

HIDDEN uint32_t site_of(struct site_key *keys, void *back, void *frame) {
    uintptr_t b = (uintptr_t)back, f = (uintptr_t)frame;
    struct site_key *k = &keys[(b ^ (b >> 12) ^ (f >> 4) ^ (f >> 16)) & (SITE_KEYS - 1)];
    if (LIKELY(k->back == b && k->frame == f)) {
        if (k->several)
            return unwind(b);
        if (LIKELY(++k->hits & 63))
            return k->site;
        uint32_t site = unwind(b);
        k->several = site != k->site;
        return site;
    }
    *k = (struct site_key){b, f, unwind(b), 0, 0};
    return k->site;
}
