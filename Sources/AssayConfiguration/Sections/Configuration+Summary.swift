import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
package import AssaySchemes
import AssayVendors
import PlayIntegrity

extension Configuration {
    /// What was understood, for people: one line a thing.
    package var summary: [String] {
        var lines = listen.map { "listens on \($0)" }
        lines.append("keeps its ledger in \(store.path), wrapped by \(store.keyFile)")
        if let tls { lines.append("shows the certificate in \(tls.certificate) to callers from the CAs in \(tls.clientCA)") }
        if let kept = store.retention.auditRecords { lines.append("keeps audit records for \(kept / 86_400_000) days") }
        for (caller, marks) in callers.known {
            let roles = Role.allCases.filter(caller.roles.contains).map(\.rawValue).joined(separator: ", ")
            let apps = caller.apps.map { $0.map(\.text).sorted().joined(separator: ", ") } ?? "all apps"
            lines.append("knows \(caller.name) (\(marks.joined(separator: ", "))): \(roles) of \(apps)")
        }
        if callers.loopback != nil { lines.append("lets anyone on this machine call everything (loopback_demo)") }
        for app in apps {
            for identity in app.appAttest?.identities ?? [] {
                let environments = identity.environments.map(\.rawValue).sorted().joined(separator: ", ")
                lines.append("\(app.id): App Attest of \(identity.appID ?? "") (\(environments))")
            }
            if let play = app.playIntegrity {
                let packages = play.identity.packages.sorted().joined(separator: ", ")
                let keys = play.keys.map { Hex.encode($0.fingerprint.prefix(4)) }.joined(separator: ", ")
                lines.append(
                    "\(app.id): Play Integrity of \(packages) (\(play.decoding.rawValue)\(keys.isEmpty ? "" : ", keys " + keys))"
                )
            }
            for package in app.android?.policy.apps ?? [] {
                lines.append("\(app.id): Android key attestation of \(package.packageName ?? "")")
            }
        }
        for app in apps {
            if let rule = app.appAttest?.exchange {
                lines.append("\(app.id): exchanges receipts every \(rule.period / 86_400_000) days as team \(rule.teamID)")
            }
            if let section = app.deviceCheck {
                lines.append("\(app.id): DeviceCheck as team \(section.teamID), asked of \(section.address.host)")
            }
        }
        let services = outsideServices
        lines += services.isEmpty ? ["asks no service outside"] : services.map(\.description)
        for root in testRoots { lines.append("trusts the test root \(root.subject); verdicts through it are simulated") }
        lines.append("logs at \(log.level) as \(log.format.rawValue)")
        lines.append("has the digest \(digestText)")
        return lines
    }

    /// The digest as it is shown everywhere.
    package var digestText: String { Hex.encode(digest) }

    /// What the file says that may surprise, whatever machine it is read on: see ``surroundings(as:at:)`` for that.
    package var warnings: [ConfigurationFinding] {
        var warnings = tlsWarnings.map { finding($0.code, at: $0.key, $0.text) }
        if callers.network != nil {
            warnings.append(
                .init(
                    .unauthenticatedNetwork, line: lines["callers.i_accept_unauthenticated_callers_from_the_network"],
                    "i_accept_unauthenticated_callers_from_the_network: whoever reaches a TCP address may call everything"))
        }
        for app in apps where app.acceptsSimulated {
            warnings.append(
                finding(
                    .simulatedAccepted, at: "apps.\(app.id).accept_simulated",
                    "accepts evidence under test roots, which is made without a genuine device; never in production"))
        }
        for app in apps {
            guard let android = app.android else { continue }
            let place = "apps.\(app.id).android"
            if android.trustsSoftwareRoots {
                warnings.append(
                    finding(
                        .softwareRoots, at: place + ".trust_software_roots",
                        "lets everybody make attestations; they are simulated"
                            + (app.acceptsSimulated ? "" : ", and refused, because the app does not say accept_simulated")))
            }
            if android.policy.boot?.requiresLocked == false {
                warnings.append(
                    finding(
                        .unlockedDevices, at: place + ".verified_boot.allow_unlocked",
                        "lets devices in that run whatever their user likes"))
            }
            if let names = android.policy.boot?.allowedTestKeys.map(\.rawValue).sorted(), !names.isEmpty {
                warnings.append(
                    finding(
                        .testKeys, at: place + ".verified_boot.allow_test_keys",
                        "lets systems in that everybody can sign (\(names.joined(separator: ", ")))"))
            }
        }
        return (warnings + readingFindings).inOrder
    }
}
