/* Loads and unloads a library with regions: `plugin LIBRARY`. */
#include "cll.h"
CLL_EXPERIMENT(cll_x_m, "main", "main[0]", "plugin.c", 3, "", 0, "", "", 0, 1, "cccc");
#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *library, *found;
    void (*other)(double);
    if (argc < 2) return 1;
    {
        CLL_REGION(cll_g1, cll_x_m, 0, 0.0);
        CLL_DONE(cll_g1);
    }
    cll_report(0, 0);
    library = dlopen(argv[1], RTLD_NOW);
    if (!library) return 2;
    found = dlsym(library, "other");
    memcpy(&other, &found, sizeof other);
    {
        CLL_REGION(cll_g2, cll_x_m, 0, 0.0);
        other(3);
        CLL_DONE(cll_g2);
    }
    dlclose(library);
    return 0;
}
