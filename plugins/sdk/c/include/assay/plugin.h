/* A plugin of Assay in C: declare it in `struct assay_plugin`, and let main return assay_plugin_run(&plugin).
 * docs/reference/plugin-protocol.md is the specification of what the library does for the plugin.
 *
 * A plugin is one thread, and judges one call at a time. What is given to a handler, and what the functions below return, lasts
 * until the handler returns. No function below needs a check for memory: a call that needs more than ASSAY_CALL_MEMORY is
 * answered RESOURCE_EXHAUSTED, whatever the handler did. */
#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <assay/bytes.h>
#include <assay/json.h>
#include <assay/setting.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ASSAY_PLUGIN_PROTOCOL = 1,
    ASSAY_CALL_MEMORY = 8 * 1024 * 1024,
    ASSAY_FINDINGS = 64,
    ASSAY_CLAIMS = 64,
    ASSAY_TOKENS = 4,
    ASSAY_MEASUREMENTS = 16
};

/* MARK: Declaration */

enum assay_purpose {
    ASSAY_PURPOSE_NONE = 0,
    ASSAY_REGISTER = 1,
    ASSAY_ASSERT = 2,
    ASSAY_PROVISION = 3,
    ASSAY_RENEW = 4
};

/* A set of purposes: ASSAY_FOR(ASSAY_REGISTER) | ASSAY_FOR(ASSAY_ASSERT). */
#define ASSAY_FOR(purpose) (1u << (unsigned)(purpose))

enum assay_freshness {
    ASSAY_CHALLENGE = 1,  /* the device signs expected.client_data: call assay_verified_client_data */
    ASSAY_SINGLE_USE = 2, /* the evidence has a nonce of its own: call assay_use_token */
    ASSAY_STATEMENT = 3,  /* the same evidence may come again: call assay_statement */
    ASSAY_PAYLOAD = 4     /* the evidence is a part of the payload that another piece binds: call assay_verified_payload */
};

enum assay_claim_kind {
    ASSAY_CLAIM_TEXT = 1,
    ASSAY_CLAIM_INTEGER = 2,
    ASSAY_CLAIM_BOOLEAN = 3,
    ASSAY_CLAIM_BYTES = 4,
    ASSAY_CLAIM_TEXTS = 5,
    ASSAY_CLAIM_TIME = 6
};

/* What a caller may do after a rejection. */
enum assay_retry {
    ASSAY_RETRY_NEVER = 1,
    ASSAY_RETRY_NEW_CHALLENGE = 2,
    ASSAY_RETRY_RE_ATTEST = 3,
    ASSAY_RETRY_LATER = 4,
    ASSAY_RETRY_CONTACT_OPERATOR = 5
};

enum assay_value_kind {
    ASSAY_VALUE_ANY = 0,
    ASSAY_VALUE_TEXT = 1,
    ASSAY_VALUE_INTEGER = 2,
    ASSAY_VALUE_NUMBER = 3,
    ASSAY_VALUE_BOOLEAN = 4,
    ASSAY_VALUE_LIST = 5,
    ASSAY_VALUE_OBJECT = 6,
    ASSAY_VALUE_SECRET_FILE = 7 /* the operator names a file, the plugin is given its content as text */
};

/* What the plugin asks of the host beside assay_log, assay_count and assay_gauge: a set. */
enum assay_host_service {
    ASSAY_FIND_DEVICE = 1 << 1,
    ASSAY_FIND_USED = 1 << 2,
    ASSAY_GET_ANCHORS = 1 << 3,
    ASSAY_FIND_FLEET_DEVICE = 1 << 4,
    ASSAY_DERIVE_KEY = 1 << 5
};

/* The lists below end with an element without a name. */

struct assay_claim_declaration {
    const char *name;
    enum assay_claim_kind kind;
    const char *meaning;
};

/* A reason code of the plugin's own. Codes of docs/reference/reason-codes.md need no declaration. */
struct assay_code_declaration {
    const char *code;
    enum assay_retry retry;
    const char *meaning;
};

/* The code of another system that callers must speak, for one of the format's `codes`: 1 to 64 printable ASCII characters. It is shown with
 * the finding. */
struct assay_vendor_code {
    const char *code;
    const char *vendor_code;
};

struct assay_configuration_key {
    const char *name;
    enum assay_value_kind kind;
    bool required;
    const char *meaning;
};

struct assay_call;
struct assay_evidence;
struct assay_events;

struct assay_format {
    const char *name;     /* [a-z0-9.-]{1,64} */
    unsigned purposes;    /* a set: ASSAY_FOR(ASSAY_ASSERT) */
    uint32_t size_limit;  /* 1 to 524288 bytes */
    enum assay_freshness freshness;
    const struct assay_claim_declaration *claims;
    const struct assay_code_declaration *codes;
    const struct assay_vendor_code *vendor_codes; /* NULL: none */
    /* ASSAY_PAYLOAD: the signals of the confidence that appraisals may measure, such as "lidar"; [a-z0-9_]{1,32} each, at most
     * ASSAY_MEASUREMENTS, ended by NULL. NULL: none. */
    const char *const *measures;

    /* Judges evidence: adds findings, and after the last check claims and an effect. */
    void (*appraise)(struct assay_call *call, const struct assay_evidence *evidence);
    /* NULL, or says with assay_subject which of the plugin's devices the evidence is about. It asks the host nothing. */
    void (*locate)(struct assay_call *call, const struct assay_evidence *evidence);
    /* NULL, or makes with assay_prepared what a device needs before it can make evidence. */
    void (*prepare)(struct assay_call *call, const struct assay_evidence *request);
};

struct assay_plugin {
    const char *name;    /* [a-z0-9-]{1,64}: that of the catalog's entry */
    const char *version; /* for people */
    const struct assay_format *formats;
    const struct assay_configuration_key *configuration_keys;
    unsigned host_services; /* a set of enum assay_host_service */

    /* The type that holds the configuration: its size. `read_configuration` fills one, which is all zero, and reports problems
     * with the functions of <assay/setting.h>. It serves Validate and Configure; one with problems is never used. */
    size_t configuration_size;
    void (*read_configuration)(void *configuration, const struct assay_setting *settings);
    /* NULL, or releases what a configuration refers to. The library overwrites and frees the configuration itself. */
    void (*release_configuration)(void *configuration);

    /* NULL, or is given the verdicts of the plugin's apps. */
    void (*observe)(struct assay_call *call, const struct assay_events *events);
    /* NULL, or reports with assay_error why the plugin cannot work. */
    void (*check_health)(struct assay_call *call);
};

/* Serves the daemon until it ends the connection, and returns the status with which the process is to exit. */
int assay_plugin_run(const struct assay_plugin *plugin);

/* MARK: What is judged */

/* A device that the plugin registered. */
struct assay_device {
    struct assay_bytes id; /* 16 bytes */
    struct assay_bytes subject_key;
    struct assay_bytes public_key;
    int64_t counter;
    int64_t registered_at_ms;
};

/* What a handler judges. Members that a method does not have are zero: Locate has format, app and body; Prepare has the time
 * too. */
struct assay_evidence {
    struct assay_bytes format, app;
    enum assay_purpose purpose;
    struct assay_bytes body;           /* what the device sent */
    /* What the device was expected to sign: with ASSAY_CHALLENGE this device, with ASSAY_PAYLOAD that of the piece beside this one.
     * Otherwise empty. */
    struct assay_bytes client_data;
    struct assay_bytes payload_sha256; /* of the payload that the client data bind; empty if they bind none, never with ASSAY_PAYLOAD */
    /* ASSAY_PAYLOAD: the signed document of the request's signals, if it is the payload: its SHA-256 is payload_sha256. Otherwise empty. */
    struct assay_bytes signals;
    int64_t now_ms;                    /* the time to judge by, in milliseconds since 1970 */
    const struct assay_device *device; /* the one that locate named, or NULL */
    struct assay_bytes request_id;     /* 16 bytes, for log lines */
};

/* The configuration that `read_configuration` filled. */
const void *assay_configuration(const struct assay_call *call);

/* MARK: Findings */

/* Adds the finding of a check: passed, or failed with a reason code. Returns `passed`. `detail` is printf's format of a
 * sentence with what was expected and found, which is told to the caller only if the check failed. The first failed check is
 * the reason of the rejection. */
bool assay_require(struct assay_call *call, const char *check, bool passed, const char *code, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));

/* The check could not be made: the caller is answered UNAVAILABLE unless another check failed. */
void assay_unavailable(struct assay_call *call, const char *check, const char *code, const char *detail, ...)
    __attribute__((format(printf, 4, 5)));

/* The check was left out. */
void assay_skip(struct assay_call *call, const char *check, const char *detail, ...) __attribute__((format(printf, 3, 4)));

/* Something that decides nothing and is worth to be known; `word` is like a code. */
void assay_note(struct assay_call *call, const char *check, const char *word, const char *detail, ...)
    __attribute__((format(printf, 4, 5)));

/* Refuses a body that cannot be read, in locate and prepare. In appraise it is a failed check "form". */
void assay_refuse(struct assay_call *call, const char *code, const char *detail, ...) __attribute__((format(printf, 3, 4)));

/* MARK: What follows from accepted evidence. It is dropped if a check failed. */

enum assay_assurance {
    ASSAY_ASSURANCE_NONE = 0,
    ASSAY_ASSURANCE_SOFTWARE = 1,
    ASSAY_ASSURANCE_PLATFORM = 2,
    ASSAY_ASSURANCE_HARDWARE = 3,
    ASSAY_ASSURANCE_SECURE_ELEMENT = 4
};

void assay_assurance(struct assay_call *call, enum assay_assurance assurance);

/* Claims have the names and kinds that the format declares; text is UTF-8, at most 4096 bytes. */
void assay_claim_text(struct assay_call *call, const char *name, struct assay_bytes text);
void assay_claim_integer(struct assay_call *call, const char *name, int64_t integer);
void assay_claim_boolean(struct assay_call *call, const char *name, bool boolean);
void assay_claim_bytes(struct assay_call *call, const char *name, struct assay_bytes bytes);
void assay_claim_texts(struct assay_call *call, const char *name, const struct assay_bytes *texts, size_t count);
void assay_claim_time(struct assay_call *call, const char *name, int64_t milliseconds);

/* ASSAY_CHALLENGE: SHA-256 of the client data whose signature was verified. */
void assay_verified_client_data(struct assay_call *call, const uint8_t sha256[32]);
/* ASSAY_SINGLE_USE: uses up a token of 1 to 64 bytes, at most ASSAY_TOKENS of them. `used_code` is the reason if it was used
 * before. */
void assay_use_token(struct assay_call *call, struct assay_bytes token, int64_t until_ms, const char *used_code);
/* ASSAY_STATEMENT: what makes the statement unique, and until when it can be accepted. */
void assay_statement(struct assay_call *call, const uint8_t digest[32], int64_t until_ms);
/* ASSAY_PAYLOAD: SHA-256 of the payload that the body was shown to belong to. The daemon compares it with payload_sha256. */
void assay_verified_payload(struct assay_call *call, const uint8_t sha256[32]);

enum assay_outcome {
    ASSAY_PASS = 1,       /* it speaks for the capture */
    ASSAY_FAIL = 2,       /* it speaks against the capture, which alone rejects nothing */
    ASSAY_UNAVAILABLE = 3 /* it could not be measured */
};

/* ASSAY_PAYLOAD: what was measured for a signal of the format's `measures`, once for each: it bears on the confidence in the place of the
 * app's own word, and decides nothing. `detail` is printf's format of a sentence with the numbers. */
void assay_measured(struct assay_call *call, const char *signal, enum assay_outcome outcome, const char *detail, ...)
    __attribute__((format(printf, 4, 5)));
/* Registers a device, for purpose ASSAY_REGISTER. */
void assay_register(struct assay_call *call, struct assay_bytes subject_key, struct assay_bytes public_key);
/* Advances the counter of the device that locate named. */
void assay_advance(struct assay_call *call, uint32_t counter);

/* locate: the subject key of the device. */
void assay_subject(struct assay_call *call, struct assay_bytes subject_key);
/* prepare: the answer, and when it ends in milliseconds since 1970 (0: it does not say). */
void assay_prepared(struct assay_call *call, struct assay_bytes body, int64_t expiry_ms);

/* MARK: Faults */

/* The evidence cannot be judged: the caller is answered UNAVAILABLE. `reason` is a lower-case word. */
void assay_error(struct assay_call *call, const char *reason, const char *sentence, ...) __attribute__((format(printf, 3, 4)));

/* MARK: The host. Each answers for the call's app, plugin and format. */

/* If the host does not answer, the call ends UNAVAILABLE whatever the handler adds: the handler may return at once. */
enum assay_found {
    ASSAY_NO_ANSWER = -1,
    ASSAY_NOT_FOUND = 0,
    ASSAY_FOUND = 1
};

/* A device of the app's fleet. */
struct assay_fleet_device {
    struct assay_bytes id, serial, family;
    const uint32_t *tables; /* the numbers of its key tables */
    size_t table_count;
    struct assay_bytes public_key; /* SubjectPublicKeyInfo in DER */
    bool blocked;
};

enum assay_found assay_find_device(struct assay_call *call, struct assay_bytes subject_key, const struct assay_device **device);
/* ASSAY_FOUND: at least one of the tokens, at most ASSAY_TOKENS, was used. `used`, unless it is NULL, says which. */
enum assay_found assay_find_used(struct assay_call *call, const struct assay_bytes *tokens, size_t count, bool *used);
/* The certificates (DER) of the catalog's entry. ASSAY_NOT_FOUND: there are none. */
enum assay_found assay_get_anchors(struct assay_call *call, const struct assay_bytes **certificates, size_t *count);
enum assay_found assay_find_fleet_device(struct assay_call *call, const uint8_t secret[32],
    const struct assay_fleet_device **device);
/* Key `index` (0 to 999) of `table` (0 to 2499). ASSAY_NOT_FOUND: the fleet has no such table. Overwrite the key after its
 * use. */
enum assay_found assay_derive_key(struct assay_call *call, uint32_t table, uint32_t index, uint8_t key[32]);

enum assay_level {
    ASSAY_DEBUG = 1,
    ASSAY_INFO = 2,
    ASSAY_WARNING = 3,
    ASSAY_ERROR = 4
};

/* Writes a line to the daemon's log. No secrets, no evidence. */
void assay_log(struct assay_call *call, enum assay_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds to a counter, or sets a value, of the daemon's metrics: assay_plugin_value{name=}, with a name of [a-z0-9_]{1,64}, 32 at most. */
void assay_count(struct assay_call *call, const char *name, uint64_t increment);
void assay_gauge(struct assay_call *call, const char *name, double value);

/* MARK: Memory and time of a call */

/* Memory that lasts until the handler returns, all zero; NULL if the call has no more. */
void *assay_allocate(struct assay_call *call, size_t size);

/* The decoded text of a JSON string. False: it is no string. */
bool assay_json_text(struct assay_call *call, struct assay_json value, struct assay_bytes *text);
/* The bytes of a JSON string of strict Base64. False: it is no such string. */
bool assay_json_base64(struct assay_call *call, struct assay_json value, struct assay_bytes *bytes);

/* Sends the answers of earlier calls, which otherwise wait up to a millisecond for others: before work that takes many. */
void assay_flush(struct assay_call *call);

/* MARK: Observation */

/* A verdict that was given. */
struct assay_event {
    struct assay_bytes request_id, app, caller;
    enum assay_purpose purpose;
    const struct assay_bytes *formats;
    size_t format_count;
    bool accepted;
    struct assay_bytes code, check; /* of a rejection */
    enum assay_assurance assurance;
    struct assay_bytes device_id, policy_digest;
    bool simulated, repeated_answer;
    int64_t decided_at_ms;
};

struct assay_events {
    const struct assay_event *events;
    size_t count;
    uint64_t dropped; /* since the events before, because the plugin was too slow */
};

#ifdef __cplusplus
}
#endif
#endif
