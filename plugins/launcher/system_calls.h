/* Which system calls a plugin may make, as lists. seccomp_filter.c adds those that depend on an argument. */
#ifndef ASSAY_LAUNCHER_SYSTEM_CALLS_H
#define ASSAY_LAUNCHER_SYSTEM_CALLS_H

#include <stddef.h>

/* Numbers of this architecture; negative ones are calls that it does not have. */
struct system_calls {
    const int *numbers;
    size_t count;
};

extern const struct system_calls always_allowed;      /* what programs, C libraries, Python and Swift need */
extern const struct system_calls process_calls;       /* allowed with --processes, else EPERM */
extern const struct system_calls client_calls;        /* allowed with a network option, else EPERM */
extern const struct system_calls forbidden;           /* EPERM: known, and against the rules of a plugin */
extern const struct system_calls absent;              /* ENOSYS, also where unknown calls are only logged */
extern const struct system_calls deadly;              /* no honest plugin makes them: the kernel ends the process with SIGSYS */

#endif
