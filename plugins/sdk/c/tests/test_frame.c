#include "frame.h"

#include <stdlib.h>

#include "test.h"

static struct assay_bytes bytes(const char *hex, uint8_t *out)
{
    CHECK(assay_hex_decode(assay_string(hex), out, strlen(hex) / 2));
    return assay_bytes(out, strlen(hex) / 2);
}

static bool reads(const char *hex, struct frame *frame)
{
    static uint8_t out[256];

    return frame_read(bytes(hex, out), frame);
}

/* The worked example of proto/README.md. */
static void test_example(void)
{
    struct frame frame;

    CHECK(reads("0801121a0a0f2f746573742e546573742f4563686f12040a026869189875", &frame));
    CHECK(frame.kind == FRAME_CALL && frame.call_id == 1 && frame.timeout_ms == 15000);
    CHECK(assay_bytes_are(frame.method, "/test.Test/Echo") && frame.message.size == 4);
    CHECK(reads("08011a0612040a026869", &frame));
    CHECK(frame.kind == FRAME_REPLY && frame.call_id == 1 && frame.status.code == STATUS_OK && frame.message.size == 4);
    CHECK(reads("3a00", &frame) && frame.kind == FRAME_PING);
    CHECK(reads("4a0d0a0b656d7074795f6672616d65", &frame) && frame.kind == FRAME_OTHER);
}

static void test_strictness(void)
{
    struct frame frame;

    CHECK(!reads("3a003a00", &frame));                   /* two kinds */
    CHECK(!reads("12003a00", &frame));                   /* two kinds */
    CHECK(!reads("12060a012f0a012f", &frame));           /* two methods */
    CHECK(!reads("1208120161120162", &frame));           /* two messages, and a wrong length */
    CHECK(!reads("1206120161120162", &frame));           /* two messages */
    CHECK(!reads("12030a01ff", &frame));                 /* a method that is no UTF-8 */
    CHECK(!reads("120622040a02c328", &frame));           /* metadata that is no UTF-8 */
    CHECK(!reads("0b0c", &frame));                       /* a group */
    CHECK(!reads("0000", &frame));                       /* field 0 */
    CHECK(!reads("08", &frame));                         /* cut */
    CHECK(!reads("08ffffffffffffffffff02", &frame));     /* above 64 bits */
    CHECK(!reads("12ff7f", &frame));                     /* longer than the frame */
    CHECK(!reads("1001", &frame));                       /* a kind that is a number */
    CHECK(reads("08ffffffffffffffffff01", &frame) && frame.call_id == UINT64_MAX && frame.kind == FRAME_OTHER);
    CHECK(reads("5a0161080252016e", &frame) && frame.call_id == 2 && frame.kind == FRAME_OTHER);
    CHECK(reads("1207188080808010220a", &frame) == false);
    CHECK(reads("12061880808080" "10", &frame) && frame.timeout_ms == (uint64_t)1 << 32);
}

static void test_writing(void)
{
    struct status status = {STATUS_UNIMPLEMENTED, assay_string("there is no method /no"), assay_string("unknown_method")};
    uint8_t out[256], expected[64];
    struct assay_bytes example = bytes("000000300802" "1a2c0a2a080c12167468657265206973206e6f206d6574686f64202f6e6f1a0e756e6b6e6f776e5f6d6574686f64", expected);
    struct frame frame;
    uint8_t *end = frame_write_status(out, 2, &status);

    CHECK(end && (size_t)(end - out) == example.size && memcmp(out, example.data, example.size) == 0);
    end = frame_write_pong(out);
    CHECK(end && end - out == 6 && memcmp(out, "\0\0\0\2\x42\0", 6) == 0);
    end = frame_write_call(out, 300, assay_string("/a/B"), 70000, 0);
    CHECK(end && frame_read(assay_bytes(out + 4, (size_t)(end - out) - 4), &frame));
    CHECK(frame.kind == FRAME_CALL && frame.call_id == 300 && frame.timeout_ms == 70000
        && assay_bytes_are(frame.method, "/a/B"));
    CHECK(frame_write_reply(out, UINT64_MAX, FRAME_LIMIT - 24) != NULL);
    CHECK(frame_write_reply(out, UINT64_MAX, FRAME_LIMIT) == NULL);
}

/* Every prefix and every change of a byte is read within its bounds, which the sanitizers see. */
static void test_changes(void)
{
    uint8_t whole[64];
    struct assay_bytes call = bytes("0801121a0a0f2f746573742e546573742f4563686f12040a026869189875", whole);
    uint8_t *copy = malloc(call.size);
    struct frame frame;
    size_t read = 0;

    for (size_t i = 0; copy && i < call.size; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            memcpy(copy, call.data, call.size);
            copy[i] = (uint8_t)byte;
            read += frame_read(assay_bytes(copy, call.size), &frame);
            read += frame_read(assay_bytes(copy, i), &frame);
        }
    CHECK(read > 0 && read < 2 * 256 * call.size);
    free(copy);
}

int main(void)
{
    test_example();
    test_strictness();
    test_writing();
    test_changes();
    return TEST_END("frame");
}
