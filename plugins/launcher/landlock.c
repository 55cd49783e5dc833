#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"
#include "landlock_abi.h"
#include "status.h"

static const char step[] = "landlock";

/* Why Landlock's calls fail, and what to do: the three cases have different remedies. */
static const char *remedy(int error) {
    switch (error) {
    case EPERM:
    case EACCES:
        return "A system-call filter of the service or container blocks Landlock: allow landlock_create_ruleset, landlock_add_rule and"
               " landlock_restrict_self (SystemCallFilter=@sandbox from systemd 254 on, before that by name).";
    case ENOSYS:
        return "The kernel has no Landlock, or a filter hides it: Linux 5.13 or later with CONFIG_SECURITY_LANDLOCK is needed.";
    case EOPNOTSUPP:
        return "Landlock is built into the kernel and turned off: add landlock to lsm= on the kernel's command line.";
    case EMFILE:
        return "The limit \"nofile\" is too low for the launcher, which needs 8 descriptors.";
    default:
        return "A Landlock call failed in a way that the launcher does not expect.";
    }
}

/* Landlock is not to be had. Answers with 0 where that is accepted. */
static int unavailable(const struct options *options, int error) {
    if (options->landlock_wanted > 0) {
        if (!options->accept_weaker) status_fail(step, error, "%s", remedy(error));
        status_unmet(step, error, "%s", remedy(error));
    }
    status_done(step, "none");
    return 0;
}

/* The newest ABI that both the kernel and this program know; a negative errno if there is none. */
static int find_abi(void) {
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_ASKS_ABI);
    if (abi < 0) return -errno;
    return abi > LANDLOCK_NEWEST_KNOWN_ABI ? LANDLOCK_NEWEST_KNOWN_ABI : (int)abi;
}

static void check_strength(const struct options *options, int abi) {
    if (abi >= options->landlock_wanted) return;
    static const char text[] = "ABI %d is wanted, and the kernel and the launcher have %d: use a newer kernel, or demand less.";
    if (!options->accept_weaker) status_fail(step, 0, text, options->landlock_wanted, abi);
    status_unmet(step, 0, text, options->landlock_wanted, abi);
}

static struct ruleset_rights all_rights(const struct options *options, int abi) {
    struct ruleset_rights rights = {.files = FILE_RIGHTS_ABI_1};
    if (abi >= 2) rights.files |= FILE_REFER;
    if (abi >= LANDLOCK_ABI_TRUNCATE) rights.files |= FILE_TRUNCATE;
    if (abi >= LANDLOCK_ABI_TCP) rights.tcp = options->network ? TCP_BIND : TCP_BIND | TCP_CONNECT;
    if (abi >= 5) rights.files |= FILE_DEVICE_IOCTL;
    if (abi >= LANDLOCK_ABI_SIGNALS) rights.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
    return rights;
}

/* The kernel refuses a structure longer than its ABI's, unless the rest is 0; so only what it knows is passed. */
static size_t rights_size(int abi) {
    if (abi >= LANDLOCK_ABI_SIGNALS) return sizeof(struct ruleset_rights);
    if (abi >= LANDLOCK_ABI_TCP) return offsetof(struct ruleset_rights, scoped);
    return offsetof(struct ruleset_rights, tcp);
}

/* Rights of folders on a file are EINVAL. */
static uint64_t fitting(int descriptor, uint64_t rights, const char *path) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) status_fail("files", errno, "%s cannot be examined.", path);
    return S_ISDIR(status.st_mode) ? rights : rights & ~FOLDER_READ;
}

static void allow_descriptor(int ruleset, int descriptor, uint64_t rights, const char *path) {
    struct path_rule rule = {.rights = fitting(descriptor, rights, path), .parent = descriptor};
    if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0) return;
    /* A file that lies in no folder, as a memfd, needs no rule and can have none. */
    if (errno == EBADFD && descriptor == EXECUTABLE_DESCRIPTOR) return;
    status_fail(step, errno, "The rule for %s cannot be added.", path);
}

static void allow_path(int ruleset, const char *path, uint64_t rights) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) status_fail("files", errno, "%s, which the plugin may read, cannot be opened by its user: check the path.", path);
    allow_descriptor(ruleset, descriptor, rights, path);
    (void)close(descriptor);
}

static void allow_files(int ruleset, const struct options *options) {
    const uint64_t read = FILE_READ | FOLDER_READ;
    if (options->execute_descriptor || options->executable != NULL)
        allow_descriptor(ruleset, EXECUTABLE_DESCRIPTOR, FILE_READ | FILE_EXECUTE, "the executable");
    for (size_t index = 0; index < options->readable.count; index++) allow_path(ruleset, options->readable.items[index], read);
    for (size_t index = 0; index < options->executable_paths.count; index++)
        allow_path(ruleset, options->executable_paths.items[index], read | FILE_EXECUTE);
    /* What runs other programs redirects their output to it. */
    if (options->processes) allow_path(ruleset, "/dev/null", FILE_READ | FILE_WRITE);
}

static void allow_ports(int ruleset, const struct options *options) {
    for (size_t index = 0; index < options->ports.count; index++) {
        struct port_rule rule = {.rights = TCP_CONNECT, .port = options->ports.items[index]};
        if (syscall(SYS_landlock_add_rule, ruleset, RULE_TCP_PORT, &rule, 0) != 0)
            status_fail(step, errno, "The rule for TCP port %u cannot be added.", options->ports.items[index]);
    }
}

/* A plugin's refusals are logged where someone asks what it would miss. */
static uint32_t restrict_flags(const struct options *options, int abi) {
    return options->explain && abi >= 7 ? RESTRICT_LOG_AFTER_EXEC : 0;
}

int landlock_enforce(const struct options *options) {
    int abi = find_abi();
    if (abi < 0) return unavailable(options, -abi);
    check_strength(options, abi);
    struct ruleset_rights rights = all_rights(options, abi);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rights, rights_size(abi), 0);
    if (ruleset < 0) status_fail(step, errno, "%s", remedy(errno));
    allow_files(ruleset, options);
    if (abi >= LANDLOCK_ABI_TCP) allow_ports(ruleset, options);
    if (syscall(SYS_landlock_restrict_self, ruleset, restrict_flags(options, abi)) != 0) status_fail(step, errno, "%s", remedy(errno));
    (void)close(ruleset);
    status_done(step, "%d", abi);
    return abi;
}
