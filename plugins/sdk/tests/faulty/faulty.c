/* A plugin with one fault, named by its argument: for the tests of `assay plugin check`, each of whose checks has to find one. Without an
 * argument it has none. Its evidence is 32 bytes: each byte of the SHA-256 of the client data, inverted.
 *
 * "names-device" is no fault: every body names a device, and of one that is not registered the plugin judges nothing, since the daemon
 * refuses it. "no-assurance", "registers" and "advances" claim what the daemon's verifier or commit refuses.
 *
 * With an argument that begins with "part" it has a second format, a part of a payload: 32 bytes, each byte of the payload's SHA-256,
 * inverted. "part" is no fault. */
#include <assay/plugin.h>

#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "frame.h"

enum { SIZE = 32, HOARD = 4096 };

static const char *fault = "";

static bool is(const char *name)
{
    return strcmp(fault, name) == 0;
}

static void hang(void)
{
    for (;;)
        pause();
}

/* MARK: The library's answers, changed by the linker's --wrap */

uint8_t *__real_frame_write_status(uint8_t *out, uint64_t call_id, const struct status *status);
uint8_t *__wrap_frame_write_status(uint8_t *out, uint64_t call_id, const struct status *status);

uint8_t *__wrap_frame_write_status(uint8_t *out, uint64_t call_id, const struct status *status)
{
    struct status changed = *status;

    if (is("unknown-method") && assay_bytes_are(status->reason, "unknown_method"))
        changed.code = 0;
    if (is("undecodable") && assay_bytes_are(status->reason, "undecodable_message"))
        changed.code = STATUS_INTERNAL;
    if (is("unconfigured") && assay_bytes_are(status->reason, "not_configured"))
        changed.code = 0;
    return __real_frame_write_status(out, is("other-call") ? call_id + 1000 : call_id, &changed);
}

/* MARK: The plugin */

static void read_configuration(void *configuration, const struct assay_setting *root)
{
    struct assay_setting key = assay_setting_member(root, "key");
    char text[65];

    (void)configuration;
    if (is("no-key") && !assay_setting_text(&key, text, sizeof text))
        abort();
    if (is("any-key"))
        return;
    if (assay_setting_required(&key))
        assay_setting_text(&key, text, sizeof text);
}

static void misbehave(struct assay_bytes body)
{
    if (is("empty-body") && body.size == 0)
        abort();
    if (is("slow") && body.size == 64 && body.data[0] == '[') {
        struct timespec time = {2, 300000000};

        nanosleep(&time, NULL);
    }
    if (is("leak")) {
        char *hoard = malloc(HOARD);

        if (hoard)
            memset(hoard, 1, HOARD);
    }
    if (is("noise")) {
        for (int i = 0; i < 1000; i++)
            fputs("a line that says nothing to anybody, and is written again and again\n", stderr);
    }
}

/* A measurement that the library would refuse. */
static void measure(struct assay_call *call, const char *signal, int outcome, const char *detail)
{
    MESSAGE(Measurement) *measurement = call_message(call, DESCRIPTOR(measurement));

    if (!measurement)
        return;
    measurement->signal = call_name(call, signal);
    measurement->outcome = (MESSAGE(Outcome))outcome;
    measurement->detail = text_field(detail);
    call->measurements[call->measurement_count++] = measurement;
}

static void appraise_part(struct assay_call *call, const struct assay_evidence *evidence)
{
    static const char payload[] = "payload";
    static char long_detail[1026];
    struct assay_bytes body = evidence->body;
    uint8_t hash[SIZE], verified[SIZE];
    bool right = body.size == SIZE;

    memcpy(hash, evidence->payload_sha256.data, SIZE);
    memcpy(verified, hash, SIZE);
    /* The body is compared with what it was made for, and the digest is the daemon's own. */
    if (is("part-echo") && !EVP_Digest(payload, sizeof payload - 1, hash, NULL, EVP_sha256(), NULL)) {
        assay_error(call, "libcrypto_failed", "libcrypto cannot make a SHA-256");
        return;
    }
    for (size_t i = 0; i < SIZE; i++)
        hash[i] = (uint8_t)~hash[i];
    right = right && memcmp(body.data, hash, SIZE) == 0;
    if (!assay_require(call, "digest", right, "bad_signature", "the evidence is no part of this payload"))
        return;
    if (is("part-other"))
        verified[0] ^= 1;
    if (!is("part-silent"))
        assay_verified_payload(call, verified);
    if (is("part-effect"))
        assay_register(call, assay_string("camera"), assay_string("key"));
    memset(long_detail, 'x', sizeof long_detail - 1);
    measure(call, is("part-undeclared") ? "sound" : "lidar",
        is("part-note") ? ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_NOTE
        : is("part-skipped") ? ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_SKIPPED : ASSAY__PLUGIN__V1__OUTCOME__OUTCOME_PASS,
        is("part-long") ? long_detail : "deviation 0.6 m");
}

static void appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    struct assay_bytes body = evidence->body;
    uint8_t digest[SIZE], expected[SIZE];
    static unsigned judged;
    size_t compared = is("last-byte") ? SIZE - 1 : SIZE;
    bool right;

    misbehave(body);
    if (is("names-device") && body.size > 0 && !evidence->device) {
        uint8_t client_data[SIZE];

        EVP_Digest(evidence->client_data.data, evidence->client_data.size, client_data, NULL, EVP_sha256(), NULL);
        assay_require(call, "device", true, "unknown_device", "not reached");
        assay_verified_client_data(call, client_data);
        assay_assurance(call, ASSAY_ASSURANCE_SOFTWARE);
        return;
    }
    if (!EVP_Digest(evidence->client_data.data, evidence->client_data.size, digest, NULL, EVP_sha256(), NULL)) {
        assay_error(call, "libcrypto_failed", "libcrypto cannot make a SHA-256");
        return;
    }
    for (size_t i = 0; i < SIZE; i++)
        expected[i] = (uint8_t)~digest[i];
    right = is("accept") || (body.size == SIZE && memcmp(expected, body.data, compared) == 0);
    if (is("reject"))
        right = false;
    if (!assay_require(call, "digest", right, "bad_signature", "the evidence is not of this client data"))
        return;
    if (is("client-data"))
        digest[0] ^= 1;
    assay_verified_client_data(call, digest);
    if (is("undeclared-claim"))
        assay_claim_text(call, "undeclared", assay_string("claim"));
    if (is("no-assurance"))
        return;
    if (is("registers"))
        assay_register(call, assay_string("camera"), assay_string("key"));
    if (is("advances"))
        assay_advance(call, 7);
    if (is("part-beside"))
        measure(call, "lidar", ASSAY_PASS, "beside another freshness");
    assay_assurance(call, is("alternating") && ++judged % 2 == 0 ? ASSAY_ASSURANCE_PLATFORM : ASSAY_ASSURANCE_SOFTWARE);
}

static void locate(struct assay_call *call, const struct assay_evidence *evidence)
{
    bool named = is("names-device") && evidence->body.size > 0;

    /* The evidence of a client's data is its device's name too. */
    if (named)
        assay_subject(call, evidence->body);
    else if (is("advances") && evidence->body.size > 0)
        assay_subject(call, assay_string("camera"));
}

static const char *const measures[] = {"lidar", NULL};

static struct assay_format formats[] = {
    {.name = "test.faulty", .purposes = ASSAY_FOR(ASSAY_ASSERT), .size_limit = 64, .freshness = ASSAY_CHALLENGE, .appraise = appraise},
    {0}, /* the part, if there is one */
    {0},
};

static const struct assay_configuration_key keys[] = {{"key", ASSAY_VALUE_TEXT, true, "any text"}, {0}};

static struct assay_plugin plugin = {
    .name = "faulty", .version = "1.0.0", .formats = formats, .configuration_keys = keys, .configuration_size = 1,
    .read_configuration = read_configuration,
};

static int ended(int status)
{
    /* Started by hand. */
    if (status == 64)
        return status;
    if ((is("hang-at-end") && status == 0) || (is("hang-at-fault") && status != 0))
        hang();
    if (is("abort-at-fault") && status != 0)
        abort();
    if (is("status-at-end"))
        return 3;
    if (is("never-fails"))
        return 0;
    return status;
}

int main(int count, char *arguments[])
{
    static char version[32];

    if (count > 1)
        fault = arguments[1];
    if (is("mute"))
        hang();
    if (is("format"))
        formats[0].size_limit = 1u << 30;
    if (is("names-device") || is("advances"))
        formats[0].locate = locate;
    if (strncmp(fault, "part", 4) == 0)
        formats[1] = (struct assay_format){.name = "test.part", .purposes = ASSAY_FOR(ASSAY_ASSERT), .size_limit = 64,
            .freshness = ASSAY_PAYLOAD, .measures = measures, .appraise = appraise_part};
    if (is("registers"))
        formats[0].purposes = ASSAY_FOR(ASSAY_REGISTER);
    if (is("changing")) {
        snprintf(version, sizeof version, "1.0.%d", getpid());
        plugin.version = version;
    }
    if (is("by-hand") && strcmp(getenv("ASSAY_PLUGIN_COOKIE") ? getenv("ASSAY_PLUGIN_COOKIE") : "", "1b5f6a40-assay-plugin-v1") != 0)
        return 0;
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    return ended(assay_plugin_run(&plugin));
}
