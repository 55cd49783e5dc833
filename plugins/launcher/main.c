/* Starts one plugin: gives up what the plugin must not have, in an order in which each step is still possible, and becomes it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "descriptors.h"
#include "help.h"
#include "landlock.h"
#include "limits.h"
#include "options.h"
#include "powers.h"
#include "privileges.h"
#include "process.h"
#include "seccomp_filter.h"
#include "status.h"

/* The version of the status lines. */
static const char status_version[] = "1";

static void enforce(const struct options *options) {
    int landlock_abi = landlock_enforce(options); /* opens files, which the filter may forbid */
    powers_check(options, landlock_abi);
    bool filtered = seccomp_enforce(options, landlock_abi); /* last: it forbids most of the steps before */
    powers_report(options, landlock_abi, filtered);
}

static const char *execution_remedy(int error) {
    switch (error) {
    case ENOEXEC:
    case ENOENT:
        return "It is no ELF executable of this machine, or its ELF interpreter is missing. A script is run by naming its interpreter.";
    case EACCES:
        return "It is not executable for the plugin's user, or it or its ELF interpreter is not among the paths of --rx.";
    case ETXTBSY:
        return "The file is open for writing: seal the memory file, or close the descriptor that can write it.";
    default:
        return "The kernel refuses it.";
    }
}

/* Does not return. The line comes first, since nothing can be reported after success. */
static _Noreturn void execute(const struct options *options) {
    status_done("exec", "%s", options->arguments[0]);
    (void)syscall(SYS_execveat, EXECUTABLE_DESCRIPTOR, "", options->arguments, options->environment.items, AT_EMPTY_PATH);
    status_fail("exec", errno, "The plugin's executable cannot be run. %s", execution_remedy(errno));
}

static _Noreturn void launch(int count, char **arguments) {
    status_to(STATUS_DESCRIPTOR);
    struct options options = options_read(count, arguments);
    status_done("launcher", "%s", status_version);
    process_start_session();
    descriptors_prepare(&options);
    process_leave_folder();
    limits_set(&options); /* before the user: root may set what another may not */
    privileges_change_user(&options);
    process_die_with(options.parent); /* after the user, whose change clears it */
    privileges_drop();                /* before Landlock and seccomp, which need no_new_privs */
    enforce(&options);
    execute(&options);
}

/* Tries it on itself: what the kernel says that it can do and what a service's filter allows are two things. */
static int print_support(void) {
    const struct options demanding = {.landlock_wanted = 1, .seccomp_wanted = true, .accept_weaker = true};
    struct utsname kernel;
    status_to(STDOUT_FILENO);
    status_done("launcher", "%s", status_version);
    if (uname(&kernel) == 0) status_done("kernel", "%s %s %s", kernel.sysname, kernel.release, kernel.machine);
    privileges_drop();
    enforce(&demanding);
    return 0;
}

static int refuse_by_hand(const char *fault) {
    (void)fprintf(stderr,
                  "assay-plugin-launcher is started by assayd, with the plugin's connection as descriptor 3 and a pipe for its report as"
                  " descriptor 4. %s\nRun assay-plugin-launcher --help for its use, or --print-support for what this kernel can enforce.\n",
                  fault);
    return EXIT_WRONG_USE;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--help") == 0) return help_print();
    if (count == 2 && strcmp(arguments[1], "--print-support") == 0) return print_support();
    const char *fault = descriptors_fault();
    if (fault != NULL) return refuse_by_hand(fault);
    launch(count, arguments);
}
