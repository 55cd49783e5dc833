/* Who the plugin is, and that it can never be more. */
#ifndef ASSAY_LAUNCHER_PRIVILEGES_H
#define ASSAY_LAUNCHER_PRIVILEGES_H

#include "options.h"

/* Changes to the plugin's user. A launcher that runs as root refuses to go on without one. */
void privileges_change_user(const struct options *options);

/* Drops all capabilities and forbids to gain any by exec. */
void privileges_drop(void);

#endif
