/* Checks a JSON document, once and as a whole. */
#include <assay/json.h>

#include "json_string.h"

/* A member of an object that is open: where its name begins, and a hash of the decoded name, which saves most comparisons. */
struct member {
    uint32_t name;
    uint32_t hash;
};

struct parser {
    struct assay_bytes text;
    size_t at;
    unsigned depth;
    size_t member_count;
    struct member members[ASSAY_JSON_MEMBERS];
    const char *what;
};

static bool parse_value(struct parser *parser, enum assay_json_kind *kind);

static bool wrong(struct parser *parser, const char *what)
{
    parser->what = what;
    return false;
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->text.size) {
        uint8_t c = parser->text.data[parser->at];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return;
        parser->at++;
    }
}

/* The next character, or 0 at the end: 0 is no character of JSON. */
static uint8_t peek(const struct parser *parser)
{
    return parser->at < parser->text.size ? parser->text.data[parser->at] : 0;
}

static bool take(struct parser *parser, uint8_t character)
{
    if (peek(parser) != character)
        return false;
    parser->at++;
    return true;
}

static bool parse_word(struct parser *parser, const char *word)
{
    size_t size = strlen(word);

    if (parser->text.size - parser->at < size || memcmp(parser->text.data + parser->at, word, size) != 0)
        return wrong(parser, "expected a value");
    parser->at += size;
    return true;
}

static bool parse_digits(struct parser *parser)
{
    size_t start = parser->at;

    while (peek(parser) >= '0' && peek(parser) <= '9')
        parser->at++;
    return parser->at > start || wrong(parser, "expected a digit");
}

static bool parse_number(struct parser *parser)
{
    take(parser, '-');
    if (!take(parser, '0') && !parse_digits(parser))
        return false;
    if (take(parser, '.') && !parse_digits(parser))
        return false;
    if (take(parser, 'e') || take(parser, 'E')) {
        if (!take(parser, '+'))
            take(parser, '-');
        return parse_digits(parser);
    }
    return true;
}

/* A string, with the FNV-1a hash of its decoded bytes. */
static bool parse_string(struct parser *parser, uint32_t *hash)
{
    uint8_t character[4];
    int length;

    *hash = 2166136261u;
    if (!take(parser, '"'))
        return wrong(parser, "expected a string");
    while ((length = json_string_next(parser->text, &parser->at, character)) > 0)
        for (int i = 0; i < length; i++)
            *hash = (*hash ^ character[i]) * 16777619u;
    if (length < 0)
        return wrong(parser, "expected a string of UTF-8 without control characters, whole escapes, and a closing quote");
    return true;
}

/* Whether the strings that begin at both places decode to the same bytes. */
static bool same_string(struct assay_bytes text, size_t left, size_t right)
{
    uint8_t l[4], r[4];
    int l_length, r_length;

    left++;
    right++;
    do {
        l_length = json_string_next(text, &left, l);
        r_length = json_string_next(text, &right, r);
        if (l_length != r_length || (l_length > 0 && memcmp(l, r, (size_t)l_length) != 0))
            return false;
    } while (l_length > 0);
    return true;
}

/* Remembers a name of the object whose members begin at `first`. */
static bool remember_name(struct parser *parser, size_t first, size_t name, uint32_t hash)
{
    for (size_t i = first; i < parser->member_count; i++)
        if (parser->members[i].hash == hash && same_string(parser->text, parser->members[i].name, name))
            return wrong(parser, "an object has this member twice");
    if (parser->member_count == ASSAY_JSON_MEMBERS)
        return wrong(parser, "the open objects have more than 512 members");
    parser->members[parser->member_count].name = (uint32_t)name;
    parser->members[parser->member_count++].hash = hash;
    return true;
}

static bool parse_member(struct parser *parser, size_t first)
{
    enum assay_json_kind kind;
    uint32_t hash;
    size_t name;

    skip_space(parser);
    name = parser->at;
    if (!parse_string(parser, &hash) || !remember_name(parser, first, name, hash))
        return false;
    skip_space(parser);
    if (!take(parser, ':'))
        return wrong(parser, "expected a colon");
    return parse_value(parser, &kind);
}

static bool parse_element(struct parser *parser, size_t first)
{
    enum assay_json_kind kind;

    (void)first;
    return parse_value(parser, &kind);
}

/* What stands between the brackets of an array or object, the closing one included. */
static bool parse_list(struct parser *parser, uint8_t closing, bool (*parse_entry)(struct parser *, size_t))
{
    size_t first = parser->member_count;

    if (parser->depth == ASSAY_JSON_DEPTH)
        return wrong(parser, "there are more than 32 levels");
    parser->depth++;
    parser->at++;
    skip_space(parser);
    if (!take(parser, closing)) {
        do {
            if (!parse_entry(parser, first))
                return false;
            skip_space(parser);
        } while (take(parser, ','));
        if (!take(parser, closing))
            return wrong(parser, "expected a comma or a closing bracket");
    }
    parser->member_count = first;
    parser->depth--;
    return true;
}

static bool parse_value(struct parser *parser, enum assay_json_kind *kind)
{
    uint32_t hash;

    skip_space(parser);
    switch (peek(parser)) {
    case '{': *kind = ASSAY_JSON_OBJECT; return parse_list(parser, '}', parse_member);
    case '[': *kind = ASSAY_JSON_ARRAY; return parse_list(parser, ']', parse_element);
    case '"': *kind = ASSAY_JSON_STRING; return parse_string(parser, &hash);
    case 't': *kind = ASSAY_JSON_BOOLEAN; return parse_word(parser, "true");
    case 'f': *kind = ASSAY_JSON_BOOLEAN; return parse_word(parser, "false");
    case 'n': *kind = ASSAY_JSON_NULL; return parse_word(parser, "null");
    default: break;
    }
    *kind = ASSAY_JSON_NUMBER;
    if (peek(parser) != '-' && (peek(parser) < '0' || peek(parser) > '9'))
        return wrong(parser, "expected a value");
    return parse_number(parser);
}

static bool parse_document(struct parser *parser, struct assay_json *value)
{
    size_t start;

    if (parser->text.size > ASSAY_JSON_SIZE)
        return wrong(parser, "the document is larger than 16 MiB");
    skip_space(parser);
    start = parser->at;
    if (!parse_value(parser, &value->kind))
        return false;
    value->text = assay_bytes(parser->text.data + start, parser->at - start);
    skip_space(parser);
    return parser->at == parser->text.size || wrong(parser, "expected the end of the document");
}

bool assay_json_parse(struct assay_bytes document, struct assay_json *value, struct assay_json_error *error)
{
    struct parser parser;

    /* The table of members needs no value before its first use. */
    parser.text = document;
    parser.at = 0;
    parser.depth = 0;
    parser.member_count = 0;
    parser.what = "";
    if (parse_document(&parser, value))
        return true;
    *value = (struct assay_json){ASSAY_JSON_ABSENT, {NULL, 0}};
    if (error)
        *error = (struct assay_json_error){parser.at, parser.what};
    return false;
}
