#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "status.h"

static void become(uid_t user, gid_t group) {
    if (setgroups(0, NULL) != 0) status_fail("user", errno, "The groups cannot be dropped: --user needs a daemon that runs as root.");
    if (setresgid(group, group, group) != 0) status_fail("user", errno, "The group cannot be changed to %u.", group);
    if (setresuid(user, user, user) != 0) status_fail("user", errno, "The user cannot be changed to %u.", user);
}

/* Root reads other processes' environments in spite of Landlock (CAP_SYS_ADMIN), so no option allows it. */
void privileges_change_user(const struct options *options) {
    if (options->changes_user) become(options->user, options->group);
    if (getuid() == 0 || geteuid() == 0)
        status_fail("user", 0, "A plugin never runs as root: run the daemon as another user, or give --user UID:GID.");
    status_done("user", "%u:%u", getuid(), getgid());
}

static bool has_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &header, sets) != 0) status_fail("privileges", errno, "The capabilities cannot be read.");
    for (size_t index = 0; index < _LINUX_CAPABILITY_U32S_3; index++)
        if ((sets[index].permitted | sets[index].effective | sets[index].inheritable) != 0) return true;
    return false;
}

/* Empty permitted and inheritable sets empty the ambient set too (capabilities(7)). */
static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capset, &header, none) != 0) status_fail("privileges", errno, "The capabilities cannot be dropped.");
}

void privileges_drop(void) {
    /* Asked first: a daemon without any may be forbidden to call capset, as systemd's ~@privileged does. */
    if (has_capabilities()) drop_capabilities();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        status_fail("privileges", errno, "no_new_privs cannot be set, which Landlock and seccomp need.");
    status_done("privileges", "none");
}
