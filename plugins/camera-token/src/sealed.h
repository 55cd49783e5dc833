/* A device secret, sealed under a key of a table: AES-256-GCM without additional data. */
#ifndef CAMERA_TOKEN_SEALED_H
#define CAMERA_TOKEN_SEALED_H

#include <assay/bytes.h>

#include "settings.h"

enum { SECRET_SIZE = 32, NONCE_SIZE = 12, TAG_SIZE = 16, SEALED_SIZE = SECRET_SIZE + NONCE_SIZE + TAG_SIZE, KEY_SIZE = 32 };

/* Opens SEALED_SIZE bytes. False: they were sealed under another key. */
bool sealed_open(const uint8_t sealed[SEALED_SIZE], size_t layout, const uint8_t key[KEY_SIZE], uint8_t secret[SECRET_SIZE]);

#endif
