/* Keys that are derived from a secret, slowly: PBKDF2-HMAC-SHA-256 of 200,000 rounds takes some tens of milliseconds. */
#ifndef PAYLOAD_ENVELOPE_KEYS_H
#define PAYLOAD_ENVELOPE_KEYS_H

#include <assay/plugin.h>

#include "settings.h"

enum { KEY_SIZE = 32, KEY_ROUNDS = 200000, KEY_CACHE = 256 };

/* PBKDF2 of the secret and the salt, which the cache of KEY_CACHE keys may have. It keeps a key until `until_ms`, or until
 * others need its place. False: libcrypto failed. */
bool keys_derive(struct assay_call *call, const struct secret *secret, struct assay_bytes salt, int64_t now_ms,
    int64_t until_ms, uint8_t key[KEY_SIZE]);

/* The key of an envelope: HKDF-Expand (RFC 5869) of the derived key. */
bool keys_expand(const uint8_t master[KEY_SIZE], uint8_t key[KEY_SIZE]);

#endif
