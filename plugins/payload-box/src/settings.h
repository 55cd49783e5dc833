/* The plugin's configuration. */
#ifndef PAYLOAD_BOX_SETTINGS_H
#define PAYLOAD_BOX_SETTINGS_H

#include <assay/setting.h>

#include "opening.h"

enum {
    RECIPIENTS = 8,
    BODY_SIZE = 524288,
    PLAINTEXT_SIZE = BODY_SIZE / 4 * 3 /* a ciphertext is Base64 in the body */
};

/* What must not leave the process: in memory of its own between pages that cannot be touched, locked where the machine allows it,
 * overwritten when it is freed. */
struct vault {
    uint8_t secret_keys[RECIPIENTS][SECRET_KEY_SIZE];
    uint8_t plaintext[PLAINTEXT_SIZE]; /* of the envelope that is judged; overwritten after it */
};

struct settings {
    /* Who the plugin judges for. With `open` each has its key in the vault. */
    uint8_t recipients[RECIPIENTS][FINGERPRINT_SIZE];
    size_t recipient_count;
    struct vault *vault; /* NULL: mode `structure` */
    bool locked;         /* whether the vault cannot be swapped out */
    bool plaintext_sha256_optional, claims_plaintext_sha256;
};

void settings_read(void *settings, const struct assay_setting *root);
void settings_release(void *settings);

#endif
