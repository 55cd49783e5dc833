/* What the plugin may do beyond answering calls, as far as the steps before enforce it. */
#ifndef ASSAY_LAUNCHER_POWERS_H
#define ASSAY_LAUNCHER_POWERS_H

#include "options.h"

/* Refuses TCP ports that this kernel cannot hold a plugin to. Call before the filter is installed. */
void powers_check(const struct options *options, int landlock_abi);

/* Reports network and processes. */
void powers_report(const struct options *options, int landlock_abi, bool filtered);

#endif
