#include "filter_rules.h"

#include <errno.h>

void filter_note(struct filter *filter, int result) {
    if (filter->error == 0 && result < 0) filter->error = -result;
}

struct scmp_arg_cmp equals(unsigned argument, uint64_t value) {
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value};
}

static struct scmp_arg_cmp differs(unsigned argument, uint64_t value) {
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_NE, .datum_a = value};
}

struct scmp_arg_cmp masked(unsigned argument, uint64_t mask, uint64_t value) {
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

void add(struct filter *filter, uint32_t action, int call, const struct scmp_arg_cmp *conditions, unsigned count) {
    if (call >= 0 && filter->error == 0) filter_note(filter, seccomp_rule_add_array(filter->context, action, call, count, conditions));
}

void add_when(struct filter *filter, uint32_t action, int call, struct scmp_arg_cmp condition) {
    add(filter, action, call, &condition, 1);
}

void add_all(struct filter *filter, uint32_t action, struct system_calls calls) {
    for (size_t index = 0; index < calls.count; index++) add(filter, action, calls.numbers[index], NULL, 0);
}

uint32_t allow_if(bool condition) { return condition ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM); }

void only(struct filter *filter, int call, unsigned argument, uint64_t value) {
    add_when(filter, SCMP_ACT_ALLOW, call, equals(argument, value));
    add_when(filter, SCMP_ACT_ERRNO(EPERM), call, differs(argument, value));
}

void one_of(struct filter *filter, int call, unsigned argument, const unsigned *values, size_t count) {
    for (size_t index = 0; index < count; index++) add_when(filter, SCMP_ACT_ALLOW, call, equals(argument, values[index]));
}

/* The rules exclude each other or have the same action, so that their order does not matter. */
void without(struct filter *filter, int call, unsigned argument, uint64_t bits) {
    add_when(filter, SCMP_ACT_ALLOW, call, masked(argument, bits, 0));
    for (uint64_t bit = 1; bit != 0 && bit <= bits; bit <<= 1)
        if ((bits & bit) != 0) add_when(filter, SCMP_ACT_ERRNO(EPERM), call, masked(argument, bit, bit));
}
