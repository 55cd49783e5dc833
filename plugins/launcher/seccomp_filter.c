#include "seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"
#include "filter_rules.h"
#include "landlock.h"
#include "status.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "The lists of calls and the place of clone's flags are known for x86-64 and AArch64 only."
#endif

static const char step[] = "seccomp";

static const uint64_t namespace_flags =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

/* CLONE_PARENT would make children of the daemon's. */
static void add_process_rules(struct filter *filter, const struct options *options) {
    add_all(filter, allow_if(options->processes), process_calls);
    if (options->processes) {
        without(filter, SCMP_SYS(clone), 0, namespace_flags | CLONE_PARENT);
        add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execveat), NULL, 0);
        return;
    }
    add_when(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), masked(0, CLONE_THREAD | namespace_flags, CLONE_THREAD));
    add_when(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), masked(0, CLONE_THREAD, 0));
    /* The launcher's own last call. */
    only(filter, SCMP_SYS(execveat), 0, EXECUTABLE_DESCRIPTOR);
}

/* Signals to itself: abort and raise use tgkill. Children need more, which Landlock can bound. The process id survives exec. */
static void add_signal_rules(struct filter *filter, const struct options *options, int landlock_abi) {
    const int calls[] = {SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)};
    bool others = options->processes && landlock_abi >= LANDLOCK_ABI_SIGNALS;
    for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++) {
        if (others)
            add(filter, SCMP_ACT_ALLOW, calls[index], NULL, 0);
        else
            only(filter, calls[index], 0, (uint64_t)getpid());
    }
    add(filter, allow_if(others), SCMP_SYS(pidfd_send_signal), NULL, 0);
}

/* A stream pair is connected for good; a datagram socket could send to every Unix socket of the machine. */
static void add_socket_pair_rule(struct filter *filter) {
    const uint64_t type = ~(uint64_t)(SOCK_NONBLOCK | SOCK_CLOEXEC);
    const struct scmp_arg_cmp stream_pair[] = {equals(0, AF_UNIX), masked(1, type, SOCK_STREAM)};
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), stream_pair, 2);
}

static void allow_socket(struct filter *filter, int domain, int type, int protocol) {
    const uint64_t type_bits = ~(uint64_t)(SOCK_NONBLOCK | SOCK_CLOEXEC);
    const struct scmp_arg_cmp conditions[] = {
        equals(0, (uint64_t)domain), masked(1, type_bits, (uint64_t)type), equals(2, (uint64_t)protocol)};
    add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), conditions, 3);
}

/* TCP and UDP by name: Landlock's ports do not hold for other stream protocols, such as MPTCP. */
static void add_network_rules(struct filter *filter, const struct options *options) {
    static const int domains[] = {AF_INET, AF_INET6};
    bool udp = options->udp || options->network;
    bool tcp = options->ports.count > 0 || options->network;
    add_all(filter, allow_if(udp || tcp), client_calls);
    if (!udp && !tcp) {
        add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), NULL, 0);
        return;
    }
    for (size_t index = 0; index < 2; index++) {
        if (tcp) allow_socket(filter, domains[index], SOCK_STREAM, 0);
        if (tcp) allow_socket(filter, domains[index], SOCK_STREAM, IPPROTO_TCP);
        if (udp) allow_socket(filter, domains[index], SOCK_DGRAM, 0);
        if (udp) allow_socket(filter, domains[index], SOCK_DGRAM, IPPROTO_UDP);
    }
    /* Programs look for the Unix sockets of services and for the kernel's netlink, and cope with a refusal. */
    add_when(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), equals(0, AF_UNIX));
    add_when(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), equals(0, AF_NETLINK));
}

/* MSG_FASTOPEN connects without connect, and so without Landlock's check of the port. */
static void add_send_rules(struct filter *filter) {
    without(filter, SCMP_SYS(sendto), 3, MSG_FASTOPEN);
    without(filter, SCMP_SYS(sendmsg), 2, MSG_FASTOPEN);
    without(filter, SCMP_SYS(sendmmsg), 3, MSG_FASTOPEN);
}

/* Where Landlock does not keep files from being written or truncated, they are opened for reading only. */
static void add_open_rules(struct filter *filter, int landlock_abi) {
    if (landlock_abi >= LANDLOCK_ABI_TRUNCATE) {
        add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), NULL, 0);
        add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), NULL, 0);
        return;
    }
    without(filter, SCMP_SYS(open), 1, O_ACCMODE | O_CREAT | O_TRUNC);
    without(filter, SCMP_SYS(openat), 2, O_ACCMODE | O_CREAT | O_TRUNC);
}

/* Not F_SETOWN and F_SETSIG: they send signals to processes of the same user. */
static void add_fcntl_rules(struct filter *filter) {
    static const unsigned commands[] = {
        F_DUPFD,  F_DUPFD_CLOEXEC, F_GETFD,       F_SETFD,        F_GETFL,         F_SETFL,      F_GETLK,      F_SETLK,
        F_SETLKW, F_OFD_GETLK,     F_OFD_SETLK,   F_OFD_SETLKW,   F_GETPIPE_SZ,    F_ADD_SEALS,  F_GET_SEALS,
    };
    one_of(filter, SCMP_SYS(fcntl), 1, commands, sizeof commands / sizeof commands[0]);
}

/* What reads a terminal's settings or size (does this descriptor belong to one?), and properties of a descriptor. */
static void add_ioctl_rules(struct filter *filter) {
    static const unsigned requests[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
    one_of(filter, SCMP_SYS(ioctl), 1, requests, sizeof requests / sizeof requests[0]);
}

/* Not PR_SET_PDEATHSIG: the plugin dies with the daemon. */
static void add_prctl_rules(struct filter *filter) {
    static const unsigned operations[] = {
        PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_GET_PDEATHSIG,
    };
    one_of(filter, SCMP_SYS(prctl), 0, operations, sizeof operations / sizeof operations[0]);
}

static void add_rules(struct filter *filter, const struct options *options, int landlock_abi) {
    add_all(filter, SCMP_ACT_ALLOW, always_allowed);
    add_all(filter, SCMP_ACT_ERRNO(EPERM), forbidden);
    add_all(filter, SCMP_ACT_KILL_PROCESS, deadly);
    /* With a default of ENOSYS they are absent without a rule, and libseccomp refuses one that repeats the default. */
    if (options->explain) add_all(filter, SCMP_ACT_ERRNO(ENOSYS), absent);
    add_process_rules(filter, options);
    add_signal_rules(filter, options, landlock_abi);
    add_socket_pair_rule(filter);
    add_network_rules(filter, options);
    add_send_rules(filter);
    add_open_rules(filter, landlock_abi);
    add_fcntl_rules(filter);
    add_ioctl_rules(filter);
    add_prctl_rules(filter);
    only(filter, SCMP_SYS(prlimit64), 0, 0);
    /* Another process of the same user could be bound to one processor. */
    only(filter, SCMP_SYS(sched_setaffinity), 0, 0);
}

static void set_attributes(struct filter *filter, const struct options *options) {
    /* Calls of 32-bit and x32 programs have other numbers. */
    filter_note(filter, seccomp_attr_set(filter->context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    filter_note(filter, seccomp_attr_set(filter->context, SCMP_FLTATR_CTL_NNP, 0)); /* set in an earlier step */
    filter_note(filter, seccomp_attr_set(filter->context, SCMP_FLTATR_API_SYSRAWRC, 1));
    if (options->explain) filter_note(filter, seccomp_attr_set(filter->context, SCMP_FLTATR_CTL_LOG, 1));
}

/* Asked of the kernel itself: where a filter blocks seccomp(), libseccomp falls back to prctl, without this action, and says EINVAL. */
static int missing_action(void) {
    uint32_t action = SCMP_ACT_KILL_PROCESS;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 ? 0 : errno;
}

static int load(const struct options *options, int landlock_abi) {
    int missing = missing_action();
    if (missing != 0) return missing;
    struct filter filter = {.context = seccomp_init(options->explain ? SCMP_ACT_LOG : SCMP_ACT_ERRNO(ENOSYS))};
    if (filter.context == NULL) return ENOMEM;
    set_attributes(&filter, options);
    add_rules(&filter, options, landlock_abi);
    if (filter.error == 0) filter_note(&filter, seccomp_load(filter.context));
    seccomp_release(filter.context);
    return filter.error;
}

static const char *remedy(int error) {
    switch (error) {
    case EPERM:
    case EACCES:
        return "A system-call filter of the service or container blocks the call seccomp: allow it"
               " (SystemCallFilter=@sandbox from systemd 254 on, before that by name).";
    case EINVAL:
    case ENOSYS:
    case EOPNOTSUPP:
        return "The kernel has no system-call filters, or a filter hides them: Linux 4.14 or later with CONFIG_SECCOMP_FILTER is needed.";
    case ENOMEM:
        return "There is too little memory for the system-call filter: raise the limit \"as\" or \"data\".";
    default:
        return "The system-call filter cannot be installed.";
    }
}

static bool unavailable(const struct options *options, int error) {
    if (options->seccomp_wanted) {
        if (!options->accept_weaker) status_fail(step, error, "%s", remedy(error));
        status_unmet(step, error, "%s", remedy(error));
    }
    status_done(step, "none");
    return false;
}

bool seccomp_enforce(const struct options *options, int landlock_abi) {
    static const char text[] = "--explain allows and logs every unknown call, which is weaker than the allow-list.";
    if (options->explain && options->seccomp_wanted) {
        if (!options->accept_weaker) status_fail(step, 0, "%s Add --accept-weaker, or leave out --explain.", text);
        status_unmet(step, 0, "%s", text);
    }
    int error = load(options, landlock_abi);
    if (error != 0) return unavailable(options, error);
    status_done(step, options->explain ? "log" : "allow-list");
    return true;
}
