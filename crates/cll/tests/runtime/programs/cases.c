/* Cases of regions, as translated sources have them. The clock stands still unless pass() moves it. */
#include "cll.h"
CLL_EXPERIMENT(cll_x_outer, "outer", "outer[0]+outer[1]*n", "cases.c", 3, "n,m.rows", 2, "n/P;n", "", 0, 1, "aa11");
CLL_EXPERIMENT(cll_x_inner, "inner", "inner[0]", "cases.c", 4, "", 0, "", "", 0, 1, "aa11");
CLL_EXPERIMENT(cll_x_rec, "rec", "rec[0]*d", "cases.c", 5, "d", 1, "", "", 0, 1, "aa11");
CLL_EXPERIMENT(cll_x_ends, "ends", "ends[0]*k", "cases.c", 6, "k", 1, "", "", CLL_AT_END | CLL_EXITS_OK, 1, "aa11");
CLL_EXPERIMENT(cll_x_third, "third", "third[0]*i", "cases.c", 7, "i", 1, "", "", 0, 3, "aa11");
CLL_EXPERIMENT(cll_x_own, "own", "own[0]*rank", "cases.c", 8, "rank", 1, "", "", 0, 1, "aa11");
CLL_EXPERIMENT(cll_x_quoted, "a\"b,c\\", "q[0]", "a \"quoted\" file\\.c", 9, "x", 1, "", "", 0, 1, "aa11");
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN
#endif

static unsigned long long ticks;
static void pass(unsigned n) { ticks += n; }
EXTERN unsigned long long cll_test_clock(void) { return ticks; }
EXTERN void cll_test_overhead(double *inside_ns, double *pair_ns) { *inside_ns = 2; *pair_ns = 5; }

static void inner(unsigned time) {
    CLL_REGION(g, cll_x_inner, 0, 0.0);
    pass(time);
    CLL_DONE(g);
}

__attribute__((noinline)) static void nested(void) {
    CLL_REGION(g, cll_x_outer, 2, (double)(4), (double)(7));
    pass(100);
    inner(10);
    pass(30);
    inner(20);
    CLL_DONE(g);
}

static int leaves(int how) {
    int i;
    for (i = 0; i < 2; i++) {
        CLL_REGION(g, cll_x_outer, 2, (double)(how), (double)(i));
        pass(50);
        if (how == 0) return 1;
        if (how == 1) break;
        if (how == 2) continue;
        if (how == 3) goto out;
        CLL_DONE(g);
    }
out:
    return 0;
}

static jmp_buf back;
__attribute__((noinline)) static void jumps(void) {
    CLL_REGION(g, cll_x_outer, 2, 1.0, 1.0);
    {
        CLL_REGION(g2, cll_x_inner, 0, 0.0);
        pass(10);
        longjmp(back, 1);
        CLL_DONE(g2);
    }
    CLL_DONE(g);
}

static void jumping(void) {
    volatile int i;
    CLL_REGION(g, cll_x_rec, 1, 99.0);
    for (i = 0; i < 100; i++)
        if (!setjmp(back)) jumps();
    nested();
    pass(1);
    CLL_DONE(g);
}

/* A jump within the function that has the regions. */
static void jumping_here(void) {
    volatile int i;
    for (i = 0; i < 50; i++) {
        if (setjmp(back)) continue;
        {
            CLL_REGION(g, cll_x_outer, 2, 5.0, 5.0);
            pass(10);
            longjmp(back, 1);
            CLL_DONE(g);
        }
    }
    nested();
}

static void exits(void) {
    CLL_REGION(g, cll_x_outer, 2, 1.0, 2.0);
    {
        CLL_REGION(g2, cll_x_inner, 0, 0.0);
        pass(10);
        exit(3);
        CLL_DONE(g2);
    }
    CLL_DONE(g);
}

static int deep(int depth) {
    int below;
    CLL_REGION(g, cll_x_rec, 1, (double)(depth));
    pass(10);
    below = depth > 0 ? deep(depth - 1) : 0;
    CLL_DONE(g);
    return below + 1;
}

static void at_end(int stop) {
    int k = 0;
    CLL_REGION(g, cll_x_ends, 1, 0.0);
    pass(20);
    k = 7;
    if (stop) return;
    CLL_DONE_AT_END(g, 1, (double)(k + (pass(1000), 0)));
}

static void open_mode(void) {
    int i;
    CLL_BEGIN(cll_x_outer, 2, 1.0, 2.0);
    pass(10);
    CLL_BEGIN(cll_x_inner, 0, 0.0);
    pass(5);
    CLL_END(cll_x_inner);
    CLL_END(cll_x_outer);
    CLL_BEGIN(cll_x_ends, 1, 0.0);
    pass(8);
    CLL_END_AT_END(cll_x_ends, 1, 6.0);
    for (i = 0; i < 20000; i++) {
        CLL_BEGIN(cll_x_rec, 1, (double)(i));
        pass(1);
        if (i % 2) continue;
        CLL_END(cll_x_rec);
    }
    CLL_END(cll_x_outer);
}

static void third(void) {
    int i;
    for (i = 0; i < 10; i++) {
        CLL_REGION(g, cll_x_third, 1, (double)(i));
        pass(4);
        CLL_DONE(g);
    }
}

static void not_finite(void) {
    double values[4];
    int i;
    values[0] = NAN;
    values[1] = INFINITY;
    values[2] = 0.1;
    values[3] = 9007199254740992.0;
    for (i = 0; i < 4; i++) {
        CLL_REGION(g, cll_x_outer, 2, (double)(i), (double)(values[i]));
        pass(4);
        CLL_DONE(g);
    }
}

static void back_in_time(void) {
    CLL_REGION(g, cll_x_outer, 2, 1.0, 2.0);
    ticks += 1000000;
    {
        CLL_REGION(g2, cll_x_inner, 0, 0.0);
        ticks -= 500;
        CLL_DONE(g2);
    }
    inner(1);
    CLL_DONE(g);
}

static void same(void) { inner(2); }

static void forks(void) {
    pid_t child;
    int status;
    CLL_REGION(g, cll_x_outer, 2, 1.0, 1.0);
    inner(10);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        inner(3);
        inner(4);
        CLL_DONE(g);
        exit(0);
    }
    waitpid(child, &status, 0);
    /* A child without samples leaves nothing behind. */
    child = fork();
    if (child == 0) exit(0);
    waitpid(child, &status, 0);
    CLL_DONE(g);
}

#ifdef __cplusplus
static void throws(int depth) {
    CLL_REGION(g, cll_x_rec, 1, (double)(depth));
    pass(10);
    if (depth == 0) throw 5;
    throws(depth - 1);
    CLL_DONE(g);
}
#endif

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int i;
    pass(1000);
    if (!strcmp(what, "nested")) nested();
    if (!strcmp(what, "leaves")) for (i = 0; i < 5; i++) leaves(i);
    if (!strcmp(what, "longjmp")) jumping();
    if (!strcmp(what, "longjmp-here")) jumping_here();
    if (!strcmp(what, "longjmp-report")) { if (!setjmp(back)) jumps(); cll_report(0, 0); nested(); }
    if (!strcmp(what, "exit")) exits();
    if (!strcmp(what, "deep")) printf("%d\n", deep(9999));
    if (!strcmp(what, "at-end")) { at_end(0); at_end(1); }
    if (!strcmp(what, "open")) open_mode();
    if (!strcmp(what, "third")) third();
    if (!strcmp(what, "on-off")) { inner(1); cll_off(); inner(2); inner(3); cll_on(); inner(4); }
    if (!strcmp(what, "not-finite")) not_finite();
    if (!strcmp(what, "clock")) back_in_time();
    if (!strcmp(what, "clamp")) { inner(1); inner(1); inner(3); }
    if (!strcmp(what, "same")) same();
    if (!strcmp(what, "fork")) forks();
    if (!strcmp(what, "own")) { CLL_REGION(g, cll_x_own, 1, 17.0); pass(9); CLL_DONE(g); }
    if (!strcmp(what, "quoted")) { CLL_REGION(g, cll_x_quoted, 1, -2.5); pass(9); CLL_DONE(g); }
    if (!strcmp(what, "threads-number")) { cll_parallel(CLL_OMP, 3); inner(5); cll_parallel(CLL_OMP, 6); inner(5); }
    if (!strcmp(what, "enter")) {
        cll_guard g, g2;
        double values[2] = { 3, 4 };
        CLL_REGION(around, cll_x_rec, 1, 1.0);
        cll_enter(&g, &cll_x_outer, values);
        cll_enter(&g2, &cll_x_inner, values);
        pass(10);
        cll_leave(&g2, CLL_EXIT);
        cll_leave(&g, CLL_OK);
        cll_leave(&g, CLL_OK);
        CLL_DONE(around);
    }
    if (!strcmp(what, "errno")) { errno = 77; inner(1); cll_report(0, 0); inner(2); printf("%d\n", errno); }
    if (!strcmp(what, "reports")) {
        nested();
        cll_report("outer", 0);
        nested();
        cll_report("inner,rec", "some.csv");
        nested();
        cll_report(0, 0);
        nested();
    }
    if (!strcmp(what, "report-all")) { nested(); cll_report("all", "all.csv"); }
    if (!strcmp(what, "report-nowhere")) { nested(); cll_report(0, "/nonexistent/folder/x.csv"); }
    if (!strcmp(what, "abort")) { nested(); cll_report(0, 0); nested(); abort(); }
    if (!strcmp(what, "_exit")) { nested(); cll_report(0, 0); nested(); _exit(4); }
    if (!strcmp(what, "exec")) { nested(); cll_report(0, 0); execl("/bin/true", "true", (char *)0); }
#ifdef __cplusplus
    if (!strcmp(what, "throw")) { try { throws(3); } catch (int) { } nested(); }
#endif
    return what[0] == 'x' ? 5 : 0;
}
