/* Validate and Configure, by the same function of the author's. */
#include <stdlib.h>

#include "handlers.h"
#include "text.h"

static void close_configuration(const struct assay_plugin *plugin, void *configuration)
{
    if (plugin->release_configuration)
        plugin->release_configuration(configuration);
    assay_wipe(configuration, plugin->configuration_size);
    free(configuration);
}

/* One byte for a plugin without a configuration of its own: a session with none is not configured. */
static void *open_configuration(struct assay_call *call)
{
    size_t size = call->session->plugin->configuration_size;
    void *configuration = calloc(1, size > 0 ? size : 1);

    if (!configuration)
        call_fault(call, STATUS_RESOURCE_EXHAUSTED, "too_much_memory", "there is no memory for the configuration");
    return configuration;
}

static void report(struct assay_problems *problems, const char *path, const char *sentence)
{
    MESSAGE(Problem) *problem;

    if (problems->count == PROBLEMS || !(problem = call_message(problems->call, DESCRIPTOR(problem))))
        return;
    problem->path = text_field(path);
    problem->sentence = text_field(sentence);
    problems->problems[problems->count++] = problem;
}

static void report_with(struct assay_problems *problems, const char *path, const char *format, va_list arguments)
{
    struct assay_bytes copy = arena_copy(problems->call->arena, assay_bytes(path, strlen(path) + 1));

    report(problems, (const char *)copy.data, call_sentence(problems->call, format, arguments));
}

void assay_setting_report(const struct assay_setting *setting, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report_with(setting->problems, setting->path, format, arguments);
    va_end(arguments);
}

static void read_configuration(struct assay_problems *problems, void *configuration, struct assay_bytes document)
{
    const struct assay_plugin *plugin = problems->call->session->plugin;
    struct assay_setting settings = {.problems = problems};
    struct assay_json_error error;

    if (!assay_json_parse(document, &settings.value, &error))
        assay_setting_report(&settings, "the configuration is no JSON: at byte %zu: %s", error.at, error.what);
    else if (settings.value.kind != ASSAY_JSON_OBJECT)
        assay_setting_report(&settings, "expected an object, found %s", assay_json_kind_name(settings.value.kind));
    else if (plugin->read_configuration)
        plugin->read_configuration(configuration, &settings);
}

/* The problems in the call's memory. */
static MESSAGE(Problem) **list_of(struct assay_problems *problems)
{
    size_t size = problems->count * sizeof problems->problems[0];
    MESSAGE(Problem) **list = arena_allocate(problems->call->arena, size);

    if (list && size > 0)
        memcpy(list, problems->problems, size);
    return list;
}

const ProtobufCMessage *serve_validate(struct assay_call *call, const void *message)
{
    const MESSAGE(ValidateRequest) *request = message;
    MESSAGE(ValidateResponse) *response = call_message(call, DESCRIPTOR(validate_response));
    struct assay_problems problems = {.call = call};
    void *configuration = open_configuration(call);

    if (!response || !configuration) {
        free(configuration);
        return NULL;
    }
    read_configuration(&problems, configuration, bytes_of(request->configuration));
    close_configuration(call->session->plugin, configuration);
    response->problems = list_of(&problems);
    response->n_problems = response->problems ? problems.count : 0;
    return &response->base;
}

/* Keeps the configuration if it can be used. */
static void settle(struct assay_call *call, const struct assay_problems *problems, void *configuration)
{
    if (problems->count == 0 && !call->arena->exhausted && !call->faulty)
        call->session->configuration = configuration;
    else
        close_configuration(call->session->plugin, configuration);
}

const ProtobufCMessage *serve_configure(struct assay_call *call, const void *message)
{
    const MESSAGE(ConfigureRequest) *request = message;
    MESSAGE(ConfigureResponse) *response = call_message(call, DESCRIPTOR(configure_response));
    struct assay_problems problems = {.call = call};
    struct assay_setting whole = {.problems = &problems};
    void *configuration;

    if (call->session->configuration)
        call_fault(call, STATUS_FAILED_PRECONDITION, "already_configured",
            "a process is configured once: a changed configuration comes to a new one");
    if (!response || call->faulty || !(configuration = open_configuration(call)))
        return NULL;
    if (request->protocol_version != ASSAY_PLUGIN_PROTOCOL)
        assay_setting_report(&whole, "the plugin speaks version %d of the protocol, the daemon chose %u", ASSAY_PLUGIN_PROTOCOL,
            request->protocol_version);
    read_configuration(&problems, configuration, bytes_of(request->configuration));
    response->problems = list_of(&problems);
    response->n_problems = response->problems ? problems.count : 0;
    settle(call, &problems, configuration);
    return &response->base;
}
