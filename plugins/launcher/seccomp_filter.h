/* The system-call filter: an allow-list. What is unknown answers ENOSYS, what the rules forbid EPERM, what only an attack does kills. */
#ifndef ASSAY_LAUNCHER_SECCOMP_FILTER_H
#define ASSAY_LAUNCHER_SECCOMP_FILTER_H

#include "options.h"

/* Restricts this process. `landlock_abi` is what holds already: the filter covers what is missing. False if there is no filter, which
 * options must accept. */
bool seccomp_enforce(const struct options *options, int landlock_abi);

#endif
