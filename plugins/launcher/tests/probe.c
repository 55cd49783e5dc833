/* Tries one thing and prints what became of it: "done", or the name of the error. The tests run it with and without the launcher. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CONNECTION = 3 };

/* 0, or a negative errno. */
static int result_of(long value) { return value < 0 ? -errno : 0; }

static int read_file(const char *path) {
    char byte;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    return result_of(read(file, &byte, 1));
}

static int write_file(const char *path) { return result_of(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)); }
static int empty_file(const char *path) { return result_of(open(path, O_RDONLY | O_TRUNC | O_CLOEXEC)); }
static int truncate_file(const char *path) { return result_of(truncate(path, 0)); }
static int list_folder(const char *path) { return result_of(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
static int change_mode(const char *path) { return result_of(chmod(path, 0600)); }
static int remove_file(const char *path) { return result_of(unlink(path)); }

static struct sockaddr_in loopback(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int connect_stream(const char *port, int protocol) {
    struct sockaddr_in address = loopback(port);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
    if (end < 0) return -errno;
    return result_of(connect(end, (struct sockaddr *)&address, sizeof address));
}

static int connect_tcp(const char *port) { return connect_stream(port, 0); }
static int connect_mptcp(const char *port) { return connect_stream(port, IPPROTO_MPTCP); }

static int connect_by_sending(const char *port) {
    struct sockaddr_in address = loopback(port);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return -errno;
    return result_of(sendto(end, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address));
}

static int send_udp(const char *port) {
    struct sockaddr_in address = loopback(port);
    int end = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (end < 0) return -errno;
    return result_of(sendto(end, "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}

static int listen_tcp(const char *port) {
    struct sockaddr_in address = loopback(port);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return -errno;
    return result_of(bind(end, (struct sockaddr *)&address, sizeof address));
}

/* "@name" is an abstract socket. */
static int connect_unix(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, name, length);
    if (name[0] == '@') address.sun_path[0] = '\0';
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return -errno;
    return result_of(connect(end, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)));
}

static int make_pair(int type) {
    int ends[2];
    return result_of(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends));
}

static int make_stream_pair(const char *unused) { (void)unused; return make_pair(SOCK_STREAM); }
static int make_datagram_pair(const char *unused) { (void)unused; return make_pair(SOCK_DGRAM); }

static int reap(pid_t child) {
    if (child == 0) _exit(0);
    if (child < 0) return -errno;
    return result_of(waitpid(child, NULL, __WALL));
}

static int fork_child(const char *unused) { (void)unused; return reap(fork()); }

static int raw_clone(const char *unused) { (void)unused; return reap((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

static int clone_namespace(const char *unused) {
    (void)unused;
    return reap((pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}

static int clone_sibling(const char *unused) {
    (void)unused;
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    return result_of(child);
}

static int clone3_child(const char *unused) {
    (void)unused;
    uint64_t arguments[8] = {0};
    arguments[4] = SIGCHLD;
    return reap((pid_t)syscall(SYS_clone3, arguments, sizeof arguments));
}

static int unshare_namespace(const char *unused) { (void)unused; return result_of(unshare(CLONE_NEWUSER)); }

static void *no_work(void *argument) { return argument; }

static int start_thread(const char *unused) {
    (void)unused;
    pthread_t thread;
    int error = pthread_create(&thread, NULL, no_work, NULL);
    return error != 0 ? -error : -pthread_join(thread, NULL);
}

static int execute(const char *path) {
    char *const arguments[] = {(char *)(uintptr_t)path, NULL};
    return result_of(execve(path, arguments, environ));
}

static int signal_process(const char *process) { return result_of(kill((pid_t)atoi(process), 0)); }
static int signal_by_queue(const char *process) {
    siginfo_t info = {.si_signo = 0, .si_code = SI_QUEUE};
    return result_of(syscall(SYS_rt_sigqueueinfo, atoi(process), 0, &info));
}
static int own_descriptor(const char *process) { return result_of(fcntl(CONNECTION, F_SETOWN, atoi(process))); }
static int limit_process(const char *process) { return result_of(prlimit(atoi(process), RLIMIT_NOFILE, NULL, &(struct rlimit){0})); }
static int bind_to_processor(const char *process) {
    cpu_set_t processors;
    if (sched_getaffinity(atoi(process), sizeof processors, &processors) != 0) return -errno;
    return result_of(sched_setaffinity(atoi(process), sizeof processors, &processors));
}
static int trace_process(const char *process) { return result_of(ptrace(PTRACE_SEIZE, atoi(process), NULL, NULL)); }

static int read_memory(const char *process) {
    char byte;
    struct iovec local = {.iov_base = &byte, .iov_len = 1}, remote = {.iov_base = (void *)(uintptr_t)environ, .iov_len = 1};
    return result_of(process_vm_readv(atoi(process), &local, 1, &remote, 1, 0));
}

static int signal_itself(const char *unused) {
    (void)unused;
    if (signal(SIGUSR1, SIG_IGN) == SIG_ERR) return -errno;
    return raise(SIGUSR1) == 0 ? result_of(kill(getpid(), SIGUSR1)) : -errno;
}

static int use_io_uring(const char *unused) {
    (void)unused;
    char parameters[120] = {0};
    return result_of(syscall(SYS_io_uring_setup, 1, parameters));
}

static int outlive_parent(const char *unused) { (void)unused; return result_of(prctl(PR_SET_PDEATHSIG, 0)); }
static int start_session(const char *unused) { (void)unused; return result_of(setsid()); }
static int change_group(const char *group) { return result_of(setpgid(0, atoi(group))); }
static int become_root(const char *unused) { (void)unused; return result_of(setresuid(0, 0, 0)); }
static int raise_priority(const char *unused) { (void)unused; return result_of(setpriority(PRIO_PROCESS, 0, 0)); }

static int raise_limit(const char *unused) {
    (void)unused;
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) != 0) return -errno;
    limit.rlim_cur = limit.rlim_max = 4096;
    return result_of(setrlimit(RLIMIT_CORE, &limit));
}

static int use_bpf(const char *unused) {
    (void)unused;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    return result_of(syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes));
}

static int use_keyring(const char *unused) {
    (void)unused;
    return result_of(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0));
}

static int call_unknown(const char *unused) { (void)unused; return result_of(syscall(SYS_msgget, 0, 0)); }
static int type_into_terminal(const char *unused) { (void)unused; return result_of(ioctl(0, TIOCSTI, "x")); }

#ifdef __x86_64__
static int call_as_x32(const char *unused) { (void)unused; return result_of(syscall(0x40000000 + SYS_getpid)); }

/* getpid of 32-bit programs. */
static int call_as_i386(const char *unused) {
    (void)unused;
    long value = 20;
    __asm__ volatile("int $0x80" : "+a"(value) : : "memory");
    return value < 0 ? (int)value : 0;
}
#endif

/* Seen from elsewhere, so that the compiler keeps the blocks. */
static char *volatile newest_block;

static int take_memory(const char *mebibytes) {
    for (long taken = 0; taken < atol(mebibytes); taken++) {
        char *block = malloc(1 << 20);
        if (block == NULL) return -ENOMEM;
        memset(block, 1, 1 << 20);
        newest_block = block;
    }
    return 0;
}

static void *wait_for_ever(void *unused) {
    for (;;) pause();
    return unused;
}

/* How many threads it gets of those that it wants. */
static int start_threads(const char *wanted) {
    pthread_attr_t small;
    int started = 0;
    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 16384);
    for (pthread_t thread; started < atoi(wanted) && pthread_create(&thread, &small, wait_for_ever, NULL) == 0;) started++;
    printf("%d\n", started);
    (void)fflush(stdout);
    _exit(0);
}

static int print_nice(const char *unused) {
    (void)unused;
    printf("%d\n", getpriority(PRIO_PROCESS, 0));
    (void)fflush(stdout);
    _exit(0);
}

static int take_descriptors(const char *count) {
    for (int taken = 0; taken < atoi(count); taken++)
        if (dup(0) < 0) return -errno;
    return 0;
}

static int grow_file(const char *bytes) {
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR) return -errno;
    int file = memfd_create("probe", MFD_CLOEXEC);
    if (file < 0) return -errno;
    return result_of(ftruncate(file, atol(bytes)));
}

static int burn(const char *unused) {
    (void)unused;
    volatile unsigned long turns = 1;
    while (turns != 0) turns++;
    return 0;
}

static int fail_assertion(const char *unused) {
    (void)unused;
    abort();
}

/* Until the other end is closed. */
static int echo(const char *unused) {
    (void)unused;
    char bytes[256];
    for (;;) {
        ssize_t count = read(CONNECTION, bytes, sizeof bytes);
        if (count <= 0) return result_of(count);
        if (write(CONNECTION, bytes, (size_t)count) != count) return -EIO;
    }
}

/* Takes no notice of the connection's end. */
static int stay(const char *unused) {
    (void)unused;
    if (write(CONNECTION, "x", 1) != 1) return -errno;
    for (;;) (void)pause();
}

/* The same in two processes. */
static int stay_with_child(const char *unused) { return fork() < 0 ? -errno : stay(unused); }

static int print_capabilities(const char *unused) {
    (void)unused;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0) return -errno;
    (void)printf("permitted=%x inheritable=%x ", sets[0].permitted, sets[0].inheritable);
    return 0;
}

static int print_descriptors(const char *unused) {
    (void)unused;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0) (void)printf("%d ", descriptor);
    return 0;
}

static int print_environment(const char *unused) {
    (void)unused;
    for (char **variable = environ; *variable != NULL; variable++) (void)printf("%s|", *variable);
    return 0;
}

static int print_place(const char *unused) {
    (void)unused;
    char folder[64];
    if (getcwd(folder, sizeof folder) == NULL) return -errno;
    (void)printf("session=%d folder=%s umask=%03o ", getsid(0) == getpid() && getpgrp() == getpid(), folder, umask(0));
    return 0;
}

static int print_user(const char *unused) {
    (void)unused;
    uid_t user[3];
    gid_t group[3];
    if (getresuid(&user[0], &user[1], &user[2]) != 0 || getresgid(&group[0], &group[1], &group[2]) != 0) return -errno;
    (void)printf("user=%u,%u,%u group=%u,%u,%u others=%d ", user[0], user[1], user[2], group[0], group[1], group[2], getgroups(0, NULL));
    return 0;
}

static int print_signals(const char *unused) {
    (void)unused;
    sigset_t blocked;
    struct sigaction pipe;
    if (sigprocmask(SIG_BLOCK, NULL, &blocked) != 0 || sigaction(SIGPIPE, NULL, &pipe) != 0) return -errno;
    (void)printf("blocked=%d ignored=%d ", sigismember(&blocked, SIGTERM), pipe.sa_handler == SIG_IGN);
    return 0;
}

struct attempt {
    const char *name;
    int (*make)(const char *argument);
};

static const struct attempt attempts[] = {
    {"read", read_file}, {"write", write_file}, {"empty", empty_file}, {"truncate", truncate_file}, {"list", list_folder},
    {"chmod", change_mode}, {"unlink", remove_file},
    {"tcp", connect_tcp}, {"mptcp", connect_mptcp}, {"fastopen", connect_by_sending}, {"udp", send_udp}, {"listen", listen_tcp},
    {"unix", connect_unix}, {"stream-pair", make_stream_pair}, {"datagram-pair", make_datagram_pair},
    {"fork", fork_child}, {"clone", raw_clone}, {"clone-namespace", clone_namespace}, {"clone-sibling", clone_sibling},
    {"clone3", clone3_child}, {"unshare", unshare_namespace}, {"thread", start_thread}, {"threads", start_threads}, {"nice", print_nice}, {"exec", execute},
    {"kill", signal_process}, {"sigqueue", signal_by_queue}, {"setown", own_descriptor}, {"prlimit", limit_process}, {"affinity", bind_to_processor},
   
    {"ptrace", trace_process}, {"read-memory", read_memory}, {"raise", signal_itself}, {"io-uring", use_io_uring},
    {"outlive", outlive_parent}, {"setsid", start_session}, {"setpgid", change_group}, {"root", become_root},
    {"priority", raise_priority}, {"raise-limit", raise_limit}, {"bpf", use_bpf}, {"keyring", use_keyring}, {"unknown", call_unknown},
    {"terminal", type_into_terminal},
#ifdef __x86_64__
    {"x32", call_as_x32}, {"i386", call_as_i386},
#endif
    {"memory", take_memory}, {"descriptors", take_descriptors}, {"grow", grow_file}, {"burn", burn}, {"abort", fail_assertion},
    {"echo", echo}, {"stay", stay}, {"stay-with-child", stay_with_child}, {"print-descriptors", print_descriptors},
    {"print-capabilities", print_capabilities}, {"print-environment", print_environment}, {"print-place", print_place},
    {"print-user", print_user}, {"print-signals", print_signals},
};

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "", *argument = count > 2 ? arguments[2] : "";
    for (size_t index = 0; index < sizeof attempts / sizeof attempts[0]; index++) {
        if (strcmp(attempts[index].name, name) != 0) continue;
        int result = attempts[index].make(argument);
        (void)printf("%s\n", result == 0 ? "done" : strerrorname_np(-result));
        return 0;
    }
    (void)fprintf(stderr, "probe: there is no attempt \"%s\"\n", name);
    return 2;
}
