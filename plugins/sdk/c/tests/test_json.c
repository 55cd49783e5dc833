#include <assay/json.h>

#include <stdlib.h>

#include "test.h"

static bool accepts(const char *text)
{
    struct assay_json value;

    return assay_json_parse(assay_string(text), &value, NULL);
}

static bool stops_at(const char *text, size_t at, const char *what)
{
    struct assay_json value;
    struct assay_json_error error = {0, ""};

    return !assay_json_parse(assay_string(text), &value, &error) && value.kind == ASSAY_JSON_ABSENT && error.at == at
        && strcmp(error.what, what) == 0;
}

static struct assay_json parsed(const char *text)
{
    struct assay_json value;

    CHECK(assay_json_parse(assay_string(text), &value, NULL));
    return value;
}

static void test_grammar(void)
{
    static const char *const right[] = {"0", "-0", "1.5", "1e5", "1E-5", "-1.0e+10", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
        "{\"a\":{\"a\":1},\"b\":[{}]}",
        "null", "true", "false", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u20AC\\ud83d\\ude00\"", "\"\xc3\xa9\"", "\r\n\t 1",
        NULL};
    static const char *const wrong[] = {"", " ", "01", "+1", ".5", "1.", "1e", "-", "1e+", "--1", "\"", "\"\\\"", "\"\\x\"",
        "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"",
        "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"\n\"", "\"\x7f", "\"\xc3\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
        "\"\xf4\x90\x80\x80\"", "\xef\xbb\xbf{}", "[1,]", "[,1]", "[1 2]",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\":1 \"b\":2}", "[", "{", "[1}", "{\"a\":1]", "nul",
            "True", "NaN", "1 1", "{}x", "[]]", "\f1", "/**/1", NULL};

    for (size_t i = 0; right[i]; i++)
        if (!accepts(right[i])) {
            fprintf(stderr, "refused: %s\n", right[i]);
            CHECK(false);
        } else
            CHECK(true);
    for (size_t i = 0; wrong[i]; i++)
        if (accepts(wrong[i])) {
            fprintf(stderr, "accepted: %s\n", wrong[i]);
            CHECK(false);
        } else
            CHECK(true);
}

static void test_errors(void)
{
    CHECK(stops_at("{\"a\" 1}", 5, "expected a colon"));
    CHECK(stops_at("{\"a\":1,\"a\":2}", 10, "an object has this member twice"));
    CHECK(stops_at("{\"a\":1,\"\\u0061\":2}", 15, "an object has this member twice"));
    CHECK(accepts("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"));
    CHECK(accepts("{\"a\":1,\"A\":2,\"\":3}"));
    CHECK(stops_at("1 x", 2, "expected the end of the document"));
}

static char *repeated(const char *part, size_t count, const char *end)
{
    size_t size = strlen(part);
    char *text = malloc(size * count + strlen(end) + 1);

    for (size_t i = 0; text && i < count; i++)
        memcpy(text + i * size, part, size);
    if (text)
        memcpy(text + size * count, end, strlen(end) + 1);
    return text;
}

static char *object_of(size_t members)
{
    char *text = malloc(members * 16 + 3), *at = text;

    if (!text)
        return NULL;
    *at++ = '{';
    for (size_t i = 0; i < members; i++)
        at += sprintf(at, "%s\"m%zu\":0", i == 0 ? "" : ",", i);
    memcpy(at, "}", 2);
    return text;
}

static void test_limits(void)
{
    char *deep = repeated("[", 32, "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"), *deeper = repeated("[", 33, ""),
        *deepest = repeated("[", 1000000, "");
    /* The limit is of objects that are open at one place. */
    char *many = repeated(",{\"a\":1,\"b\":[]}", 600, "]");
    char *full = object_of(ASSAY_JSON_MEMBERS), *overfull = object_of(ASSAY_JSON_MEMBERS + 1);

    CHECK(deep && accepts(deep));
    CHECK(deeper && stops_at(deeper, 32, "there are more than 32 levels"));
    CHECK(deepest && stops_at(deepest, 32, "there are more than 32 levels"));
    CHECK(full && accepts(full));
    CHECK(overfull && !accepts(overfull));
    if (many)
        many[0] = '[';
    CHECK(many && accepts(many));
    free(many);
    free(deep);
    free(deeper);
    free(deepest);
    free(full);
    free(overfull);
}

static void test_values(void)
{
    struct assay_json object = parsed(" {\"n\":-9223372036854775808,\"m\":9223372036854775807,\"o\":9223372036854775808,\"f\":1.0,\"e\":1e2,\"b\":true,"
                                      "\"s\":\"a\\u0000\\u00e9\\ud83d\\ude00/\",\"l\":[1,[2,\"]\"],{\"x\":\"}\"},null],\"\":0} ");
    struct assay_json list = assay_json_member(object, "l"), element, name;
    struct assay_json_place place = {0};
    char text[16];
    int64_t integer = 0;
    bool boolean = false;
    size_t size = 0;

    CHECK(assay_json_integer(assay_json_member(object, "n"), &integer) && integer == INT64_MIN);
    CHECK(assay_json_integer(assay_json_member(object, "m"), &integer) && integer == INT64_MAX);
    CHECK(!assay_json_integer(assay_json_member(object, "o"), &integer));
    CHECK(!assay_json_integer(assay_json_member(object, "f"), &integer));
    CHECK(!assay_json_integer(assay_json_member(object, "e"), &integer));
    CHECK(!assay_json_integer(assay_json_member(object, "s"), &integer));
    CHECK(!assay_json_integer(parsed("-0"), &integer) && assay_json_integer(parsed("0"), &integer) && integer == 0);
    CHECK(assay_json_boolean(assay_json_member(object, "b"), &boolean) && boolean);
    CHECK(!assay_json_boolean(assay_json_member(object, "n"), &boolean));
    CHECK(assay_json_string(assay_json_member(object, "s"), text, sizeof text, &size) && size == 9
        && memcmp(text, "a\0\xc3\xa9\xf0\x9f\x98\x80/", 9) == 0);
    CHECK(assay_json_string_size(assay_json_member(object, "s")) == 9);
    CHECK(!assay_json_string(assay_json_member(object, "s"), text, 8, &size));
    CHECK(!assay_json_spells(assay_json_member(object, "s"), "a"));
    CHECK(assay_json_member(object, "").kind == ASSAY_JSON_NUMBER);
    CHECK(assay_json_member(object, "none").kind == ASSAY_JSON_ABSENT);
    CHECK(assay_json_member(list, "n").kind == ASSAY_JSON_ABSENT);
    CHECK(assay_json_count(object) == 9 && assay_json_count(list) == 4
        && assay_json_count(name = assay_json_member(object, "n")) == 0);
    CHECK(assay_json_next_element(list, &place, &element) && assay_bytes_are(element.text, "1"));
    CHECK(assay_json_next_element(list, &place, &element) && assay_bytes_are(element.text, "[2,\"]\"]"));
    CHECK(assay_json_next_element(list, &place, &element) && assay_json_spells(assay_json_member(element, "x"), "}"));
    CHECK(assay_json_next_element(list, &place, &element) && element.kind == ASSAY_JSON_NULL);
    CHECK(!assay_json_next_element(list, &place, &element) && !assay_json_next_element(list, &place, &element));
}

/* Every strict prefix of a document is refused, and no change of a byte reads beyond its end, which the sanitizers see. */
static void test_changes(void)
{
    static const char document[] = "{\"a\":[1,-2.5e3,\"x\\u20ac\\n\"],\"b\":{\"c\":true,\"d\":null}}";
    size_t size = sizeof document - 1, accepted = 0;
    uint8_t *copy = malloc(size);
    struct assay_json value;

    for (size_t i = 0; copy && i < size; i++) {
        memcpy(copy, document, size);
        CHECK(!assay_json_parse(assay_bytes(document, i), &value, NULL));
        for (unsigned byte = 0; byte < 256; byte++) {
            copy[i] = (uint8_t)byte;
            if (!assay_json_parse(assay_bytes(copy, size), &value, NULL))
                continue;
            accepted++;
            CHECK(assay_json_count(value) == 2);
        }
    }
    CHECK(accepted > size);
    free(copy);
}

static void test_names(void)
{
    static const char *const names[] = {"a", "b", NULL}, *const none[] = {NULL};

    CHECK(assay_json_has_only(parsed("{\"a\":1,\"\\u0062\":2}"), names));
    CHECK(assay_json_has_only(parsed("{}"), none));
    CHECK(!assay_json_has_only(parsed("{\"a\":1}"), none));
    CHECK(!assay_json_has_only(parsed("{\"a\":1,\"A\":2}"), names));
    CHECK(!assay_json_has_only(parsed("[\"a\"]"), names));
    CHECK(!assay_json_has_only(assay_json_member(parsed("{}"), "a"), names));
}

int main(void)
{
    test_grammar();
    test_errors();
    test_limits();
    test_values();
    test_names();
    test_changes();
    return TEST_END("json");
}
