/* What a handler says of evidence: findings, claims and effects. */
#include "call.h"

static void add_finding(struct assay_call *call, int outcome, const char *check, const char *code, const char *detail)
{
    MESSAGE(Finding) *finding;

    if (call->finding_count == ASSAY_FINDINGS) {
        call_fault(call, STATUS_INTERNAL, "too_many_findings", "the plugin added more than %d findings", ASSAY_FINDINGS);
        return;
    }
    finding = call_message(call, DESCRIPTOR(finding));
    if (!finding)
        return;
    finding->check = call_name(call, check);
    finding->outcome = (MESSAGE(Outcome))outcome;
    finding->code = call_name(call, code);
    finding->detail = text_field(detail);
    call->findings[call->finding_count++] = finding;
    call->failed |= outcome == ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_FAIL
        || outcome == ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_UNAVAILABLE;
}

/* Calls add_finding with the sentence of the arguments behind `format`. */
#define ADD_FINDING(call, outcome, check, code, format)                                                             \
    do {                                                                                                            \
        va_list arguments;                                                                                          \
        va_start(arguments, format);                                                                                \
        add_finding(call, ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_##outcome, check, code, call_sentence(call, format, arguments)); \
        va_end(arguments);                                                                                          \
    } while (0)

bool assay_require(struct assay_call *call, const char *check, bool passed, const char *code, const char *detail, ...)
{
    if (passed)
        add_finding(call, ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_PASS, check, "", "");
    else
        ADD_FINDING(call, FAIL, check, code, detail);
    return passed;
}

void assay_unavailable(struct assay_call *call, const char *check, const char *code, const char *detail, ...)
{
    ADD_FINDING(call, UNAVAILABLE, check, code, detail);
}

void assay_skip(struct assay_call *call, const char *check, const char *detail, ...)
{
    ADD_FINDING(call, SKIPPED, check, "", detail);
}

void assay_note(struct assay_call *call, const char *check, const char *word, const char *detail, ...)
{
    ADD_FINDING(call, NOTE, check, word, detail);
}

void assay_refuse(struct assay_call *call, const char *code, const char *detail, ...)
{
    va_list arguments;
    const char *sentence;

    va_start(arguments, detail);
    sentence = call_sentence(call, detail, arguments);
    va_end(arguments);
    if (call->appraises) {
        add_finding(call, ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_FAIL, "form", code, sentence);
        return;
    }
    if (call->refusal || !(call->refusal = call_message(call, DESCRIPTOR(refusal))))
        return;
    call->refusal->code = call_name(call, code);
    call->refusal->detail = text_field(sentence);
}

void assay_assurance(struct assay_call *call, enum assay_assurance assurance)
{
    call->appraisal.assurance = (MESSAGE(Assurance))assurance;
}

/* MARK: Claims */

static bool is_declared(const struct assay_format *format, const char *name, enum assay_claim_kind kind)
{
    for (const struct assay_claim_declaration *claim = format ? format->claims : NULL; claim && claim->name; claim++)
        if (strcmp(claim->name, name) == 0)
            return claim->kind == kind;
    return false;
}

/* The daemon refuses an appraisal with a claim that was not declared; this says so to the author at the first try. */
static MESSAGE(Claim) *add_claim(struct assay_call *call, const char *name, enum assay_claim_kind kind)
{
    MESSAGE(Claim) *claim;

    if (!is_declared(call->format, name, kind) || call->claim_count == ASSAY_CLAIMS) {
        call_fault(call, STATUS_INTERNAL, "undeclared_claim",
            "the plugin added the claim %s of kind %d, which its format does not declare, or more than %d claims", name, kind,
            ASSAY_CLAIMS);
        return NULL;
    }
    claim = call_message(call, DESCRIPTOR(claim));
    if (!claim)
        return NULL;
    claim->name = call_name(call, name);
    call->claims[call->claim_count++] = claim;
    return claim;
}

void assay_claim_text(struct assay_call *call, const char *name, struct assay_bytes text)
{
    MESSAGE(Claim) *claim = add_claim(call, name, ASSAY_CLAIM_TEXT);

    if (!claim)
        return;
    claim->value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_TEXT;
    claim->text = binary_of(arena_copy(call->arena, text));
}

void assay_claim_integer(struct assay_call *call, const char *name, int64_t integer)
{
    MESSAGE(Claim) *claim = add_claim(call, name, ASSAY_CLAIM_INTEGER);

    if (!claim)
        return;
    claim->value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_INTEGER;
    claim->integer = integer;
}

void assay_claim_boolean(struct assay_call *call, const char *name, bool boolean)
{
    MESSAGE(Claim) *claim = add_claim(call, name, ASSAY_CLAIM_BOOLEAN);

    if (!claim)
        return;
    claim->value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_BOOLEAN;
    claim->boolean = boolean;
}

void assay_claim_bytes(struct assay_call *call, const char *name, struct assay_bytes bytes)
{
    MESSAGE(Claim) *claim = add_claim(call, name, ASSAY_CLAIM_BYTES);

    if (!claim)
        return;
    claim->value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_BINARY;
    claim->binary = binary_of(arena_copy(call->arena, bytes));
}

void assay_claim_texts(struct assay_call *call, const char *name, const struct assay_bytes *texts, size_t count)
{
    MESSAGE(Claim) *claim = add_claim(call, name, ASSAY_CLAIM_TEXTS);
    MESSAGE(Texts) *list = claim ? call_message(call, DESCRIPTOR(texts)) : NULL;

    if (!list || !(list->values = arena_allocate(call->arena, count * sizeof *list->values)))
        return;
    for (size_t i = 0; i < count; i++)
        list->values[i] = binary_of(arena_copy(call->arena, texts[i]));
    list->n_values = count;
    claim->value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_TEXTS;
    claim->texts = list;
}

void assay_claim_time(struct assay_call *call, const char *name, int64_t milliseconds)
{
    MESSAGE(Claim) *claim = add_claim(call, name, ASSAY_CLAIM_TIME);

    if (!claim)
        return;
    claim->value_case = ASSAY__PLUGIN__V1__CLAIM__VALUE_TIME_UNIX_MS;
    claim->time_unix_ms = milliseconds;
}

/* MARK: Freshness and effects */

void assay_verified_client_data(struct assay_call *call, const uint8_t sha256[32])
{
    call->appraisal.verified_client_data_sha256 = binary_of(arena_copy(call->arena, assay_bytes(sha256, 32)));
}

void assay_use_token(struct assay_call *call, struct assay_bytes token, int64_t until_ms, const char *used_code)
{
    MESSAGE(UsedToken) *used;

    if (call->token_count == ASSAY_TOKENS || token.size == 0 || token.size > 64) {
        call_fault(call, STATUS_INTERNAL, "token_invalid",
            "the plugin used up more than %d tokens, or one of %zu bytes; expected 1 to 64",
            ASSAY_TOKENS, token.size);
        return;
    }
    if (!(used = call_message(call, DESCRIPTOR(used_token))))
        return;
    used->token = binary_of(arena_copy(call->arena, token));
    used->until_unix_ms = until_ms;
    used->used_code = call_name(call, used_code);
    call->tokens[call->token_count++] = used;
}

void assay_statement(struct assay_call *call, const uint8_t digest[32], int64_t until_ms)
{
    MESSAGE(Statement) *statement = call_message(call, DESCRIPTOR(statement));

    if (!statement)
        return;
    statement->digest = binary_of(arena_copy(call->arena, assay_bytes(digest, 32)));
    statement->until_unix_ms = until_ms;
    call->appraisal.statement = statement;
}

void assay_verified_payload(struct assay_call *call, const uint8_t sha256[32])
{
    call->appraisal.verified_payload_sha256 = binary_of(arena_copy(call->arena, assay_bytes(sha256, 32)));
}

static bool measures(const struct assay_format *format, const char *signal)
{
    for (const char *const *measure = format ? format->measures : NULL; measure && *measure; measure++)
        if (strcmp(*measure, signal) == 0)
            return true;
    return false;
}

static bool was_measured(const struct assay_call *call, const char *signal)
{
    for (size_t i = 0; i < call->measurement_count; i++)
        if (assay_bytes_are(bytes_of(call->measurements[i]->signal), signal))
            return true;
    return false;
}

void assay_measured(struct assay_call *call, const char *signal, enum assay_outcome outcome, const char *detail, ...)
{
    MESSAGE(Measurement) *measurement;
    va_list arguments;

    if (!measures(call->format, signal) || was_measured(call, signal) || call->measurement_count == ASSAY_MEASUREMENTS) {
        call_fault(call, STATUS_INTERNAL, "undeclared_measurement",
            "the plugin measured %s, which its format does not declare, or twice", signal);
        return;
    }
    if (!(measurement = call_message(call, DESCRIPTOR(measurement))))
        return;
    va_start(arguments, detail);
    measurement->detail = text_field(call_sentence(call, detail, arguments));
    va_end(arguments);
    measurement->signal = call_name(call, signal);
    measurement->outcome = (MESSAGE(Outcome))outcome;
    call->measurements[call->measurement_count++] = measurement;
}

static MESSAGE(Effect) *set_effect(struct assay_call *call)
{
    MESSAGE(Effect) *effect;

    if (call->appraisal.effect) {
        call_fault(call, STATUS_INTERNAL, "two_effects",
            "the plugin asked for two effects; expected one of register and advance");
        return NULL;
    }
    effect = call_message(call, DESCRIPTOR(effect));
    call->appraisal.effect = effect;
    return effect;
}

void assay_register(struct assay_call *call, struct assay_bytes subject_key, struct assay_bytes public_key)
{
    MESSAGE(Effect) *effect = set_effect(call);
    MESSAGE(Registration) *registration = effect ? call_message(call, DESCRIPTOR(registration)) : NULL;

    if (!registration)
        return;
    registration->subject_key = binary_of(arena_copy(call->arena, subject_key));
    registration->public_key = binary_of(arena_copy(call->arena, public_key));
    effect->kind_case = ASSAY__PLUGIN__V1__EFFECT__KIND_REGISTRATION;
    effect->registration = registration;
}

void assay_advance(struct assay_call *call, uint32_t counter)
{
    MESSAGE(Effect) *effect = set_effect(call);
    MESSAGE(Advance) *advance = effect ? call_message(call, DESCRIPTOR(advance)) : NULL;

    if (!advance)
        return;
    advance->counter = counter;
    effect->kind_case = ASSAY__PLUGIN__V1__EFFECT__KIND_ADVANCE;
    effect->advance = advance;
}

/* MARK: Locate and Prepare */

void assay_subject(struct assay_call *call, struct assay_bytes subject_key)
{
    call->answer = arena_copy(call->arena, subject_key);
}

void assay_prepared(struct assay_call *call, struct assay_bytes body, int64_t expiry_ms)
{
    call->answer = arena_copy(call->arena, body);
    call->expiry_ms = expiry_ms;
}
