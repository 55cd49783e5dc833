/* Landlock: which files, TCP ports and processes the plugin reaches. */
#ifndef ASSAY_LAUNCHER_LANDLOCK_H
#define ASSAY_LAUNCHER_LANDLOCK_H

#include "options.h"

/* The first ABIs that restrict truncation of files, TCP ports, and signals to processes outside. */
enum { LANDLOCK_ABI_TRUNCATE = 3, LANDLOCK_ABI_TCP = 4, LANDLOCK_ABI_SIGNALS = 6 };

/* Restricts this process, and answers with the ABI whose rights are in force; 0 if Landlock is not, which options must accept. */
int landlock_enforce(const struct options *options);

#endif
