/* The descriptors that the launcher is given, and those that it leaves to the plugin. */
#ifndef ASSAY_LAUNCHER_DESCRIPTORS_H
#define ASSAY_LAUNCHER_DESCRIPTORS_H

#include "options.h"

enum { CONNECTION_DESCRIPTOR = 3, STATUS_DESCRIPTOR = 4, EXECUTABLE_DESCRIPTOR = 5 };

/* NULL if descriptors 0 to 4 are what the daemon gives, else a sentence on the first that is not. */
const char *descriptors_fault(void);

/* Closes what the plugin must not have, marks 4 and 5 close-on-exec, and opens the executable as 5 if it is named by a path. */
void descriptors_prepare(const struct options *options);

#endif
