/* Describe: the author's declaration as a message. */
#include "handlers.h"

/* The numbers of the header are those of the contract. */
_Static_assert((int)ASSAY_RENEW == ASSAY__PLUGIN__V1__PURPOSE__PURPOSE_RENEW, "purposes");
_Static_assert((int)ASSAY_PAYLOAD == ASSAY__PLUGIN__V1__FRESHNESS__FRESHNESS_PAYLOAD, "freshness");
_Static_assert((int)ASSAY_UNAVAILABLE == ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_UNAVAILABLE, "outcomes");
_Static_assert((int)ASSAY_CLAIM_TIME == ASSAY__PLUGIN__V1__CLAIM_KIND__CLAIM_KIND_TIME, "kinds of claims");
_Static_assert((int)ASSAY_RETRY_CONTACT_OPERATOR == ASSAY__PLUGIN__V1__RETRY__RETRY_CONTACT_OPERATOR, "retry classes");
_Static_assert((int)ASSAY_VALUE_SECRET_FILE == ASSAY__PLUGIN__V1__VALUE_KIND__VALUE_KIND_SECRET_FILE, "kinds of values");
_Static_assert(ASSAY_DERIVE_KEY == 1 << ASSAY__PLUGIN__V1__HOST_SERVICE__HOST_SERVICE_DERIVE_KEY, "host services");
_Static_assert((int)ASSAY_ASSURANCE_SECURE_ELEMENT == ASSAY__PLUGIN__V1__ASSURANCE__ASSURANCE_SECURE_ELEMENT, "assurance");
_Static_assert((int)ASSAY_ERROR == ASSAY__PLUGIN__V1__LEVEL__LEVEL_ERROR, "levels");

enum { ENUM_LIMIT = 8 /* purposes and host services have fewer numbers than this */ };

/* The numbers whose bits are set. */
static size_t numbers_of(struct assay_call *call, unsigned set, int32_t **numbers)
{
    size_t count = 0;

    *numbers = arena_allocate(call->arena, ENUM_LIMIT * sizeof **numbers);
    for (int number = 0; *numbers && number < ENUM_LIMIT; number++)
        if (set & 1u << number)
            (*numbers)[count++] = number;
    return count;
}

static void describe_claims(struct assay_call *call, const struct assay_claim_declaration *claims, MESSAGE(Format) *format)
{
    size_t count = 0;

    while (claims && claims[count].name)
        count++;
    format->claims = arena_allocate(call->arena, count * sizeof *format->claims);
    for (size_t i = 0; format->claims && i < count; i++) {
        MESSAGE(ClaimDeclaration) *claim = call_message(call, DESCRIPTOR(claim_declaration));
        if (!claim)
            return;
        claim->name = binary_text(claims[i].name);
        claim->kind = (MESSAGE(ClaimKind))claims[i].kind;
        claim->meaning = text_field(claims[i].meaning);
        format->claims[format->n_claims++] = claim;
    }
}

/* The codes of another system, each at the declaration of its code. */
static void describe_vendor_codes(struct assay_call *call, const struct assay_vendor_code *vendor_codes, MESSAGE(Format) *format)
{
    for (; vendor_codes && vendor_codes->code; vendor_codes++) {
        size_t i = 0;
        while (i < format->n_codes && !assay_bytes_are(bytes_of(format->codes[i]->code), vendor_codes->code))
            i++;
        if (i < format->n_codes)
            format->codes[i]->vendor_code = text_field(vendor_codes->vendor_code);
        else
            call_fault(call, STATUS_INTERNAL, "undeclared_code", "the plugin gives %s a vendor code, and does not declare it",
                vendor_codes->code);
    }
}

static void describe_measures(struct assay_call *call, const char *const *measures, MESSAGE(Format) *format)
{
    size_t count = 0;

    while (measures && measures[count])
        count++;
    format->measures = arena_allocate(call->arena, count * sizeof *format->measures);
    for (size_t i = 0; format->measures && i < count; i++)
        format->measures[format->n_measures++] = binary_text(measures[i]);
}

static void describe_codes(struct assay_call *call, const struct assay_code_declaration *codes, MESSAGE(Format) *format)
{
    size_t count = 0;

    while (codes && codes[count].code)
        count++;
    format->codes = arena_allocate(call->arena, count * sizeof *format->codes);
    for (size_t i = 0; format->codes && i < count; i++) {
        MESSAGE(CodeDeclaration) *code = call_message(call, DESCRIPTOR(code_declaration));
        if (!code)
            return;
        code->code = binary_text(codes[i].code);
        code->retry = (MESSAGE(Retry))codes[i].retry;
        code->meaning = text_field(codes[i].meaning);
        format->codes[format->n_codes++] = code;
    }
}

static MESSAGE(Format) *describe_format(struct assay_call *call, const struct assay_format *format)
{
    MESSAGE(Format) *message = call_message(call, DESCRIPTOR(format));
    int32_t *purposes;

    if (!message)
        return NULL;
    message->name = binary_text(format->name);
    message->n_purposes = numbers_of(call, format->purposes, &purposes);
    message->purposes = (MESSAGE(Purpose) *)purposes;
    message->size_limit = format->size_limit;
    message->freshness = (MESSAGE(Freshness))format->freshness;
    message->locates = format->locate != NULL;
    message->prepares = format->prepare != NULL;
    describe_claims(call, format->claims, message);
    describe_codes(call, format->codes, message);
    describe_vendor_codes(call, format->vendor_codes, message);
    describe_measures(call, format->measures, message);
    return message;
}

static void describe_formats(struct assay_call *call, const struct assay_format *formats, MESSAGE(DescribeResponse) *response)
{
    size_t count = 0;

    while (formats && formats[count].name)
        count++;
    response->formats = arena_allocate(call->arena, count * sizeof *response->formats);
    for (size_t i = 0; response->formats && i < count; i++)
        if ((response->formats[response->n_formats] = describe_format(call, &formats[i])))
            response->n_formats++;
}

static void describe_keys(struct assay_call *call, const struct assay_configuration_key *keys,
    MESSAGE(DescribeResponse) *response)
{
    size_t count = 0;

    while (keys && keys[count].name)
        count++;
    response->configuration_keys = arena_allocate(call->arena, count * sizeof *response->configuration_keys);
    for (size_t i = 0; response->configuration_keys && i < count; i++) {
        MESSAGE(ConfigurationKey) *key = call_message(call, DESCRIPTOR(configuration_key));
        if (!key)
            return;
        key->name = binary_text(keys[i].name);
        key->kind = (MESSAGE(ValueKind))keys[i].kind;
        key->required = keys[i].required;
        key->meaning = text_field(keys[i].meaning);
        response->configuration_keys[response->n_configuration_keys++] = key;
    }
}

const ProtobufCMessage *serve_describe(struct assay_call *call, const void *request)
{
    static uint32_t versions[] = {ASSAY_PLUGIN_PROTOCOL};
    const struct assay_plugin *plugin = call->session->plugin;
    MESSAGE(DescribeResponse) *response = call_message(call, DESCRIPTOR(describe_response));
    int32_t *services;

    (void)request;
    if (!response)
        return NULL;
    response->name = binary_text(plugin->name);
    response->version = text_field(plugin->version);
    response->protocol_versions = versions;
    response->n_protocol_versions = 1;
    response->observes = plugin->observe != NULL;
    response->n_host_services = numbers_of(call, plugin->host_services, &services);
    response->host_services = (MESSAGE(HostService) *)services;
    describe_formats(call, plugin->formats, response);
    describe_keys(call, plugin->configuration_keys, response);
    return &response->base;
}
