import AssayAPI
import AssayCore
import AssayTop

/// What an experienced operator would say of an installation, the most urgent first. Pure: the same facts give the same diagnosis.
///
/// What needs attention the daemon says itself, and what is wrong with a configuration file check-config says. The rules here are those that
/// neither has: they go by both, and by what only a look from outside shows.
package struct Diagnosis: Sendable {
    package let findings: [DoctorFinding]

    package init(of facts: InstallationFacts) {
        var findings = facts.daemonFindings
        if case .answered(let status, let metrics) = facts.daemon {
            findings += status.attentionFindings + status.trustFindings + status.feedFindings + status.certificateFindings
            findings += metrics.callerFindings + metrics.appFindings(of: status.apps.map(\.app)) + metrics.loadFindings
        }
        findings += facts.clockFindings + facts.diskFindings + facts.keyFindings
        findings += facts.configurationFindings + facts.listenerFindings
        // In the order of the rules within a severity.
        self.findings = DoctorFinding.Severity.allCases.sorted().flatMap { severity in
            findings.filter { $0.severity == severity }
        }
    }

    package func count(_ severity: DoctorFinding.Severity) -> Int { findings.count { $0.severity == severity } }

    /// The first line for people.
    package var summary: String {
        func words(_ count: Int, _ word: String) -> String? { count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")" }
        let bad = [words(count(.problem), "problem"), words(count(.warning), "warning")].compactMap(\.self)
        return (bad.isEmpty ? ["well"] : bad).joined(separator: ", ") + "; \(count(.ok)) ok"
    }
}

extension InstallationFacts {
    /// The time by the daemon, or by nothing.
    var now: Timestamp? {
        guard case .answered(let status, _) = daemon else { return nil }
        return Timestamp(unixMilliseconds: status.nowUnixMs)
    }

    fileprivate var daemonFindings: [DoctorFinding] {
        switch daemon {
        case .silent(let why):
            return [
                DoctorFinding(
                    .problem, .daemonUnreachable, address, why,
                    do:
                        "start the daemon (systemctl start assayd) and read its log (journalctl -u assayd); if it listens elsewhere, "
                        + "name the address by --server or ASSAY_SERVER")
            ]
        case .denied(let why):
            return [
                DoctorFinding(
                    .problem, .notPermitted, address, why,
                    do:
                        "run it as a caller with the role observe for all apps: 'assay whoami' shows how the daemon knows you, and "
                        + "\(Documentation.page("operate/callers.md")) how callers are named")
            ]
        case .answered(let status, _):
            let started = Timestamp(unixMilliseconds: status.startedAtUnixMs)
            var findings = [DoctorFinding(.ok, .daemon, address, "assayd \(status.version) answers, started \(started)")]
            if status.version != Version.text {
                findings.append(
                    DoctorFinding(
                        .warning, .versionsDiffer, address,
                        "the daemon is of version \(status.version), and this program of version \(Version.text)",
                        do:
                            "install both from one release, and restart the daemon if it runs an earlier program than is installed"
                    ))
            }
            return findings
        }
    }
}
