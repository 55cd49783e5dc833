#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

const char *const limit_names[LIMIT_KINDS] = {
    [LIMIT_AS] = "as",       [LIMIT_DATA] = "data", [LIMIT_NOFILE] = "nofile",
    [LIMIT_FSIZE] = "fsize", [LIMIT_CPU] = "cpu",   [LIMIT_NPROC] = "nproc",
};

/* Decimal digits only: no sign, space, or unit, which strtoull would take. */
static bool read_number(const char *text, unsigned long long highest, unsigned long long *number) {
    if (*text == '\0' || strspn(text, "0123456789") != strlen(text)) return false;
    errno = 0;
    *number = strtoull(text, NULL, 10);
    return errno == 0 && *number <= highest;
}

/* An id, as pid_t, uid_t and gid_t hold one. 0, root or the scheduler, is never meant. */
static bool read_id(const char *text, unsigned *id) {
    unsigned long long number;
    if (!read_number(text, INT32_MAX, &number) || number == 0) return false;
    *id = (unsigned)number;
    return true;
}

static bool take_parent(struct options *options, char *value) {
    unsigned id;
    if (!read_id(value, &id)) return false;
    options->parent = (pid_t)id;
    return true;
}

static bool take_execute_descriptor(struct options *options, char *value) {
    (void)value;
    options->execute_descriptor = true;
    return true;
}

static bool take_executable(struct options *options, char *value) {
    options->executable = value;
    return value[0] == '/';
}

static bool take_environment(struct options *options, char *value) {
    options->environment.items[options->environment.count++] = value;
    const char *equals = strchr(value, '=');
    return equals != NULL && equals != value;
}

static bool take_limit(struct options *options, char *value) {
    const char *equals = strchr(value, '=');
    unsigned long long number;
    if (equals == NULL || !read_number(equals + 1, INT64_MAX, &number)) return false;
    size_t length = (size_t)(equals - value);
    for (int kind = 0; kind < LIMIT_KINDS; kind++) {
        if (strlen(limit_names[kind]) != length || memcmp(limit_names[kind], value, length) != 0) continue;
        options->limits[kind] = (struct limit){.given = true, .value = (rlim_t)number};
        return true;
    }
    return false;
}

static bool take_threads(struct options *options, char *value) {
    unsigned long long number;
    if (!read_number(value, 65536, &number) || number == 0) return false;
    options->threads = (rlim_t)number;
    return true;
}

static bool take_nice(struct options *options, char *value) {
    unsigned long long number;
    if (!read_number(value, 19, &number)) return false;
    options->nice = (int)number;
    return true;
}

static bool take_user(struct options *options, char *value) {
    char *colon = strchr(value, ':');
    if (colon == NULL) return false;
    *colon = '\0';
    bool read = read_id(value, &options->user) && read_id(colon + 1, &options->group);
    *colon = ':';
    options->changes_user = true;
    return read;
}

static bool take_readable(struct options *options, char *value) {
    options->readable.items[options->readable.count++] = value;
    return value[0] == '/';
}

static bool take_executable_path(struct options *options, char *value) {
    options->executable_paths.items[options->executable_paths.count++] = value;
    return value[0] == '/';
}

static bool take_port(struct options *options, char *value) {
    unsigned long long number;
    if (!read_number(value, UINT16_MAX, &number) || number == 0) return false;
    options->ports.items[options->ports.count++] = (uint16_t)number;
    return true;
}

static bool take_udp(struct options *options, char *value) {
    (void)value;
    options->udp = true;
    return true;
}

static bool take_network(struct options *options, char *value) {
    (void)value;
    options->network = true;
    return true;
}

static bool take_processes(struct options *options, char *value) {
    (void)value;
    options->processes = true;
    return true;
}

/* One element of the list of --require. */
static bool take_requirement(struct options *options, const char *element, size_t length) {
    static const char landlock[] = "landlock=";
    if (length == strlen("seccomp") && memcmp(element, "seccomp", length) == 0) {
        options->seccomp_wanted = true;
        return true;
    }
    size_t head = sizeof landlock - 1;
    char digits[8] = "";
    if (length <= head || length - head >= sizeof digits || memcmp(element, landlock, head) != 0) return false;
    memcpy(digits, element + head, length - head);
    unsigned long long abi;
    if (!read_number(digits, 999, &abi) || abi == 0) return false;
    options->landlock_wanted = (int)abi;
    return true;
}

static bool take_requirements(struct options *options, char *value) {
    options->landlock_wanted = 0;
    options->seccomp_wanted = false;
    for (const char *element = value;; element++) {
        size_t length = strcspn(element, ",");
        if (!take_requirement(options, element, length)) return false;
        element += length;
        if (*element == '\0') return true;
    }
}

static bool take_accept_weaker(struct options *options, char *value) {
    (void)value;
    options->accept_weaker = true;
    return true;
}

static bool take_explain(struct options *options, char *value) {
    (void)value;
    options->explain = true;
    return true;
}

struct option {
    const char *name;
    const char *expects; /* what the value is; NULL if the option has none */
    bool (*take)(struct options *options, char *value);
};

static const struct option known[] = {
    {"--parent", "the daemon's process id, a number above 0", take_parent},
    {"--exec-fd", NULL, take_execute_descriptor},
    {"--exec", "the absolute path of an ELF file", take_executable},
    {"--env", "NAME=VALUE", take_environment},
    {"--limit", "NAME=NUMBER with one of the names as, data, nofile, fsize, cpu, nproc", take_limit},
    {"--threads", "a number of threads, 1 to 65536", take_threads},
    {"--nice", "a nice value, 0 to 19", take_nice},
    {"--user", "UID:GID, two numbers above 0", take_user},
    {"--ro", "an absolute path", take_readable},
    {"--rx", "an absolute path", take_executable_path},
    {"--connect", "a TCP port, 1 to 65535", take_port},
    {"--udp", NULL, take_udp},
    {"--network", NULL, take_network},
    {"--processes", NULL, take_processes},
    {"--require", "a list of landlock=ABI and seccomp, separated by a comma", take_requirements},
    {"--accept-weaker", NULL, take_accept_weaker},
    {"--explain", NULL, take_explain},
};

static const struct option *find_option(const char *name) {
    for (size_t index = 0; index < sizeof known / sizeof known[0]; index++)
        if (strcmp(known[index].name, name) == 0) return &known[index];
    return NULL;
}

/* Takes one option at `*position` and moves behind it. */
static void read_option(struct options *options, int count, char **arguments, int *position) {
    const char *name = arguments[(*position)++];
    const struct option *option = find_option(name);
    if (option == NULL) status_wrong_use("There is no option \"%s\". --help lists the options.", name);
    char *value = NULL;
    if (option->expects != NULL) {
        if (*position == count) status_wrong_use("%s expects %s, and nothing follows it.", name, option->expects);
        value = arguments[(*position)++];
    }
    if (!option->take(options, value)) status_wrong_use("%s expects %s, and \"%s\" was given.", name, option->expects, value);
}

static void check_consistency(const struct options *options) {
    if (options->parent == 0)
        status_wrong_use("--parent is missing: without the daemon's process id the plugin could outlive the daemon.");
    if (options->execute_descriptor == (options->executable != NULL))
        status_wrong_use("Give either --exec-fd, with the executable as descriptor 5, or --exec PATH.");
    if (options->network && (options->ports.count > 0 || options->udp))
        status_wrong_use("--network allows every TCP port and UDP; leave out --connect and --udp, or --network.");
    if (options->limits[LIMIT_NPROC].given && options->threads > 0)
        status_wrong_use("--threads sets the limit nproc by what the user has already; leave out --limit nproc.");
    if (options->limits[LIMIT_NPROC].given && !options->changes_user)
        status_wrong_use("--limit nproc counts every thread of the user, the daemon's too; it needs --user UID:GID of the plugin's own.");
    if (options->arguments == NULL || options->arguments[0] == NULL)
        status_wrong_use("The plugin's arguments are missing: end the options with --, the plugin's name, and its arguments.");
}

/* No list has more elements than argv. */
static void *allocate(int count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    if (memory == NULL) status_fail("options", ENOMEM, "There is no memory for %d arguments.", count);
    return memory;
}

struct options options_read(int count, char **arguments) {
    struct options options = {.landlock_wanted = 1, .seccomp_wanted = true};
    options.environment.items = allocate(count, sizeof(char *));
    options.readable.items = allocate(count, sizeof(char *));
    options.executable_paths.items = allocate(count, sizeof(char *));
    options.ports.items = allocate(count, sizeof(uint16_t));
    for (int position = 1; position < count && options.arguments == NULL;) {
        if (strcmp(arguments[position], "--") == 0)
            options.arguments = arguments + position + 1;
        else
            read_option(&options, count, arguments, &position);
    }
    check_consistency(&options);
    return options;
}
