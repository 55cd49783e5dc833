/* A plugin that harms whatever it can: for the tests of the daemon's supervision. How it answers one piece of evidence is the first word of the body;
 * how it starts is its argument. */
#include <assay/plugin.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTION = 3 };

static void pause_for(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    while (nanosleep(&time, &time) < 0 && errno == EINTR)
        ;
}

static void write_all(int descriptor, const void *bytes, size_t size)
{
    const char *next = bytes;

    while (size > 0) {
        ssize_t count = write(descriptor, next, size);

        if (count <= 0)
            return;
        next += count;
        size -= (size_t)count;
    }
}

static void hang(void)
{
    for (;;)
        pause_for(1000);
}

static void flood_output(void)
{
    char line[4096];

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 4096; i++)
        write_all(STDERR_FILENO, line, sizeof line);
}

static void send_garbage(void)
{
    static const char garbage[] = "\x00\x00\x00\x08nothing!";

    write_all(CONNECTION, garbage, sizeof garbage - 1);
    hang();
}

/* The length of a frame of 2 GiB. */
static void announce_huge(void)
{
    write_all(CONNECTION, "\x7f\xff\xff\xff", 4);
    hang();
}

/* Replies to calls that were never made, with an empty message: field 1, the call id; field 3, the reply. */
static void answer_others(void)
{
    for (unsigned char id = 100; id < 127; id++) {
        unsigned char frame[] = {0, 0, 0, 4, 0x08, id, 0x1a, 0};

        write_all(CONNECTION, frame, sizeof frame);
    }
}

/* Sends one frame for ever, and reads nothing. */
static void flood_frame(const void *frame, size_t size)
{
    enum { COPIES = 1024 };
    char *frames = malloc(size * COPIES);

    for (int i = 0; frames && i < COPIES; i++)
        memcpy(frames + (size_t)i * size, frame, size);
    for (;;)
        write_all(CONNECTION, frames, size * COPIES);
}

/* Floods of each kind of frame. A reply, an item, an end and a cancel name a call that nobody made; 63 is a kind that does not exist. */
static void flood_kind(struct assay_bytes kind)
{
    static const struct {
        const char *name;
        size_t size;
        unsigned char frame[16];
    } floods[] = {
        {"ping", 6, {0, 0, 0, 2, 0x3a, 0}},
        {"pong", 6, {0, 0, 0, 2, 0x42, 0}},
        {"go_away", 6, {0, 0, 0, 2, 0x4a, 0}},
        {"reply", 8, {0, 0, 0, 4, 0x08, 99, 0x1a, 0}},
        {"item", 8, {0, 0, 0, 4, 0x08, 99, 0x22, 0}},
        {"end", 8, {0, 0, 0, 4, 0x08, 99, 0x2a, 0}},
        {"cancel", 8, {0, 0, 0, 4, 0x08, 99, 0x32, 0}},
        {"unknown", 9, {0, 0, 0, 5, 0x08, 99, 0xfa, 0x03, 0}},
    };

    for (size_t i = 0; i < sizeof floods / sizeof floods[0]; i++) {
        if (kind.size == strlen(floods[i].name) && memcmp(kind.data, floods[i].name, kind.size) == 0)
            flood_frame(floods[i].frame, floods[i].size);
    }
}

/* Calls the host without ever reading its answers. */
static void flood_host(void)
{
    static const char method[] = "/assay.plugin.v1.Host/Log";
    enum { METHOD = sizeof method - 1, CALL = 2 + METHOD, FRAME = 4 + CALL };
    unsigned char frame[4 + FRAME + 4] = {0};

    for (unsigned id = 1000;; id++) {
        unsigned char *next = frame + 4;

        *next++ = 0x08;
        *next++ = (unsigned char)(0x80 | (id & 0x7f));
        *next++ = (unsigned char)(0x80 | (id >> 7 & 0x7f));
        *next++ = (unsigned char)(id >> 14 & 0x7f);
        *next++ = 0x12;
        *next++ = CALL;
        *next++ = 0x0a;
        *next++ = METHOD;
        memcpy(next, method, METHOD);
        next += METHOD;
        frame[3] = (unsigned char)(next - frame - 4);
        write_all(CONNECTION, frame, (size_t)(next - frame));
    }
}

static void eat_memory(void)
{
    size_t eaten = 0;
    char *block;

    while ((block = malloc(1 << 20))) {
        memset(block, 1, 1 << 20);
        eaten++;
    }
    fprintf(stderr, "ate %zu MiB\n", eaten);
    abort();
}

static void *idle_thread(void *spins)
{
    while (spins != NULL)
        ;
    hang();
    return NULL;
}

/* As many threads as are asked for, or as it gets: how many it says in its log. */
static void start_threads(long wanted, bool spin)
{
    pthread_attr_t small;
    long started = 0;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    for (pthread_t thread; started < wanted && pthread_create(&thread, &small, idle_thread, spin ? &small : NULL) == 0;)
        started++;
    fprintf(stderr, "started %ld threads\n", started);
}

static bool can_fork(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    return child > 0;
}

static bool can_connect(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);

    return descriptor >= 0 && (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 || errno != EPERM);
}

static bool says(struct assay_bytes body, const char *word)
{
    size_t size = strlen(word);

    return body.size >= size && memcmp(body.data, word, size) == 0 && (body.size == size || body.data[size] == ' ');
}

/* The number behind the first word. */
static long number(struct assay_bytes body)
{
    char text[32] = {0};
    const char *space;

    memcpy(text, body.data, body.size < sizeof text ? body.size : sizeof text - 1);
    space = strchr(text, ' ');
    return space ? atol(space) : 0;
}

static void misbehave(struct assay_bytes body)
{
    if (says(body, "hang"))
        hang();
    if (says(body, "late"))
        pause_for(number(body));
    if (says(body, "crash"))
        abort();
    if (says(body, "exit"))
        exit(7);
    if (says(body, "kill"))
        raise(SIGKILL);
    if (says(body, "flood"))
        flood_output();
    if (says(body, "garbage"))
        send_garbage();
    if (says(body, "huge"))
        announce_huge();
    if (says(body, "others"))
        answer_others();
    if (says(body, "host"))
        flood_host();
    if (says(body, "frames"))
        flood_kind((struct assay_bytes){body.data + 7, body.size - 7});
    if (says(body, "eat"))
        eat_memory();
    if (says(body, "threads"))
        start_threads(number(body), false);
    if (says(body, "spin"))
        start_threads(number(body), true);
    if (says(body, "close")) {
        close(CONNECTION);
        hang();
    }
}

static void appraise(struct assay_call *call, const struct assay_evidence *evidence)
{
    static const uint8_t digest[32] = {1};

    const struct assay_device *device;

    misbehave(evidence->body);
    if (says(evidence->body, "find"))
        assay_find_device(call, assay_string("device"), &device);
    if (!assay_require(call, "fork", !says(evidence->body, "fork") || can_fork(), "malformed", "fork was refused"))
        return;
    if (!assay_require(call, "socket", !says(evidence->body, "socket") || can_connect(), "malformed", "a socket was refused"))
        return;
    if (!assay_require(call, "form", !says(evidence->body, "bad"), "malformed", "the body is bad"))
        return;
    if (says(evidence->body, "register"))
        assay_register(call, assay_string("device"), assay_string("key"));
    assay_statement(call, digest, evidence->now_ms + 60000);
    assay_assurance(call, ASSAY_ASSURANCE_SOFTWARE);
}

static void prepare(struct assay_call *call, const struct assay_evidence *request)
{
    misbehave(request->body);
    if (says(request->body, "bad"))
        assay_refuse(call, "malformed", "the body is bad");
    else
        assay_prepared(call, request->body, 0);
}

static void locate(struct assay_call *call, const struct assay_evidence *evidence)
{
    if (says(evidence->body, "locate-crash"))
        abort();
    assay_subject(call, assay_string("device"));
}

static void observe(struct assay_call *call, const struct assay_events *events)
{
    assay_log(call, ASSAY_INFO, "observed %zu, dropped %llu", events->count, (unsigned long long)events->dropped);
    for (size_t i = 0; i < events->count; i++) {
        if (says(events->events[i].caller, "late"))
            pause_for(200);
    }
}

static bool is_ill;

static void check_health(struct assay_call *call)
{
    assay_log(call, ASSAY_INFO, "asked for health");
    if (is_ill)
        assay_error(call, "ill", "its provider does not answer");
}

static struct assay_claim_declaration many_claims[10001];
static char many_names[10000][16];

static struct assay_format formats[] = {
    {.name = "test.hostile", .purposes = ASSAY_FOR(ASSAY_ASSERT), .size_limit = 524288, .freshness = ASSAY_STATEMENT, .appraise = appraise},
    {.name = "test.located", .purposes = ASSAY_FOR(ASSAY_ASSERT), .size_limit = 524288, .freshness = ASSAY_STATEMENT,
        .appraise = appraise, .locate = locate, .prepare = prepare},
    {0},
};

static struct assay_plugin plugin = {
    .name = "hostile", .version = "1.0.0", .formats = formats, .observe = observe, .check_health = check_health, .host_services = ASSAY_FIND_DEVICE,
};

static void start_badly(const char *how)
{
    if (strcmp(how, "exit") == 0) {
        fputs("it does not want to start\n", stderr);
        exit(3);
    }
    if (strcmp(how, "mute") == 0)
        hang();
    if (strcmp(how, "crash") == 0)
        abort();
    if (strcmp(how, "pings") == 0)
        flood_kind(assay_string("ping"));
    if (strcmp(how, "ill") == 0)
        is_ill = true;
    if (strcmp(how, "name") == 0)
        plugin.name = "another-plugin";
    if (strcmp(how, "format") == 0)
        formats[0].name = "test.another";
    if (strcmp(how, "claims") == 0) {
        for (size_t i = 0; i < 10000; i++) {
            snprintf(many_names[i], sizeof many_names[i], "claim%zu", i);
            many_claims[i] = (struct assay_claim_declaration){many_names[i], ASSAY_CLAIM_TEXT, ""};
        }
        formats[0].claims = many_claims;
    }
}

int main(int count, char *arguments[])
{
    if (count > 1)
        start_badly(arguments[1]);
    return assay_plugin_run(&plugin);
}
