import AssayAPI
import AssayCertificates
package import AssayCore
import AssayPlugins
import AssayRPC
package import AssaySchemes

extension PluginEntry {
    /// What it is for, and what it may do, in one sentence.
    fileprivate var summary: String {
        func list(_ words: [String]) -> String { words.joined(separator: ", ") }
        let apps = list(apps.map(\.text))
        var parts: [String] = []
        let (builtIn, own) = (
            formats.filter(EvidenceFormat.described.contains), formats.filter { !EvidenceFormat.described.contains($0) }
        )
        switch role {
        case .primary:
            if !own.isEmpty { parts.append("judges \(list(own.map(\.rawValue)))") }
            if !builtIn.isEmpty {
                parts.append(
                    (replacesBuiltIn ? "replaces Assay's verifier of " : "can reject ") + list(builtIn.map(\.rawValue)))
            }
        case .all: parts.append("must accept \(list(formats.map(\.rawValue))) too")
        case .shadow: parts.append("judges \(list(formats.map(\.rawValue))) beside, without deciding")
        }
        if formats.isEmpty { parts = [] }
        if observes { parts.append("observes verdicts") }
        if !sandbox.ports.isEmpty { parts.append("may connect to TCP \(list(sandbox.ports.map { "\($0)" })) of any address") }
        if sandbox.allowsUDP { parts.append("may use UDP") }
        if sandbox.allowsProcesses { parts.append("may start processes") }
        return "runs the plugin \(id) (\(command)) for \(apps): \(parts.joined(separator: "; "))"
    }
}

extension Configuration {
    /// What was understood, for people: one line a thing.
    package var summary: [String] {
        let store = fixed.store
        var lines = fixed.listen.map {
            "listens on \($0)"
                + ($0.withoutCertificates ? ", also for clients with an API key and no certificate" : "")
        }
        lines += fixed.operate.map { address in
            let open = live.operate.open.union(live.operate.openToTheNetwork).map(\.rawValue).sorted()
            return "answers probes, metrics and status at \(address)"
                + (fixed.operateWithoutCertificates.contains(address) ? ", also to an API key without a certificate" : "")
                + (open.isEmpty ? "" : "; to peers that are no callers: \(open.joined(separator: ", "))")
        }
        lines += store.summary
        if let tls = live.tls {
            lines.append("shows the certificate in \(tls.certificate) to callers from the CAs in \(tls.clientCA)")
        }
        if let kept = store.retention.auditRecords { lines.append("keeps audit records for \(kept / 86_400_000) days") }
        for (caller, marks) in live.callers.known {
            let roles = Role.allCases.filter(caller.roles.contains).map(\.rawValue).joined(separator: ", ")
            let apps = caller.apps.map { $0.map(\.text).sorted().joined(separator: ", ") } ?? "all apps"
            lines.append("knows \(caller.name) (\(marks.joined(separator: ", "))): \(roles) of \(apps)")
        }
        if let rule = live.callers.keys {
            let roles = Role.allCases.filter(rule.roles.contains).map(\.rawValue).joined(separator: ", ")
            let apps = rule.apps.map { $0.map(\.text).sorted().joined(separator: ", ") } ?? "all apps"
            lines.append("allows API keys \(roles) of \(apps)")
        }
        if live.callers.loopback != nil { lines.append("lets anyone on this machine call everything (loopback_demo)") }
        lines += live.provisioning?.summary ?? []
        lines += live.results?.summary ?? []
        let registering = Set(live.schemes.filter { $0.registersDevices }.compactMap { $0.sectionKey })
        for app in live.apps {
            let isOnEvidence = app.sections.contains { registering.contains($0.key) }
            let sentences =
                app.sections.flatMap(\.section.summary) + (app.confidence.map { [$0.summary] } ?? [])
                + (app.provisioning?.summary(isOnEvidence: isOnEvidence) ?? [])
            lines += sentences.map { "\(app.id): \($0)" }
            if let results = app.results { lines.append("\(app.id): \(results.summary)") }
            if let recording = app.recording { lines.append("\(app.id): \(recording.summary)") }
            if let lookup = app.lookup { lines.append("\(app.id): \(lookup.summary)") }
            if let uploads = app.uploads { lines.append("\(app.id): \(uploads.summary)") }
            if let flags = app.deviceFlags.summary { lines.append("\(app.id): \(flags)") }
            if let enforcement = app.enforcement.summary { lines.append("\(app.id): \(enforcement)") }
            if app.shadow != nil {
                lines.append("\(app.id): judges each verdict by a shadow policy too, which decides nothing")
            }
        }
        for app in live.apps { lines += app.sections.flatMap(\.section.serviceSummary).map { "\(app.id): \($0)" } }
        lines += live.rateSummary
        lines += live.plugins.map(\.summary)
        let services = live.outsideServices
        lines += services.isEmpty ? ["asks no service outside"] : services.map(\.description)
        for root in live.testRoots { lines.append("trusts the test root \(root.subject); verdicts through it are simulated") }
        lines.append(live.verdicts.summary)
        if let traces = live.traces { lines.append(traces.summary) }
        lines += live.webhooks.map(\.summary)
        lines.append(live.reappraisal.summary)
        lines.append("logs at \(live.log.level) as \(live.log.format.rawValue)")
        lines.append("has the digest \(live.digestText)")
        return lines
    }

    /// What the file says that may surprise, on every machine.
    package var warnings: [ConfigurationFinding] {
        var warnings = notes
        if live.callers.network != nil {
            let key = "callers.i_accept_unauthenticated_callers_from_the_network"
            warnings.append(
                .init(
                    .unauthenticatedNetwork, line: lines[key],
                    "i_accept_unauthenticated_callers_from_the_network: whoever reaches a TCP address may call everything"))
        }
        for app in live.apps {
            if app.acceptsSimulated {
                warnings.append(
                    finding(
                        .simulatedAccepted, at: "apps.\(app.id).accept_simulated",
                        "accepts evidence under test roots, which is made without a genuine device; never in production"))
            }
            warnings += findings(of: app, app.sections.flatMap { $0.section.warnings(acceptsSimulated: app.acceptsSimulated) })
        }
        return warnings.inOrder
    }

    /// Rules that are no contradiction and yet refuse every device, or nearly every one: most are typing errors.
    package func policyFindings(_ now: Timestamp) -> [ConfigurationFinding] {
        let registering = Set(live.schemes.filter { $0.registersDevices }.compactMap { $0.sectionKey })
        return live.apps.flatMap { app in
            let all = app.sectionsByKey
            var found = findings(
                of: app,
                app.sections.flatMap { $0.section.findings(beside: all, at: now) } + app.certificateFindings(registering)
                    + app.confidenceFindings + app.lookupFindings)
            if let shadow = app.shadow, let other = app.shadowed {
                let all = other.sectionsByKey
                let unmeetable = shadow.sections.flatMap { $0.section.findings(beside: all, at: now) }
                found += unmeetable.map { finding($0.code, at: "apps.\(app.id).shadow.\($0.path)", $0.message) }
            }
            return found
        }
    }

    private func findings(of app: AppConfiguration, _ found: [SectionFinding]) -> [ConfigurationFinding] {
        found.map { finding($0.code, at: "apps.\(app.id).\($0.path)", $0.message) }
    }
}
