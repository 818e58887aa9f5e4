/* Several libraries of MPI's names, and Tutti's own interface, in one process, as Python's modules load them:
   each for itself alone. together END_ORDER MODULE...: END_ORDER is "same" or "reverse". All are ways into
   the one job of this process; the end of one leaves the others whole. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

struct module {
    const char* name;
    int (*begin)(void);
    int (*exchange)(int round);
    int (*end)(void);
};

static int expect(int failures, const char* name, const char* what)
{
    if (failures != 0)
        fprintf(stderr, "%s: %s: %d failures\n", name, what, failures);
    return failures;
}

static void* found(void* library, const char* name)
{
    void* const function = dlsym(library, name);
    if (function == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return function;
}

int main(int argc, char** argv)
{
    struct module modules[MOST];
    const int count = argc - 2;
    int failures = 0, i, k;
    if (count < 1 || count > MOST)
        return 2;
    for (i = 0; i < count; ++i) {
        void* const library = dlopen(argv[i + 2], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        modules[i].name = argv[i + 2];
        *(void**)&modules[i].begin = found(library, "begin");
        *(void**)&modules[i].exchange = found(library, "exchange");
        *(void**)&modules[i].end = found(library, "end");
        failures += expect(modules[i].begin(), modules[i].name, "begin");
        for (k = 0; k <= i; ++k)
            failures += expect(modules[k].exchange(i), modules[k].name, "exchange");
    }
    for (i = 0; i < count; ++i) {
        const int reverse = strcmp(argv[1], "reverse") == 0;
        const struct module* const ending = &modules[reverse ? count - 1 - i : i];
        failures += expect(ending->end(), ending->name, "end");
        for (k = i + 1; k < count; ++k) {
            const struct module* const left = &modules[reverse ? count - 1 - k : k];
            failures += expect(left->exchange(count + i), left->name, "exchange after another's end");
        }
    }
    return failures == 0 ? 0 : 1;
}
