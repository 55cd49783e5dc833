/* The plugin's configuration. */
#ifndef SCENE_DEPTH_SETTINGS_H
#define SCENE_DEPTH_SETTINGS_H

#include <assay/plugin.h>

struct settings {
    bool strict;         /* edge coherence above 0.7 in place of 0.3 */
    bool reject_screens; /* a screen-like map is a failed check */
};

void settings_read(void *settings, const struct assay_setting *root);

#endif
