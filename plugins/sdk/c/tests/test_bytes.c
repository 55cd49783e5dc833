#include <assay/bytes.h>

#include "test.h"

static bool decodes(const char *text, const char *expected, size_t size)
{
    uint8_t out[16];
    size_t found;

    return assay_base64_decode(assay_string(text), out, sizeof out, &found) && found == size
        && memcmp(out, expected, size) == 0;
}

static bool refuses(const char *text)
{
    uint8_t out[16];
    size_t size;

    return !assay_base64_decode(assay_string(text), out, sizeof out, &size);
}

/* RFC 4648 section 10, and every way in which two texts could stand for the same bytes. */
static void test_base64(void)
{
    CHECK(decodes("", "", 0));
    CHECK(decodes("Zg==", "f", 1));
    CHECK(decodes("Zm8=", "fo", 2));
    CHECK(decodes("Zm9v", "foo", 3));
    CHECK(decodes("Zm9vYmFy", "foobar", 6));
    CHECK(decodes("+/+/", "\xfb\xff\xbf", 3));
    CHECK(refuses("Zg"));
    CHECK(refuses("Zg="));
    CHECK(refuses("Zh=="));
    CHECK(refuses("Zm9="));
    CHECK(refuses("Z==="));
    CHECK(refuses("===="));
    CHECK(refuses("Zg==Zg=="));
    CHECK(refuses("Zm=v"));
    CHECK(refuses("Zm9v\n"));
    CHECK(refuses("Zm 9"));
    CHECK(refuses("-_-_"));
    CHECK(refuses("AAAAAAAAAAAAAAAAAAAAAAAA"));
}

static void test_hex(void)
{
    uint8_t out[2];
    char text[5];

    CHECK(assay_hex_decode(assay_string("00fF"), out, 2) && out[0] == 0 && out[1] == 0xff);
    CHECK(!assay_hex_decode(assay_string("00f"), out, 2));
    CHECK(!assay_hex_decode(assay_string("00ff0"), out, 2));
    CHECK(!assay_hex_decode(assay_string("00fg"), out, 2));
    CHECK(!assay_hex_decode(assay_string("0x00"), out, 2));
    assay_hex_encode(assay_bytes("\x0a\xf1", 2), text);
    CHECK(strcmp(text, "0af1") == 0);
}

static void test_secrets(void)
{
    char secret[] = "secret";

    CHECK(assay_secret_equal("abc", "abc", 3));
    CHECK(!assay_secret_equal("abc", "abd", 3));
    CHECK(!assay_secret_equal("abc", "bbc", 3));
    assay_wipe(secret, sizeof secret);
    CHECK(memcmp(secret, "\0\0\0\0\0\0", 7) == 0);
}

int main(void)
{
    test_base64();
    test_hex();
    test_secrets();
    return TEST_END("bytes");
}
