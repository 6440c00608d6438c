/* What counted sources include: how often loops turn, by the integers that are known before. Each source has its own list,
 * which goes into a file of the folder CLL_COUNTS when the program ends. Nothing of the system is included, so that what
 * the source defines before its own includes still counts. */
#ifndef CLL_COUNT_H
#define CLL_COUNT_H
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif
extern char *cll_count_getenv_(const char *) __asm__("getenv");
extern int cll_count_open_(const char *, int, ...) __asm__("open");
extern long cll_count_put_(int, const void *, unsigned long) __asm__("write");
extern int cll_count_close_(int) __asm__("close");
extern int cll_count_getpid_(void) __asm__("getpid");
extern int cll_count_atexit_(void (*)(void)) __asm__("atexit");
extern int cll_count_print_(char *, unsigned long, const char *, ...) __asm__("snprintf");
extern void *cll_count_calloc_(unsigned long, unsigned long) __asm__("calloc");
#ifdef __cplusplus
}
#endif

enum { CLL_COUNT_MOST_ = 16, CLL_COUNT_ROWS_ = 16384, CLL_COUNT_SLOTS_ = 4096 };

typedef struct cll_count_row_ {
    struct cll_count_row_ *next;
    int nest, names, loops;
    unsigned long long visits, count[CLL_COUNT_MOST_];
    double value[CLL_COUNT_MOST_];
} cll_count_row_;

static cll_count_row_ *cll_count_slots_[CLL_COUNT_SLOTS_];
static int cll_count_rows_;
static char cll_count_lock_;

static void __attribute__((unused)) cll_count_end_(void)
{
    const char *folder = cll_count_getenv_("CLL_COUNTS");
    char text[1024];
    int file, slot, i, length;
    if (!folder) return;
    cll_count_print_(text, sizeof text, "%s/%d.txt", folder, cll_count_getpid_());
    file = cll_count_open_(text, 01 | 0100 | 02000, 0644); /* write, make, append */
    if (file < 0) return;
    for (slot = 0; slot < CLL_COUNT_SLOTS_; slot++) {
        const cll_count_row_ *row;
        for (row = cll_count_slots_[slot]; row; row = row->next) {
            length = cll_count_print_(text, sizeof text, "%d %llu", row->nest, row->visits);
            for (i = 0; i < row->names; i++)
                length += cll_count_print_(text + length, sizeof text - (unsigned long)length, " %.17g", row->value[i]);
            length += cll_count_print_(text + length, sizeof text - (unsigned long)length, " |");
            for (i = 0; i < row->loops; i++)
                length += cll_count_print_(text + length, sizeof text - (unsigned long)length, " %llu", row->count[i]);
            text[length++] = '\n';
            if (cll_count_put_(file, text, (unsigned long)length) != length) break;
        }
    }
    cll_count_close_(file);
}

static void __attribute__((unused)) cll_count_visit_(int nest, int names, const double *value, int loops, const unsigned long long *count)
{
    unsigned long long hash = (unsigned long long)nest, bits;
    cll_count_row_ *row;
    int i;
    for (i = 0; i < names; i++) {
        __builtin_memcpy(&bits, value + i, sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    hash %= CLL_COUNT_SLOTS_;
    while (__atomic_test_and_set(&cll_count_lock_, __ATOMIC_ACQUIRE)) ;
    for (row = cll_count_slots_[hash]; row; row = row->next)
        if (row->nest == nest && __builtin_memcmp(row->value, value, (unsigned long)names * sizeof *value) == 0) break;
    if (!row && cll_count_rows_ < CLL_COUNT_ROWS_) {
        row = (cll_count_row_ *)cll_count_calloc_(1, sizeof *row);
        if (row) {
            if (cll_count_rows_++ == 0) cll_count_atexit_(cll_count_end_);
            row->nest = nest;
            row->names = names;
            row->loops = loops;
            __builtin_memcpy(row->value, value, (unsigned long)names * sizeof *value);
            row->next = cll_count_slots_[hash];
            cll_count_slots_[hash] = row;
        }
    }
    if (row) {
        row->visits++;
        for (i = 0; i < loops; i++) row->count[i] += count[i];
    }
    __atomic_clear(&cll_count_lock_, __ATOMIC_RELEASE);
}

#define CLL_COUNT_(c) ((void)++(c))
#define CLL_COUNT_TOGETHER_(c) ((void)__atomic_fetch_add(&(c), 1, __ATOMIC_RELAXED))

/* The value of an integer, and not a number for anything else. */
#ifdef __cplusplus
template <class T> static inline double cll_whole_(T const &) { return __builtin_nan(""); }
static inline double cll_whole_(short x) { return x; }
static inline double cll_whole_(unsigned short x) { return x; }
static inline double cll_whole_(int x) { return x; }
static inline double cll_whole_(unsigned x) { return x; }
static inline double cll_whole_(long x) { return (double)x; }
static inline double cll_whole_(unsigned long x) { return (double)x; }
static inline double cll_whole_(long long x) { return (double)x; }
static inline double cll_whole_(unsigned long long x) { return (double)x; }
#define CLL_WHOLE_(x) cll_whole_(x)
#else
#define CLL_WHOLE_(x)                                                                                                       \
    ((double)_Generic((x), short: (x), unsigned short: (x), int: (x), unsigned: (x), long: (x), unsigned long: (x),         \
                      long long: (x), unsigned long long: (x), default: __builtin_nan("")))
#endif
#endif
