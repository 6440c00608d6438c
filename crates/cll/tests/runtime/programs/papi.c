/* In place of PAPI: counts 1000, 2000 .. by readings; of some names it knows nothing. */
#include <string.h>
static int names, fails;
static long long readings;
int PAPI_library_init(int version) { return version == 0x07000000 ? version : -1; }
int PAPI_create_eventset(int *set) { *set = 3; return 0; }
int PAPI_add_named_event(int set, const char *name)
{
    (void)set;
    if (!strcmp(name, "PAPI_START_FAILS")) fails = 1;
    if (!strcmp(name, "PAPI_UNKNOWN")) return -7;
    names++;
    return 0;
}
int PAPI_start(int set) { (void)set; return fails ? -8 : 0; }
int PAPI_read(int set, long long *values)
{
    int i;
    (void)set;
    readings++;
    for (i = 0; i < names; i++) values[i] = readings * 1000 * (i + 1);
    return 0;
}
char *PAPI_strerror(int code) { return (char *)(code == -7 ? "no such event" : "no counters \"here\""); }
