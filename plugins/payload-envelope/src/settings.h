/* The plugin's configuration. */
#ifndef PAYLOAD_ENVELOPE_SETTINGS_H
#define PAYLOAD_ENVELOPE_SETTINGS_H

#include <assay/setting.h>

enum {
    SECRETS = 8, /* each is a derivation of its own for an envelope that none of them opens */
    SECRET_SIZE = 1024,
    SECRET_ID_SIZE = 64,
    WINDOW_SECONDS = 300,
    WINDOW_SECONDS_MOST = 3600
};

/* One version of the secret that clients and server share. */
struct secret {
    char id[SECRET_ID_SIZE + 1];
    char text[SECRET_SIZE + 1];
    int64_t not_before_ms, not_after_ms; /* both included */
};

struct settings {
    struct secret secrets[SECRETS];
    size_t secret_count;
    int64_t window_seconds;
    bool require_mac, require_request_id, return_payload;
};

void settings_read(void *settings, const struct assay_setting *root);

#endif
