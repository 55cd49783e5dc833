/* Observe and Health. */
#include "handlers.h"

static struct assay_bytes *list_of(struct assay_call *call, const ProtobufCBinaryData *values, size_t count)
{
    struct assay_bytes *list = arena_allocate(call->arena, count * sizeof *list);

    for (size_t i = 0; list && i < count; i++)
        list[i] = bytes_of(values[i]);
    return list;
}

static void fill_event(struct assay_call *call, struct assay_event *event, const MESSAGE(VerdictEvent) *message)
{
    event->request_id = bytes_of(message->request_id);
    event->app = bytes_of(message->app);
    event->caller = bytes_of(message->caller);
    event->purpose = (enum assay_purpose)message->purpose;
    event->formats = list_of(call, message->formats, message->n_formats);
    event->format_count = event->formats ? message->n_formats : 0;
    event->accepted = message->accepted;
    event->code = bytes_of(message->code);
    event->check = bytes_of(message->check);
    event->assurance = (enum assay_assurance)message->assurance;
    event->device_id = bytes_of(message->device_id);
    event->policy_digest = bytes_of(message->policy_digest);
    event->simulated = message->simulated;
    event->repeated_answer = message->repeated_answer;
    event->decided_at_ms = message->decided_at_unix_ms;
}

const ProtobufCMessage *serve_observe(struct assay_call *call, const void *message)
{
    const MESSAGE(ObserveRequest) *request = message;
    MESSAGE(ObserveResponse) *response = call_message(call, DESCRIPTOR(observe_response));
    struct assay_event *list = arena_allocate(call->arena, request->n_events * sizeof *list);
    struct assay_events events = {list, request->n_events, request->dropped};

    if (!call->session->plugin->observe)
        call_fault(call, STATUS_UNIMPLEMENTED, "unknown_method", "the plugin does not observe");
    if (!response || !list || call->faulty)
        return NULL;
    for (size_t i = 0; i < request->n_events; i++)
        fill_event(call, &list[i], request->events[i]);
    call->session->plugin->observe(call, &events);
    return &response->base;
}

const ProtobufCMessage *serve_health(struct assay_call *call, const void *message)
{
    MESSAGE(HealthResponse) *response = call_message(call, DESCRIPTOR(health_response));

    (void)message;
    if (!response)
        return NULL;
    if (call->session->plugin->check_health)
        call->session->plugin->check_health(call);
    /* A problem is the answer here, not a fault of the call. */
    if (call->faulty) {
        response->problem = text_field((const char *)call->fault.message.data);
        call->faulty = false;
    }
    return &response->base;
}
