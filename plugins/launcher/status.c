#include "status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Below PIPE_BUF, so that a line is written whole or not at all. */
enum { LINE_LIMIT = 512 };

static int output = STDERR_FILENO;

void status_to(int descriptor) { output = descriptor; }

/* A line is one line: a path may have any byte. */
static void replace_control_characters(char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f) *text = '?';
    }
}

/* The daemon takes silence for failure, so a report that cannot be written ends the start. */
static void write_line(char *line, size_t length) {
    line[length] = '\n';
    if (write(output, line, length + 1) != (ssize_t)length + 1) _exit(EXIT_STEP_FAILED);
}

static void report(const char *head, const char *text, va_list arguments) {
    char line[LINE_LIMIT + 1];
    int used = snprintf(line, LINE_LIMIT, "%s ", head);
    if (used < 0 || used >= LINE_LIMIT) _exit(EXIT_STEP_FAILED);
    if (vsnprintf(line + used, (size_t)(LINE_LIMIT - used), text, arguments) < 0) _exit(EXIT_STEP_FAILED);
    replace_control_characters(line);
    write_line(line, strlen(line));
}

static const char *error_name(int error) {
    if (error == 0) return "-";
    const char *name = strerrorname_np(error);
    return name != NULL ? name : "EUNKNOWN";
}

static void report_error(char kind, const char *step, int error, const char *text, va_list arguments) {
    char head[64];
    (void)snprintf(head, sizeof head, "%c%s %s", kind, step, error_name(error));
    report(head, text, arguments);
}

void status_done(const char *step, const char *text, ...) {
    char head[64];
    (void)snprintf(head, sizeof head, "=%s", step);
    va_list arguments;
    va_start(arguments, text);
    report(head, text, arguments);
    va_end(arguments);
}

void status_unmet(const char *step, int error, const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    report_error('-', step, error, text, arguments);
    va_end(arguments);
}

void status_fail(const char *step, int error, const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    report_error('!', step, error, text, arguments);
    va_end(arguments);
    _exit(EXIT_STEP_FAILED);
}

void status_wrong_use(const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    report_error('!', "options", 0, text, arguments);
    va_end(arguments);
    _exit(EXIT_WRONG_USE);
}
