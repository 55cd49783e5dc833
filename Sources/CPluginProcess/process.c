#define _GNU_SOURCE
#include "CPluginProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Linux 5.3 and 5.4; glibc 2.36 has the first two, older ones none. */
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { maximum_descriptors = 16 };

static int duplicate_above(const int *descriptors, int count, int *copies) {
    for (int i = 0; i < count; i++) {
        copies[i] = descriptors[i] < 0 ? -1 : fcntl(descriptors[i], F_DUPFD_CLOEXEC, maximum_descriptors);
        if (descriptors[i] >= 0 && copies[i] < 0) return errno;
    }
    return 0;
}

static int set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

int assay_plugin_spawn(
    pid_t *process, const char *path, char *const arguments[], char *const environment[], const int *descriptors, int count) {
    if (count < 0 || count > maximum_descriptors) return EINVAL;
    int copies[maximum_descriptors];
    for (int i = 0; i < maximum_descriptors; i++) copies[i] = -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* The sources may have numbers that are targets: copies above all targets cannot. */
    error = duplicate_above(descriptors, count, copies);
    for (int i = 0; i < count && !error; i++)
        error = copies[i] < 0 ? posix_spawn_file_actions_addclose(&actions, i)
                              : posix_spawn_file_actions_adddup2(&actions, copies[i], i);
    if (!error) error = set_signals(&attributes);
    if (!error) error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    for (int i = 0; i < count; i++)
        if (copies[i] >= 0) close(copies[i]);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int assay_process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int assay_process_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
}

static int wait_for(int descriptor, siginfo_t *info, int options) {
    int result;
    do result = waitid((idtype_t)P_PIDFD, (id_t)descriptor, info, WEXITED | WNOHANG | options);
    while (result < 0 && errno == EINTR);
    return result;
}

int assay_process_end(int descriptor, int *status) {
    siginfo_t info = {0};
    if (wait_for(descriptor, &info, WNOWAIT) < 0) return -1;
    if (info.si_pid == 0) return 0;
    *status = info.si_status;
    return info.si_code == CLD_EXITED ? 1 : 2;
}

void assay_process_release(int descriptor) {
    siginfo_t info = {0};
    (void)wait_for(descriptor, &info, 0);
}

const char *assay_signal_name(int signal) { return sigabbrev_np(signal); }

int assay_log_pipe(int descriptors[2]) {
    if (pipe2(descriptors, O_CLOEXEC) < 0) return -1;
    return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

int assay_socket_pair(int descriptors[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, descriptors) < 0) return -1;
    return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

int assay_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
