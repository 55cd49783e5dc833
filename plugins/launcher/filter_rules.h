/* A filter of system calls in the making: libseccomp's rules, in the forms that the lists need. */
#ifndef ASSAY_LAUNCHER_FILTER_RULES_H
#define ASSAY_LAUNCHER_FILTER_RULES_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system_calls.h"

/* The first error of a series of calls is kept, a positive errno; after it nothing is done. */
struct filter {
    scmp_filter_ctx context;
    int error;
};

void filter_note(struct filter *filter, int result);

struct scmp_arg_cmp equals(unsigned argument, uint64_t value);
struct scmp_arg_cmp masked(unsigned argument, uint64_t mask, uint64_t value);

/* Calls that this architecture does not have need no rule, and get none. */
void add(struct filter *filter, uint32_t action, int call, const struct scmp_arg_cmp *conditions, unsigned count);
void add_when(struct filter *filter, uint32_t action, int call, struct scmp_arg_cmp condition);
void add_all(struct filter *filter, uint32_t action, struct system_calls calls);

/* An argument with one value allowed and all others EPERM. */
void only(struct filter *filter, int call, unsigned argument, uint64_t value);

/* An argument with several values allowed. libseccomp compares an argument once in a rule, so the others are ENOSYS, not EPERM. */
void one_of(struct filter *filter, int call, unsigned argument, const unsigned *values, size_t count);

/* Flags of which none of `bits` may be set, else EPERM. */
void without(struct filter *filter, int call, unsigned argument, uint64_t bits);

uint32_t allow_if(bool condition);

#endif
