/* The report to the daemon: one line for each step, written to descriptor 4. README.md, "Status lines", is its specification. */
#ifndef ASSAY_LAUNCHER_STATUS_H
#define ASSAY_LAUNCHER_STATUS_H

/* Exit statuses, as sysexits.h numbers them. */
enum { EXIT_WRONG_USE = 64, EXIT_STEP_FAILED = 71 };

/* Lines go to `descriptor` from now on. Before the first call they go to stderr. */
void status_to(int descriptor);

/* "=step text": the step is done, and `text` is what holds from now on. */
__attribute__((format(printf, 2, 3))) void status_done(const char *step, const char *text, ...);

/* "-step errno text": a demand is not met, and the options accept that. `error` is 0 if no system call failed. */
__attribute__((format(printf, 3, 4))) void status_unmet(const char *step, int error, const char *text, ...);

/* "!step errno text": the start has failed. Ends the process. */
__attribute__((format(printf, 3, 4))) _Noreturn void status_fail(const char *step, int error, const char *text, ...);

/* "!options - text": the options are wrong. Ends the process. */
__attribute__((format(printf, 1, 2))) _Noreturn void status_wrong_use(const char *text, ...);

#endif
