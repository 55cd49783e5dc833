/* Resource limits. Hard equals soft, so that the plugin cannot raise them. */
#ifndef ASSAY_LAUNCHER_LIMITS_H
#define ASSAY_LAUNCHER_LIMITS_H

#include "options.h"

void limits_set(const struct options *options);

#endif
