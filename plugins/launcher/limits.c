#include "limits.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

/* How many threads the user's other processes may start while the plugin runs, the daemon's above all, without the plugin's own being fewer. */
enum { OTHERS_GROWTH = 256 };

/* Bytes: keys and one payload fit. No other limit counts locked memory. */
enum { LOCKED_MEMORY = 1024 * 1024 };

static const __rlimit_resource_t resources[LIMIT_KINDS] = {
    [LIMIT_AS] = RLIMIT_AS,       [LIMIT_DATA] = RLIMIT_DATA, [LIMIT_NOFILE] = RLIMIT_NOFILE,
    [LIMIT_FSIZE] = RLIMIT_FSIZE, [LIMIT_CPU] = RLIMIT_CPU,   [LIMIT_NPROC] = RLIMIT_NPROC,
};

/* At most `value`: where the daemon's own hard limit is lower, that one holds, since only root could raise it. */
static rlim_t set_limit(__rlimit_resource_t resource, const char *name, rlim_t value) {
    struct rlimit inherited;
    if (getrlimit(resource, &inherited) != 0) status_fail("limits", errno, "The limit \"%s\" cannot be read.", name);
    rlim_t lower = value < inherited.rlim_max ? value : inherited.rlim_max;
    struct rlimit wanted = {.rlim_cur = lower, .rlim_max = lower};
    if (setrlimit(resource, &wanted) != 0)
        status_fail("limits", errno, "The limit \"%s\" cannot be set to %llu.", name, (unsigned long long)lower);
    return lower;
}

/* The number behind a name at the beginning of a line of /proc/PID/status. */
static bool read_field(const char *text, const char *name, unsigned long *number) {
    const char *line = strstr(text, name);
    return line != NULL && sscanf(line + strlen(name), "%lu", number) == 1;
}

/* The threads of one process, if it is the user's. */
static unsigned long threads_of_process(int processes, const char *name, uid_t user) {
    char path[64], text[4096];
    unsigned long owner, threads;
    if (snprintf(path, sizeof path, "%.20s/status", name) < 0) return 0;
    int file = openat(processes, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0; /* it has ended, or is hidden */
    ssize_t length = read(file, text, sizeof text - 1);
    (void)close(file);
    if (length <= 0) return 0;
    text[length] = '\0';
    return read_field(text, "\nUid:", &owner) && owner == user && read_field(text, "\nThreads:", &threads) ? threads : 0;
}

/* What RLIMIT_NPROC counts: the threads of all processes with the real user. Those that a service hides from the daemon are missing. */
static rlim_t threads_of_user(uid_t user) {
    DIR *processes = opendir("/proc");
    if (processes == NULL) return 0;
    rlim_t count = 0;
    for (const struct dirent *entry; (entry = readdir(processes)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0])) count += threads_of_process(dirfd(processes), entry->d_name, user);
    (void)closedir(processes);
    return count;
}

/* A higher nice value needs no right, a lower one does. */
static int set_nice(int wanted) {
    errno = 0;
    int current = getpriority(PRIO_PROCESS, 0);
    if (current == -1 && errno != 0) status_fail("limits", errno, "The nice value cannot be read.");
    if (wanted <= current) return current;
    if (setpriority(PRIO_PROCESS, 0, wanted) != 0) status_fail("limits", errno, "The nice value cannot be set to %d.", wanted);
    return wanted;
}

struct report {
    char text[256];
    size_t used;
};

static void append(struct report *report, const char *name, rlim_t value) {
    size_t rest = sizeof report->text - report->used;
    int length = value == RLIM_INFINITY
        ? snprintf(report->text + report->used, rest, " %s=unlimited", name)
        : snprintf(report->text + report->used, rest, " %s=%llu", name, (unsigned long long)value);
    if (length > 0 && (size_t)length < rest) report->used += (size_t)length;
}

/* What holds for the plugin, limits that were not asked for as well: those are the daemon's. */
static rlim_t limit_in_force(const struct options *options, int kind) {
    if (kind == LIMIT_NPROC && options->threads > 0) {
        uid_t user = options->changes_user ? options->user : getuid();
        return set_limit(RLIMIT_NPROC, limit_names[kind], threads_of_user(user) + options->threads + OTHERS_GROWTH);
    }
    if (options->limits[kind].given) return set_limit(resources[kind], limit_names[kind], options->limits[kind].value);
    struct rlimit inherited;
    if (getrlimit(resources[kind], &inherited) != 0)
        status_fail("limits", errno, "The limit \"%s\" cannot be read.", limit_names[kind]);
    return inherited.rlim_cur;
}

void limits_set(const struct options *options) {
    struct report report = {.used = 0};
    /* A core file would hold the plugin's secrets, and so would a swap file: a plugin may lock what they fill, and little more. */
    append(&report, "core", set_limit(RLIMIT_CORE, "core", 0));
    append(&report, "memlock", set_limit(RLIMIT_MEMLOCK, "memlock", LOCKED_MEMORY));
    for (int kind = 0; kind < LIMIT_KINDS; kind++) append(&report, limit_names[kind], limit_in_force(options, kind));
    status_done("limits", "%s nice=%d", report.text + 1, set_nice(options->nice));
}
