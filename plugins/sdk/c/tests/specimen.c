/* A plugin that does what the body of its evidence says: for the tests of the library. */
#include <assay/plugin.h>

#include <stdlib.h>
#include <time.h>

struct settings {
    char word[16];
    int64_t number;
    bool flag;
    size_t layout;
    char *copy;
};

static void read_configuration(void *configuration, const struct assay_setting *root)
{
    static const char *const layouts[] = {"first", "second", NULL}, *const names[] = {"id", NULL};
    struct settings *settings = configuration;
    struct assay_setting word = assay_setting_member(root, "word"), number = assay_setting_member(root, "number");
    struct assay_setting flag = assay_setting_member(root, "flag"), layout = assay_setting_member(root, "layout");
    struct assay_setting list = assay_setting_member(root, "list");

    if (assay_setting_required(&word) && assay_setting_text(&word, settings->word, sizeof settings->word))
        settings->copy = calloc(1, sizeof settings->word);
    assay_setting_integer(&number, 1, 9, &settings->number);
    assay_setting_boolean(&flag, &settings->flag);
    assay_setting_choice(&layout, layouts, &settings->layout);
    if (!assay_setting_given(&list))
        return;
    for (size_t i = 0, count = assay_setting_count(&list, 1, 3); i < count; i++) {
        struct assay_setting element = assay_setting_element(&list, i);
        if (assay_setting_object(&element, names)) {
            struct assay_setting id = assay_setting_member(&element, "id");
            char text[8];
            if (assay_setting_required(&id))
                assay_setting_text(&id, text, sizeof text);
        }
    }
}

static void release_configuration(void *configuration)
{
    free(((struct settings *)configuration)->copy);
}

static void verify_client_data(struct assay_call *call, const struct assay_evidence *evidence)
{
    /* The specimen has no SHA-256 of its own: the tests send it as the payload's. */
    if (evidence->payload_sha256.size == 32)
        assay_verified_client_data(call, evidence->payload_sha256.data);
}

static void claim_all(struct assay_call *call, const struct assay_evidence *evidence)
{
    struct assay_bytes texts[] = {assay_string("a"), assay_string("b")};

    assay_require(call, "first", true, "malformed", "never shown");
    assay_note(call, "second", "remark", "a note");
    assay_skip(call, "third", "left out");
    assay_claim_text(call, "text", assay_string("text"));
    assay_claim_integer(call, "integer", -5);
    assay_claim_boolean(call, "boolean", true);
    assay_claim_bytes(call, "bytes", assay_bytes("\0\1", 2));
    assay_claim_texts(call, "texts", texts, 2);
    assay_claim_time(call, "time", evidence->now_ms);
}

/* Asks the host everything. */
static void ask_all(struct assay_call *call, const struct assay_evidence *evidence)
{
    struct assay_bytes tokens[] = {assay_string("used"), assay_string("new")};
    const struct assay_bytes *certificates;
    const struct assay_fleet_device *fleet_device;
    const struct assay_device *device;
    uint8_t key[32];
    bool used[2] = {false, false};
    size_t count = 0;

    (void)evidence;
    assay_require(call, "device", assay_find_device(call, assay_string("known"), &device) == ASSAY_FOUND
        && device->counter == 7, "a", "device");
    assay_require(call, "no_device", assay_find_device(call, assay_string("unknown"), &device) == ASSAY_NOT_FOUND, "b",
        "no device");
    assay_require(call, "used", assay_find_used(call, tokens, 2, used) == ASSAY_FOUND && used[0] && !used[1], "c", "used");
    assay_require(call, "anchors", assay_get_anchors(call, &certificates, &count) == ASSAY_FOUND && count == 1, "d", "anchors");
    assay_require(call, "key", assay_derive_key(call, 3, 4, key) == ASSAY_FOUND, "e", "key");
    assay_require(call, "no_table", assay_derive_key(call, 4, 4, (uint8_t[32]){0}) == ASSAY_NOT_FOUND, "f", "no table");
    assay_require(call, "fleet", assay_find_fleet_device(call, key, &fleet_device) == ASSAY_NOT_FOUND, "g", "no fleet device");
    memset(key, 1, sizeof key);
    assay_require(call, "fleet_device", assay_find_fleet_device(call, key, &fleet_device) == ASSAY_FOUND
        && fleet_device->table_count == 3
        && fleet_device->tables[2] == 12 && assay_bytes_are(fleet_device->serial, "S-1"), "h", "fleet device");
}

static void sleep_for(struct assay_call *call, const struct assay_evidence *evidence)
{
    struct timespec time = {0, 60 * 1000 * 1000};

    (void)evidence;
    assay_flush(call);
    nanosleep(&time, NULL);
    assay_require(call, "slept", true, "malformed", "never shown");
}

static void flood(struct assay_call *call, const struct assay_evidence *evidence)
{
    for (int i = 0; i < 100; i++)
        assay_log(call, ASSAY_INFO, "line %d of \xff\n", i);
    for (int i = 0; i < 5; i++)
        assay_count(call, "calls", 2);
    assay_gauge(call, "level", 0.5);
    /* Its reply shows that all before were read. */
    assay_require(call, "device", assay_find_device(call, evidence->app,
        &(const struct assay_device *){NULL}) != ASSAY_NO_ANSWER, "x", "host");
}

static void ask_one(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct assay_device *device;

    (void)evidence;
    /* The check passes whatever the host says: a missing answer must end the call all the same. */
    (void)assay_find_device(call, assay_string("known"), &device);
    assay_require(call, "device", true, "x", "never shown");
}

static void derive_one(struct assay_call *call, const struct assay_evidence *evidence)
{
    uint8_t key[32];

    (void)evidence;
    (void)assay_derive_key(call, 1, 2, key);
    assay_require(call, "key", true, "x", "never shown");
}

static void find_two(struct assay_call *call, const struct assay_evidence *evidence)
{
    struct assay_bytes tokens[] = {evidence->app, evidence->format};

    (void)assay_find_used(call, tokens, 2, NULL);
    assay_require(call, "used", true, "x", "never shown");
}

static void exhaust(struct assay_call *call, const struct assay_evidence *evidence)
{
    (void)evidence;
    while (assay_allocate(call, 64 * 1024))
        continue;
    assay_require(call, "memory", true, "x", "never shown");
}

static void fail_with_text(struct assay_call *call, const struct assay_evidence *evidence)
{
    assay_claim_text(call, "text", evidence->body);
    assay_require(call, "form", false, "malformed", "found %.*s\n%01500d", (int)evidence->body.size,
        (const char *)evidence->body.data, 1);
}

static void claim_undeclared(struct assay_call *call, const struct assay_evidence *evidence)
{
    (void)evidence;
    assay_require(call, "first", true, "x", "never shown");
    assay_claim_integer(call, "text", 1);
}

static void add_findings(struct assay_call *call, const struct assay_evidence *evidence)
{
    (void)evidence;
    for (int i = 0; i <= ASSAY_FINDINGS; i++)
        assay_require(call, "one", true, "x", "never shown");
}

static void register_device(struct assay_call *call, const struct assay_evidence *evidence)
{
    assay_require(call, "purpose", evidence->purpose == ASSAY_REGISTER, "x", "purpose %d", evidence->purpose);
    assay_register(call, evidence->app, evidence->body);
}

static void advance(struct assay_call *call, const struct assay_evidence *evidence)
{
    if (assay_require(call, "device", evidence->device != NULL, "unknown_device", "no device"))
        assay_advance(call, (uint32_t)evidence->device->counter + 1);
}

static void give_up(struct assay_call *call, const struct assay_evidence *evidence)
{
    const struct settings *settings = assay_configuration(call);

    (void)evidence;
    assay_error(call, "provider_down", "the provider %s does not answer", settings->word);
}

static void appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    static const struct {
        const char *word;
        void (*function)(struct assay_call *, const struct assay_evidence *);
    } commands[] = {
        {"claims", claim_all},
        {"host", ask_all},
        {"sleep", sleep_for},
        {"flood", flood},
        {"ask", ask_one},
        {"key", derive_one},
        {"used", find_two},
        {"exhaust", exhaust},
        {"undeclared", claim_undeclared},
        {"findings", add_findings},
        {"register", register_device},
        {"advance", advance},
        {"fault", give_up},
        {"text\xff", fail_with_text},
    };

    verify_client_data(call, evidence);
    assay_assurance(call, ASSAY_ASSURANCE_SOFTWARE);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (assay_bytes_are(evidence->body, commands[i].word)) {
            commands[i].function(call, evidence);
            return;
        }
    assay_refuse(call, "malformed", "expected a command, found %zu bytes", evidence->body.size);
}

/* A part of the payload: its body says what is measured. */
static void appraise_part(struct assay_call *call, const struct assay_evidence *evidence)
{
    assay_require(call, "payload", evidence->payload_sha256.size == 32 && evidence->client_data.size > 0, "malformed", "no payload");
    assay_verified_payload(call, evidence->payload_sha256.data);
    if (assay_bytes_are(evidence->body, "part")) {
        assay_claim_bytes(call, "document", evidence->signals);
        assay_measured(call, "lidar", ASSAY_PASS, "deviation %d mm", 600);
        assay_measured(call, "parallax", ASSAY_UNAVAILABLE, "no second picture");
    } else if (assay_bytes_are(evidence->body, "against")) {
        assay_measured(call, "lidar", ASSAY_FAIL, "deviation 0 mm");
    } else if (assay_bytes_are(evidence->body, "undeclared")) {
        assay_measured(call, "sound", ASSAY_PASS, "never shown");
    } else if (assay_bytes_are(evidence->body, "twice")) {
        for (int i = 0; i < 2; i++)
            assay_measured(call, "lidar", ASSAY_PASS, "never shown");
    } else {
        assay_measured(call, "lidar", ASSAY_PASS, "never shown");
        assay_require(call, "part", false, "not_a_part", "expected a part, found %zu bytes", evidence->body.size);
    }
}

static void locate(struct assay_call *call, const struct assay_evidence *evidence)
{
    if (assay_bytes_are(evidence->body, "refuse"))
        assay_refuse(call, "malformed", "refused");
    else if (assay_bytes_are(evidence->body, "advance"))
        assay_subject(call, assay_string("known"));
}

static void prepare(struct assay_call *call, const struct assay_evidence *request)
{
    if (request->body.size == 0)
        assay_refuse(call, "malformed", "expected a body");
    else
        assay_prepared(call, request->body, request->now_ms + 1000);
}

static void observe(struct assay_call *call, const struct assay_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        assay_log(call, ASSAY_DEBUG, "%.*s %zu %d", (int)events->events[i].app.size, (const char *)events->events[i].app.data,
            events->events[i].format_count, events->events[i].accepted);
    assay_count(call, "dropped", events->dropped);
}

static void check_health(struct assay_call *call)
{
    const struct settings *settings = assay_configuration(call);

    if (settings && settings->flag)
        assay_error(call, "unhealthy", "the flag is set");
}

static const struct assay_claim_declaration claims[] = {
    {"text", ASSAY_CLAIM_TEXT, "text"},
    {"integer", ASSAY_CLAIM_INTEGER, "an integer"},
    {"boolean", ASSAY_CLAIM_BOOLEAN, "a boolean"},
    {"bytes", ASSAY_CLAIM_BYTES, "bytes"},
    {"texts", ASSAY_CLAIM_TEXTS, "texts"},
    {"time", ASSAY_CLAIM_TIME, "a time"},
    {0},
};

static const struct assay_code_declaration codes[] = {{"remark", ASSAY_RETRY_NEVER, "a remark"}, {0}};

static const struct assay_claim_declaration part_claims[] = {{"document", ASSAY_CLAIM_BYTES, "the signed document"}, {0}};

static const struct assay_code_declaration part_codes[] = {
    {"not_a_part", ASSAY_RETRY_NEVER, "no part of the payload"},
    {"malformed", ASSAY_RETRY_NEVER, "malformed"},
    {0},
};

static const struct assay_vendor_code part_vendor_codes[] = {{"not_a_part", "ERR 7 (part)"}, {0}};

static const char *const part_measures[] = {"lidar", "parallax", NULL};

static const struct assay_format formats[] = {
    {
        .name = "specimen",
        .purposes = ASSAY_FOR(ASSAY_ASSERT) | ASSAY_FOR(ASSAY_REGISTER),
        .size_limit = 64,
        .freshness = ASSAY_CHALLENGE,
        .claims = claims,
        .codes = codes,
        .appraise = appraise,
        .locate = locate,
        .prepare = prepare,
    },
    {
        .name = "specimen.part",
        .purposes = ASSAY_FOR(ASSAY_ASSERT),
        .size_limit = 64,
        .freshness = ASSAY_PAYLOAD,
        .claims = part_claims,
        .codes = part_codes,
        .vendor_codes = part_vendor_codes,
        .measures = part_measures,
        .appraise = appraise_part,
    },
    {0},
};

static const struct assay_configuration_key keys[] = {
    {"word", ASSAY_VALUE_TEXT, true, "a word"},
    {"number", ASSAY_VALUE_INTEGER, false, "a number"},
    {"flag", ASSAY_VALUE_BOOLEAN, false, "a flag"},
    {"layout", ASSAY_VALUE_TEXT, false, "a layout"},
    {"list", ASSAY_VALUE_LIST, false, "a list"},
    {0},
};

int main(void)
{
    static const struct assay_plugin plugin = {
        .name = "specimen",
        .version = "1.0.0",
        .formats = formats,
        .configuration_keys = keys,
        .host_services = ASSAY_FIND_DEVICE | ASSAY_FIND_USED | ASSAY_GET_ANCHORS | ASSAY_FIND_FLEET_DEVICE | ASSAY_DERIVE_KEY,
        .configuration_size = sizeof(struct settings),
        .read_configuration = read_configuration,
        .release_configuration = release_configuration,
        .observe = observe,
        .check_health = check_health,
    };

    return assay_plugin_run(&plugin);
}
