/* libprotobuf-c unpacks into an arena of any capacity: it succeeds, or refuses, and touches nothing else, which the sanitizers
 * see. */
#include "arena.h"

#include <stdlib.h>

#include "messages.h"
#include "test.h"

static uint8_t packed[4096];

static size_t pack_events(void)
{
    ProtobufCBinaryData formats[] = {binary_text("a"), binary_text("b"), binary_text("c")};
    MESSAGE(VerdictEvent) events[3];
    MESSAGE(VerdictEvent) *list[3];
    MESSAGE(ObserveRequest) request = ASSAY__PLUGIN__V1__OBSERVE_REQUEST__INIT;

    for (size_t i = 0; i < 3; i++) {
        assay__plugin__v1__verdict_event__init(&events[i]);
        events[i].app = binary_text("an app");
        events[i].formats = formats;
        events[i].n_formats = 3;
        list[i] = &events[i];
    }
    request.events = list;
    request.n_events = 3;
    return protobuf_c_message_pack(&request.base, packed);
}

static size_t pack_appraisal(void)
{
    ProtobufCBinaryData values[] = {binary_text("x"), binary_text("y")};
    MESSAGE(Texts) texts = ASSAY__PLUGIN__V1__TEXTS__INIT;
    MESSAGE(Claim) claim = ASSAY__PLUGIN__V1__CLAIM__INIT;
    MESSAGE(Claim) *claims[] = {&claim, &claim};
    MESSAGE(Device) device = ASSAY__PLUGIN__V1__DEVICE__INIT;
    MESSAGE(Expectation) expected = ASSAY__PLUGIN__V1__EXPECTATION__INIT;
    MESSAGE(AppraiseRequest) request = ASSAY__PLUGIN__V1__APPRAISE_REQUEST__INIT;
    size_t once;

    texts.values = values;
    texts.n_values = 2;
    claim.value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_TEXTS;
    claim.texts = &texts;
    device.claims = claims;
    device.n_claims = 2;
    request.device = &device;
    request.expected = &expected;
    request.body = binary_text("body");
    once = protobuf_c_message_pack(&request.base, packed);
    /* Twice, so that its parts are merged. */
    memcpy(packed + once, packed, once);
    return 2 * once;
}

/* Fields of no meaning, and a byte changed at each place. */
static void try_all(const ProtobufCMessageDescriptor *descriptor, size_t size)
{
    static const uint8_t unknown[] = {0xfa, 0x07, 0x01, 0x00};
    size_t refused = 0, unpacked = 0;
    struct arena arena;

    memcpy(packed + size, unknown, sizeof unknown);
    size += sizeof unknown;
    for (size_t capacity = 0; capacity < 6000; capacity += 8) {
        CHECK(arena_open(&arena, capacity));
        if (protobuf_c_message_unpack(descriptor, &arena.allocator, size, packed))
            unpacked++;
        else
            refused += arena.exhausted;
        CHECK(arena.used <= arena.capacity);
        arena_close(&arena);
    }
    CHECK(refused > 100 && unpacked > 100 && refused + unpacked == 750);
    CHECK(arena_open(&arena, 1500));
    for (size_t i = 0; i < size; i++) {
        uint8_t kept = packed[i];
        for (unsigned byte = 0; byte < 256; byte++) {
            packed[i] = (uint8_t)byte;
            protobuf_c_message_unpack(descriptor, &arena.allocator, size, packed);
            arena_reset(&arena);
        }
        packed[i] = kept;
    }
    arena_close(&arena);
}

static void test_refusal(void)
{
    struct arena arena;
    uint8_t *first, *second;

    CHECK(arena_open(&arena, 256));
    first = arena_allocate(&arena, 1);
    second = arena_allocate(&arena, 100);
    CHECK(first && second && (uintptr_t)second % _Alignof(max_align_t) == 0 && !arena.exhausted);
    memset(second, 1, 100);
    CHECK(!arena_allocate(&arena, SIZE_MAX) && arena.exhausted);
    CHECK(!arena_allocate(&arena, 200));
    CHECK(arena_copy(&arena, assay_bytes(packed, 4000)).data == NULL);
    arena_reset(&arena);
    CHECK(!arena.exhausted && arena_allocate(&arena, 256) == first && first[16] == 0);
    arena_close(&arena);
}

int main(void)
{
    test_refusal();
    try_all(DESCRIPTOR(observe_request), pack_events());
    try_all(DESCRIPTOR(appraise_request), pack_appraisal());
    return TEST_END("arena");
}
