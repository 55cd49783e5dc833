#define _GNU_SOURCE
#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

struct CPostgresTable CPostgresLoaded;

#ifdef __APPLE__
#define LIBRARY "libpq.5.dylib"
#else
#define LIBRARY "libpq.so.5"
#endif

static char problem[512];

/* dlsym returns an object pointer, which ISO C does not convert to a function's; POSIX says that it is one. */
static int find(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    if (!found) return 0;
    *(void **)place = found;
    return 1;
}

static void load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(problem, sizeof problem, "PostgreSQL's library cannot be loaded (%s): install libpq, which Debian calls libpq5", why ? why : LIBRARY);
        return;
    }
    const char *missing = NULL;
#define FIND(result, name, parameters, arguments) if (!find(library, #name, &CPostgresLoaded.name)) missing = #name;
#define FIND_WITHOUT_RESULT(name, parameters, arguments) FIND(void, name, parameters, arguments)
    CPOSTGRES_FUNCTIONS(FIND)
    CPOSTGRES_PROCEDURES(FIND_WITHOUT_RESULT)
    if (missing)
        snprintf(problem, sizeof problem, "PostgreSQL's library is too old: it has no %s; install the libpq of version 14 or later", missing);
}

const char *CPostgresLoad(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return problem[0] ? problem : NULL;
}
