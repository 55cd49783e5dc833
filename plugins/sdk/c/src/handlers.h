/* What the methods do: each decodes nothing and answers nothing, but turns a request into a response by the author's
 * functions. */
#ifndef ASSAY_HANDLERS_H
#define ASSAY_HANDLERS_H

#include "call.h"

const ProtobufCMessage *serve_describe(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_validate(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_configure(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_locate(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_appraise(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_prepare(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_observe(struct assay_call *call, const void *request);
const ProtobufCMessage *serve_health(struct assay_call *call, const void *request);

/* A device of the plugin as authors see it, in the call's memory; NULL for NULL. */
const struct assay_device *device_of(struct assay_call *call, const MESSAGE(Device) *message);

#endif
