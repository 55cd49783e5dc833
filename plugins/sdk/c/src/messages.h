/* The generated messages of assay.plugin.v1, under short names. */
#ifndef ASSAY_MESSAGES_H
#define ASSAY_MESSAGES_H

#include <assay/bytes.h>

#include "assay/plugin/v1/host.pb-c.h"
#include "assay/plugin/v1/plugin.pb-c.h"

#define MESSAGE(name) Assay__Plugin__V1__##name
#define DESCRIPTOR(name) (&assay__plugin__v1__##name##__descriptor)

static inline struct assay_bytes bytes_of(ProtobufCBinaryData data)
{
    return assay_bytes(data.data, data.len);
}

/* protobuf-c packs from pointers that are not const, and writes to none. */
static inline ProtobufCBinaryData binary_of(struct assay_bytes bytes)
{
    ProtobufCBinaryData data = {bytes.size, (uint8_t *)(uintptr_t)bytes.data};
    return data;
}

static inline ProtobufCBinaryData binary_text(const char *text)
{
    return binary_of(assay_string(text ? text : ""));
}

/* For string fields, which are set to constants. */
static inline char *text_field(const char *text)
{
    return (char *)(uintptr_t)(text ? text : "");
}

#endif
