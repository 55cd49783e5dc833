/* Bytes that belong to another part of the program, and the texts that stand for bytes: hex and Base64. */
#ifndef ASSAY_BYTES_H
#define ASSAY_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A view of bytes. It frees nothing, and is not ended by a NUL. */
struct assay_bytes {
    const uint8_t *data;
    size_t size;
};

static inline struct assay_bytes assay_bytes(const void *data, size_t size)
{
    struct assay_bytes bytes = {(const uint8_t *)data, size};
    return bytes;
}

/* The bytes of a C string, without its NUL. */
static inline struct assay_bytes assay_string(const char *string)
{
    return assay_bytes(string, strlen(string));
}

/* Compares in a time that depends on the content. For secrets and MACs: assay_secret_equal. */
static inline bool assay_bytes_equal(struct assay_bytes left, struct assay_bytes right)
{
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

/* Whether the bytes are those of the C string. */
static inline bool assay_bytes_are(struct assay_bytes bytes, const char *string)
{
    return assay_bytes_equal(bytes, assay_string(string));
}

/* Compares `size` bytes in a time that depends on `size` only. */
bool assay_secret_equal(const void *left, const void *right, size_t size);

/* Overwrites memory that held a secret. The compiler does not remove it. */
void assay_wipe(void *memory, size_t size);

/* Reads exactly `size` bytes from 2 * `size` hex digits of either case. False: `text` is something else, and `out` is
 * undefined. */
bool assay_hex_decode(struct assay_bytes text, void *out, size_t size);

/* Writes 2 * bytes.size lower-case digits and a NUL. */
void assay_hex_encode(struct assay_bytes bytes, char *out);

/* The most bytes that `size` characters of Base64 stand for. */
static inline size_t assay_base64_bound(size_t size)
{
    return size / 4 * 3;
}

/* Reads standard Base64 (RFC 4648 section 4) with padding. Each value has one text: other alphabets, line ends, missing padding
 * and unused bits that are not zero are refused. False: `text` is no such text, or stands for more than `capacity` bytes. */
bool assay_base64_decode(struct assay_bytes text, void *out, size_t capacity, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
