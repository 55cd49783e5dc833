/* The cryptography of an envelope: NaCl's crypto_box, X25519-XSalsa20-Poly1305. */
#ifndef PAYLOAD_BOX_OPENING_H
#define PAYLOAD_BOX_OPENING_H

#include "envelope.h"

enum { SECRET_KEY_SIZE = 32 };

/* Opens the envelope by a recipient's secret key, into `plaintext`, which has the ciphertext's size less TAG_SIZE. False: it is not
 * opened, and `plaintext` has nothing of it. Whether the tag is wrong, the key is another, or the sender's key makes a shared secret of
 * zeros (RFC 7748 section 6.1), which is refused: it takes the same time. */
bool opening_open(const struct envelope *envelope, const uint8_t secret_key[SECRET_KEY_SIZE], uint8_t *plaintext);

/* The recipient's fingerprint: the first 20 bytes of SHA-256 of the public key. */
void opening_fingerprint(const uint8_t public_key[PUBLIC_KEY_SIZE], uint8_t fingerprint[FINGERPRINT_SIZE]);

#endif
