import AssayAPI
import AssayCore
import AssayDoctor
import AssayService
import AssayTop
import Foundation
import SwiftProtobuf
import Testing

/// A day, in milliseconds.
private let day: Int64 = 86_400_000
private let now: Int64 = 1_800_000_000_000

/// An installation in which all is well: a daemon of this version that was started two days ago.
private func facts(
    _ change: (inout Assay_V1_StatusResponse) -> Void = { _ in },
    metrics: [String: [([String: String], Double)]] = [:], started: Int64 = now - 2 * day
) -> InstallationFacts {
    var status = Assay_V1_StatusResponse.with {
        ($0.version, $0.startedAtUnixMs, $0.nowUnixMs, $0.store.available) = (Version.text, started, now, true)
        ($0.disk.freeBytes, $0.disk.capacityBytes) = (50 << 30, 100 << 30)
        $0.apps = [.with { $0.app = "photos" }]
    }
    change(&status)
    var families = metrics.mapValues { $0.map { MetricsSample.Series(labels: $0.0, value: .number($0.1)) } }
    if families["assay_challenges_issued_total"] == nil {
        families["assay_challenges_issued_total"] = [.init(labels: ["app": "photos", "purpose": "assert"], value: .number(5))]
    }
    return InstallationFacts(
        address: "unix:/run/assay/assayd.sock",
        daemon: .answered(status, MetricsSample(time: now, startedAt: started, families: families)))
}

/// The codes of problems and warnings, as "problem daemon_unreachable".
private func bad(_ facts: InstallationFacts) -> [String] {
    Diagnosis(of: facts).findings.filter { $0.severity != .ok }.map { "\($0.severity.rawValue) \($0.code)" }
}

private func finding(_ code: String, _ facts: InstallationFacts) -> DoctorFinding? {
    Diagnosis(of: facts).findings.first { $0.code == code }
}

@Suite("Diagnosis of an installation")
struct DiagnosisTests {
    @Test("Where all is well nothing is to be done, and what was looked at is said")
    func well() {
        let diagnosis = Diagnosis(of: facts())
        #expect(bad(facts()).isEmpty, "\(diagnosis.findings)")
        #expect(diagnosis.findings.allSatisfy { $0.remedy.isEmpty })
        for code in ["daemon", "attention", "test_roots", "disk", "app"] {
            #expect(diagnosis.findings.contains { $0.code == code }, "\(code)")
        }
        #expect(diagnosis.summary == "well; \(diagnosis.findings.count) ok")
    }

    @Test("Problems come before warnings, and each has something to do")
    func order() {
        var facts = facts {
            $0.anchors = [.with { ($0.name, $0.simulated) = ("phone/root.pem", true) }]
            $0.attention = [.with { ($0.code, $0.message) = ("store_unavailable", "the store gives no answer") }]
        }
        facts.distance = .init(ahead: 600_000, uncertainty: 5)
        let diagnosis = Diagnosis(of: facts)
        #expect(bad(facts) == ["problem store_unavailable", "problem clock_apart", "warning test_roots"])
        #expect(diagnosis.findings.allSatisfy { ($0.severity == .ok) == $0.remedy.isEmpty }, "\(diagnosis.findings)")
        #expect(diagnosis.summary.hasPrefix("2 problems, 1 warning; "))
    }

    @Test("A daemon that does not answer, or does not permit it, is a problem, and the rest is looked at all the same")
    func silence() {
        var silent = InstallationFacts(address: "127.0.0.1:7421", daemon: .silent("connection refused"))
        silent.listeners = [.init(address: "tcp:127.0.0.1:7421", problem: "connection refused")]
        #expect(bad(silent) == ["problem daemon_unreachable", "problem listener_unreachable"])
        let denied = InstallationFacts(address: "127.0.0.1:7421", daemon: .denied("not permitted"))
        #expect(bad(denied) == ["problem not_permitted"])
        #expect(finding("not_permitted", denied)?.remedy.contains("observe") == true)
    }

    @Test(
        "Each code of the daemon's status has a severity and a remedy, and one of a newer daemon is a warning",
        arguments: AttentionCode.allCases)
    func attention(_ code: AttentionCode) {
        let advice = AttentionAdvice(code: code.rawValue)
        #expect(advice.isKnown && advice.severity != .ok && !advice.remedy.isEmpty)
        let unknown = AttentionAdvice(code: "moon_full")
        #expect(!unknown.isKnown && unknown.severity == .warning && !unknown.remedy.isEmpty)
    }

    @Test("A program and a daemon of different versions are a warning")
    func versions() { #expect(bad(facts { $0.version = "0.0.1" }) == ["warning versions_differ"]) }

    @Test("docs/operate/doctor.md lists every code")
    func page() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operate/doctor.md"), encoding: .utf8)
        for code in DoctorFinding.Code.allCases { #expect(page.contains("| `\(code.rawValue)` |"), "\(code)") }
    }
}

@Suite("Diagnosis: the machine")
struct MachineDiagnosisTests {
    @Test("Clocks that are apart by more than the call explains are a warning, and beyond the skew that is allowed a problem")
    func clocks() {
        func clocks(_ ahead: Int64, _ uncertainty: Int64) -> [String] {
            var facts = facts()
            facts.distance = .init(ahead: ahead, uncertainty: uncertainty)
            return bad(facts)
        }
        #expect(clocks(1_500, 1).isEmpty && clocks(-3_000, 1_500).isEmpty)
        #expect(clocks(5_000, 10) == ["warning clock_apart"] && clocks(-5_000, 10) == ["warning clock_apart"])
        #expect(clocks(-400_000, 10) == ["problem clock_apart"])
    }

    @Test("A clock that nothing synchronises, and one that was set within a day, are warnings")
    func timeKeeping() {
        var facts = facts { ($0.clock.lastStepAtUnixMs, $0.clock.lastStepMs) = (now - day / 2, -90_000) }
        facts.timeKeeping = .unsynchronised
        #expect(bad(facts) == ["warning clock_unsynchronised", "warning clock_stepped"])
        #expect(finding("clock_stepped", facts)?.message.contains("back by 90s") == true, "\(Diagnosis(of: facts).findings)")
        facts = AssayDoctorTests.facts { ($0.clock.lastStepAtUnixMs, $0.clock.lastStepMs) = (now - 2 * day, 90_000) }
        facts.timeKeeping = .synchronised(within: 40)
        #expect(bad(facts).isEmpty)
    }

    @Test("A write-ahead log that outgrows the ledger is a warning; a large one of a larger ledger is none")
    func log() {
        func ledger(_ main: Double, _ log: Double) -> [String] {
            bad(facts(metrics: ["assay_ledger_file_bytes": [(["file": "main"], main), (["file": "wal"], log)]]))
        }
        #expect(ledger(1e9, 9e8).isEmpty && ledger(1e6, 1e8).isEmpty)
        #expect(ledger(1e8, 9e8) == ["warning wal_large"])
    }

    @Test("Without a daemon the disk is judged by the file's own rule")
    func disk() {
        func disk(free: UInt64) -> [String] {
            var facts = InstallationFacts(address: "a", daemon: .silent("nothing"))
            facts.ledger = .init(
                path: "/var/lib/assay/ledger.db", size: 1, writeAheadLog: 1,
                space: DiskSpace(free: free, capacity: 100 << 30), rule: DiskSpaceRule())
            return bad(facts).filter { !$0.hasSuffix("daemon_unreachable") }
        }
        #expect(disk(free: 50 << 30).isEmpty)
        #expect(disk(free: 2 << 30) == ["problem disk_low"])
    }

    @Test("What check-config finds is told by its severity; what the file asks for, and notes, are not")
    func configuration() {
        func finding(_ severity: String, isIntended: Bool = false) -> InstallationFacts.FileCheck.Finding {
            .init(
                code: "x_\(severity)", severity: severity, line: 7, path: "listen[0].tcp", message: "is so",
                isIntended: isIntended)
        }
        var facts = facts { $0.configuration.digest = Data([0xAB]) }
        facts.configuration = .checked(
            file: "a.yaml", digest: "ab", problems: [],
            findings: [finding("warning"), finding("failure"), finding("note"), finding("warning", isIntended: true)])
        #expect(bad(facts) == ["problem x_failure", "warning x_warning"])
        #expect(Diagnosis(of: facts).findings.first?.subject == "a.yaml:7")
        facts.configuration = .checked(file: "a.yaml", digest: "cd", problems: [], findings: [finding("note")])
        #expect(bad(facts) == ["warning configuration_differs"])
        facts.configuration = .checked(
            file: "a.yaml", digest: "", problems: [.init(line: nil, text: "apps: want a section")], findings: [])
        #expect(bad(facts) == ["problem configuration_unusable"])
        facts.configuration = .unchecked(file: "a.yaml", "there is no assayd")
        #expect(bad(facts) == ["warning configuration_unchecked"])
    }
}

@Suite("Diagnosis: what ends")
struct DateDiagnosisTests {
    @Test("A certificate that ends within 30 days is a warning, unless the daemon says it itself")
    func certificates() {
        func certificate(_ days: Int64, told: String? = nil) -> InstallationFacts {
            facts {
                $0.certificates = [.with { ($0.file, $0.use, $0.notAfterUnixMs) = ("server.pem", .server, now + days * day) }]
                if let told { $0.attention = [.with { ($0.code, $0.message) = (told, "server.pem: a certificate expires") }] }
            }
        }
        #expect(bad(certificate(31)).isEmpty && bad(certificate(29)) == ["warning certificate_ends"])
        #expect(finding("certificate_ends", certificate(29))?.message.contains("ends in 29 d") == true)
        #expect(bad(certificate(9, told: "certificate_expires_soon")) == ["warning certificate_expires_soon"])
        #expect(bad(certificate(-1, told: "certificate_expired")) == ["problem certificate_expired"])
    }

    @Test("CAs that sign and keys of results are looked at in the same way")
    func signers() {
        let facts = facts {
            $0.authorities = [
                .with { ($0.name, $0.state, $0.notAfterUnixMs) = ("issuing-1", .signing, now + 20 * day) },
                .with { ($0.name, $0.state, $0.notAfterUnixMs) = ("issuing-0", .retiring, now + 2 * day) },
            ]
            $0.resultIssuers = [.with { ($0.issuer, $0.signingEndsUnixMs) = ("https://assay.example", now + 10 * day) }]
        }
        #expect(bad(facts) == ["warning certificate_ends", "warning certificate_ends"])
        #expect(
            Diagnosis(of: facts).findings.prefix(2).map(\.subject) == ["CA issuing-1", "results for https://assay.example"])
    }

    @Test("A list that fails to be refreshed is a warning before the daemon's own rule, and is told once")
    func feeds() {
        func feed(_ problem: String, told: Bool = false) -> InstallationFacts {
            facts {
                $0.feeds = [
                    .with {
                        ($0.feed, $0.source, $0.wanted, $0.problem) = (
                            "google-attestation-status", "https://lists.example", true, problem
                        )
                        ($0.asOfUnixMs, $0.maxAgeMs) = (now - day, 7 * day)
                    }
                ]
                if told {
                    $0.attention = [
                        .with {
                            ($0.code, $0.message) = ("feed_not_refreshed", "google-attestation-status cannot be refreshed")
                        }
                    ]
                }
            }
        }
        #expect(bad(feed("")).isEmpty)
        #expect(bad(feed("timed out")) == ["warning feed_failing"])
        #expect(finding("feed_failing", feed("timed out"))?.remedy.contains("https://lists.example") == true)
        #expect(bad(feed("timed out", told: true)) == ["warning feed_not_refreshed"])
    }

    @Test("API keys that end within 14 days, and those that may do nothing, are warnings; revoked and expired ones are nothing")
    func keys() {
        func key(_ name: String, _ days: Int64, usable: Bool = true, revoked: Int64 = 0) -> Assay_V1_CallerKey {
            .with {
                ($0.name, $0.expiresAtUnixMs, $0.usable, $0.revokedAtUnixMs) = (name, now + days * day, usable, revoked)
            }
        }
        var facts = facts()
        facts.keys = [
            key("good", 60), key("ending", 10), key("useless", 60, usable: false), key("revoked", 5, usable: false, revoked: 1),
            key("expired", -1, usable: false),
        ]
        #expect(bad(facts) == ["warning api_key_ends", "warning api_key_unusable"])
        #expect(Diagnosis(of: facts).findings.filter { $0.subject.hasPrefix("key ") }.count == 3)
    }
}

@Suite("Diagnosis: traffic")
struct TrafficDiagnosisTests {
    private func verdicts(accepted: Double, _ rejected: [String: Double]) -> [String: [([String: String], Double)]] {
        [
            "assay_verdicts_total": [(["app": "photos", "decision": "accepted", "reason": ""], accepted)]
                + rejected.map { (["app": "photos", "decision": "rejected", "reason": $0.key], $0.value) }
        ]
    }

    @Test("An app that rejects everything is a problem, with the reasons and what their table says")
    func rejectsAll() {
        let facts = facts(metrics: verdicts(accepted: 0, ["untrusted_root": 30, "bad_signature": 10]))
        #expect(bad(facts) == ["problem app_rejects_all"])
        let found = finding("app_rejects_all", facts)
        #expect(found?.message.contains("untrusted_root 30, bad_signature 10") == true, "\(String(describing: found))")
        #expect(found?.remedy.hasPrefix(ReasonCode.untrustedRoot.guidance.remedy) == true)
        #expect(found?.subject == "app photos")
    }

    @Test("An app that rejects more than it accepts is a warning, and a few rejections are nothing")
    func rejectsMany() {
        #expect(bad(facts(metrics: verdicts(accepted: 10, ["bad_signature": 40]))) == ["warning app_rejects_many"])
        #expect(bad(facts(metrics: verdicts(accepted: 60, ["bad_signature": 40]))).isEmpty)
        #expect(bad(facts(metrics: verdicts(accepted: 0, ["bad_signature": 19]))).isEmpty)
    }

    @Test("An app whose every request is unavailable is a problem")
    func unavailable() {
        let facts = facts(metrics: [
            "assay_verdicts_unavailable_total": [(["app": "photos", "reason": "feed_outdated"], 25)]
        ])
        #expect(bad(facts) == ["problem app_without_verdicts"])
        #expect(finding("app_without_verdicts", facts)?.message.contains("feed_outdated 25") == true)
    }

    @Test("An app that is not used and a caller that never called are warnings a day after the start, not before")
    func quiet() {
        let metrics: [String: [([String: String], Double)]] = [
            "assay_challenges_issued_total": [(["app": "other", "purpose": "assert"], 3)],
            "assay_caller_calls_total": [(["caller": "upload-handler"], 0), (["caller": "monitoring"], 12)],
        ]
        let later = facts(metrics: metrics)
        #expect(bad(later) == ["warning caller_unseen", "warning app_unused"])
        #expect(finding("caller_unseen", later)?.subject == "caller upload-handler")
        #expect(bad(facts(metrics: metrics, started: now - day / 2)).isEmpty)
    }

    @Test("Failed commits, few file descriptors and vendors that fail are warnings")
    func load() {
        let facts = facts(metrics: [
            "assay_ledger_commit_failures_total": [([:], 2)], "process_open_fds": [([:], 900)],
            "process_max_fds": [([:], 1024)],
            "assay_vendor_breaker_open": [(["host": "api.devicecheck.apple.com"], 1), (["host": "other.example"], 0)],
        ])
        #expect(bad(facts) == ["warning commits_fail", "warning descriptors_short", "warning vendor_unavailable"])
        #expect(finding("vendor_unavailable", facts)?.subject == "api.devicecheck.apple.com")
    }
}
