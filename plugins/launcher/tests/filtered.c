/* Runs a program under a filter that lets single system calls fail, as the filter of a service, a container or an old kernel does:
 *
 *     filtered CALL=ERRNO CALL:FIRST_ARGUMENT=ERRNO ... -- PROGRAM ARGUMENTS...
 *
 * Numbers are decimal. */
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what) {
    (void)fprintf(stderr, "filtered: %s\n", what);
    exit(2);
}

static void add(scmp_filter_ctx filter, char *rule) {
    char *error = strchr(rule, '=');
    if (error == NULL) fail(rule);
    *error++ = '\0';
    char *argument = strchr(rule, ':');
    if (argument != NULL) *argument++ = '\0';
    int call = seccomp_syscall_resolve_name(rule);
    struct scmp_arg_cmp condition = {.arg = 0, .op = SCMP_CMP_EQ, .datum_a = argument == NULL ? 0 : strtoull(argument, NULL, 10)};
    uint32_t action = SCMP_ACT_ERRNO((uint32_t)atoi(error));
    if (call == __NR_SCMP_ERROR || seccomp_rule_add_array(filter, action, call, argument == NULL ? 0 : 1, &condition) != 0) fail(rule);
}

int main(int count, char **arguments) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL) fail("no memory");
    int position = 1;
    for (; position < count && strcmp(arguments[position], "--") != 0; position++) add(filter, arguments[position]);
    if (position + 1 >= count) fail("no program");
    if (seccomp_load(filter) != 0) fail("the filter cannot be installed");
    seccomp_release(filter);
    (void)execv(arguments[position + 1], arguments + position + 1);
    fail("the program cannot be run");
}
