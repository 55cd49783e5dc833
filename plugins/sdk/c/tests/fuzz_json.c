/* libFuzzer: the JSON reader. What it accepts is walked, decoded and compared. */
#include <assay/json.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void walk(struct assay_json value)
{
    struct assay_json_place place = {0};
    struct assay_json name, entry;
    size_t count = 0, found;
    uint8_t text[256];
    int64_t integer;
    bool boolean;

    require(value.kind != ASSAY_JSON_ABSENT && value.text.size > 0);
    if (assay_json_string(value, text, sizeof text, &found))
        require(found == assay_json_string_size(value));
    assay_json_integer(value, &integer);
    assay_json_boolean(value, &boolean);
    while (assay_json_next_element(value, &place, &entry) || assay_json_next_member(value, &place, &name, &entry)) {
        walk(entry);
        count++;
    }
    require(count == assay_json_count(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct assay_json value;
    struct assay_json_error error;

    if (assay_json_parse(assay_bytes(data, size), &value, &error))
        walk(value);
    else
        require(error.at <= size && error.what[0] != '\0');
    return 0;
}
