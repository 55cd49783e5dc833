/* payload-box: checks and opens payloads that are sealed for this service. README.md says what it is for. */
#include <sodium.h>
#include <stdio.h>

#include "declaration.h"

int main(void)
{
    if (sodium_init() < 0) {
        fprintf(stderr, "payload-box: libsodium cannot be used: the machine gives no random bytes\n");
        return 1;
    }
    return assay_plugin_run(&payload_box);
}
