#include "process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "status.h"

/* An ignored SIGPIPE and a blocked signal survive exec. SIGKILL, SIGSTOP and the C library's own refuse, as they may. */
static void reset_signals(void) {
    for (int number = 1; number < NSIG; number++) (void)signal(number, SIG_DFL);
    sigset_t none;
    (void)sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) status_fail("session", errno, "The signal mask cannot be emptied.");
}

void process_start_session(void) {
    /* A caller that made the session already (POSIX_SPAWN_SETSID) is fine; one that made only a group is not. */
    if (setsid() < 0 && getsid(0) != getpid())
        status_fail("session", errno, "setsid failed: start the launcher without a process group of its own.");
    reset_signals();
    status_done("session", "%d", (int)getpid());
}

void process_leave_folder(void) {
    if (chdir("/") != 0) status_fail("folder", errno, "The working folder cannot be changed to /.");
    (void)umask(S_IRWXG | S_IRWXO);
    status_done("folder", "/");
}

void process_die_with(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) status_fail("parent", errno, "The signal on the daemon's death cannot be set.");
    /* If the daemon died before the line above, no signal comes. */
    pid_t found = getppid();
    if (found != parent)
        status_fail("parent", 0, "The parent is process %d, and --parent says %d: the daemon has ended, or the number is wrong.",
                    (int)found, (int)parent);
    status_done("parent", "%d", (int)parent);
}
