/* One call of the daemon while it is served: what the author's handler has said so far. */
#ifndef ASSAY_CALL_H
#define ASSAY_CALL_H

#include <stdarg.h>

#include "messages.h"
#include "session.h"

enum { PROBLEMS = 100 /* plugin.proto: ValidateResponse */ };

struct assay_call {
    struct session *session;
    struct arena *arena;
    const struct assay_format *format; /* NULL: the method has none */
    bool appraises;
    struct assay_bytes token; /* names the call to the host */
    int64_t deadline_us;      /* of monotonic_us; 0: none */

    bool faulty; /* the answer is the status below */
    struct status fault;

    MESSAGE(Finding) *findings[ASSAY_FINDINGS];
    size_t finding_count;
    bool failed; /* a check failed or could not be made */
    MESSAGE(Claim) *claims[ASSAY_CLAIMS];
    size_t claim_count;
    MESSAGE(UsedToken) *tokens[ASSAY_TOKENS];
    size_t token_count;
    MESSAGE(Measurement) *measurements[ASSAY_MEASUREMENTS];
    size_t measurement_count;
    MESSAGE(AppraiseResponse) appraisal; /* the members that are no lists */

    MESSAGE(Refusal) *refusal;
    struct assay_bytes answer; /* locate: the subject key; prepare: the body */
    int64_t expiry_ms;
};

struct assay_problems {
    struct assay_call *call;
    MESSAGE(Problem) *problems[PROBLEMS];
    size_t count;
};

/* A message in the call's memory, with default values; NULL if there is no more. */
void *call_message(struct assay_call *call, const ProtobufCMessageDescriptor *descriptor);

/* A formatted sentence in the call's memory; never NULL. */
const char *call_sentence(struct assay_call *call, const char *format, va_list arguments);

/* A copy of a name or code in the call's memory. */
ProtobufCBinaryData call_name(struct assay_call *call, const char *name);

/* The first fault of a call stays. `reason` is copied. */
void call_fault(struct assay_call *call, enum status_code code, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
