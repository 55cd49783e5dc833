#include "powers.h"

#include <stdio.h>

#include "landlock.h"
#include "status.h"

void powers_check(const struct options *options, int landlock_abi) {
    if (options->ports.count == 0 || landlock_abi >= LANDLOCK_ABI_TCP) return;
    static const char text[] = "TCP cannot be restricted to ports: Landlock ABI %d is needed (Linux 6.7), and %d is in force.";
    if (!options->accept_weaker) status_fail("network", 0, text, LANDLOCK_ABI_TCP, landlock_abi);
    status_unmet("network", 0, text, LANDLOCK_ABI_TCP, landlock_abi);
}

/* " tcp:443,8443", as far as it fits into a line. */
static void list_ports(const struct ports *ports, char *text, size_t size) {
    size_t used = 0;
    for (size_t index = 0; index < ports->count; index++) {
        int length = snprintf(text + used, size - used, "%s%u", index == 0 ? " tcp:" : ",", ports->items[index]);
        if (length < 0 || (size_t)length >= size - used) return;
        used += (size_t)length;
    }
}

static void report_network(const struct options *options, int landlock_abi, bool filtered) {
    char tcp[256] = "";
    if (options->network || (options->ports.count > 0 && landlock_abi < LANDLOCK_ABI_TCP))
        (void)snprintf(tcp, sizeof tcp, " tcp:any");
    else
        list_ports(&options->ports, tcp, sizeof tcp);
    const char *udp = options->network || options->udp ? " udp" : "";
    if (!filtered)
        status_done("network", "unrestricted");
    else if (tcp[0] == '\0' && udp[0] == '\0')
        status_done("network", "none");
    else
        status_done("network", "%s%s", tcp[0] == '\0' ? udp + 1 : tcp + 1, tcp[0] == '\0' ? "" : udp);
}

static void report_processes(const struct options *options, bool filtered) {
    if (!filtered)
        status_done("processes", "unrestricted");
    else
        status_done("processes", options->processes ? "group" : "none");
}

void powers_report(const struct options *options, int landlock_abi, bool filtered) {
    report_network(options, landlock_abi, filtered);
    report_processes(options, filtered);
}
