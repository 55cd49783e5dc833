/* The plugin's configuration. */
#ifndef CAMERA_TOKEN_SETTINGS_H
#define CAMERA_TOKEN_SETTINGS_H

#include <assay/plugin.h>

enum {
    AHEAD_SECONDS = 60,
    AHEAD_SECONDS_MOST = 3600,
    AGE_SECONDS = 30 * 86400,
    AGE_SECONDS_MOST = 398 * 86400 /* a statement is remembered for at most 400 days */
};

/* The order of the parts of a sealed secret. */
enum layout {
    LAYOUT_CIPHERTEXT_NONCE_TAG,
    LAYOUT_CIPHERTEXT_TAG_NONCE,
    LAYOUT_NONCE_CIPHERTEXT_TAG
};

struct settings {
    size_t layout;
    enum assay_assurance assurance;
    int64_t ahead_seconds, age_seconds;
};

void settings_read(void *settings, const struct assay_setting *root);

#endif
