/* libFuzzer: the frame reader, and what a plugin's request becomes in the arena. */
#include "frame.h"

#include <stdlib.h>

#include "arena.h"
#include "messages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ProtobufCMessageDescriptor *const requests[] = {
    DESCRIPTOR(describe_request), DESCRIPTOR(configure_request), DESCRIPTOR(appraise_request), DESCRIPTOR(observe_request),
    DESCRIPTOR(find_fleet_device_response), DESCRIPTOR(get_anchors_response),
};

static bool within(struct assay_bytes part, const uint8_t *data, size_t size)
{
    return part.size == 0 || (part.data >= data && part.data + part.size <= data + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    struct frame frame;

    if (!arena.block && !arena_open(&arena, 64 * 1024))
        abort();
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        protobuf_c_message_unpack(requests[i], &arena.allocator, size, data);
        arena_reset(&arena);
    }
    if (frame_read(assay_bytes(data, size), &frame)
        && !(within(frame.method, data, size) && within(frame.message, data, size) && within(frame.status.message, data, size)))
        abort();
    return 0;
}
