package import AssayConfiguration
package import AssayCore
package import AssaySchemes
import Foundation

/// What `assayd check-config` says of a file: everything that is wrong with it, or what was understood and what to look at.
package struct ConfigurationCheck: Sendable {
    /// As `sysexits.h` numbers it: the configuration cannot be used.
    package static let unusable: Int32 = 65

    package let file: String
    /// `nil` where the file cannot be used.
    package let configuration: Configuration?
    package let problems: [ConfigurationError.Problem]
    package private(set) var findings: [ConfigurationFinding]

    /// - Parameter account: as whom the daemon will run.
    package init(_ file: String, as account: UnixAccount = .current, at now: Timestamp = SystemClock().now()) {
        self.file = file
        do throws(ConfigurationError) {
            let configuration = try Configuration.load(file, at: now)
            self.configuration = configuration
            problems = []
            findings =
                (configuration.warnings + configuration.machineFindings(as: account, at: now)
                + configuration.fileFindings(account, file: file)).inOrder
        } catch {
            (configuration, problems, findings) = (nil, error.problems, [])
        }
    }

    package mutating func find(_ others: [ConfigurationFinding]) { findings = (findings + others).inOrder }

    /// Opens the keys of the CAs too, which takes up to a second for each, and logs into their tokens.
    package mutating func openAuthorities(as account: UnixAccount = .current) async {
        guard let configuration else { return }
        find(await configuration.authorityFindings(account))
    }

    /// Opens the keys of results too, which takes up to a second for each, and logs into their tokens.
    package mutating func openResultKeys(as account: UnixAccount = .current, at now: Timestamp = SystemClock().now()) async {
        guard let configuration else { return }
        find(await configuration.resultFindings(account, at: now))
    }

    /// Tries to connect to the collector of traces, which takes up to some seconds.
    package mutating func tryCollector() {
        guard let configuration else { return }
        find(configuration.traceFindings())
    }

    /// Tries to connect to the ledger's database, if it is in one, which takes up to some seconds.
    package mutating func tryDatabase(as account: UnixAccount = .current) {
        guard let configuration else { return }
        find(configuration.connectionFindings(account))
    }

    /// Whether nothing needs a correction: no problem, no failure, and no warning other than of what the file asks for explicitly.
    package var isGood: Bool { configuration != nil && findings.allSatisfy(\.code.isDeliberate) }
    /// Whether it works here, and as it is probably meant: no problem, and no failure or warning other than of what the file asks for explicitly.
    package var isSound: Bool {
        configuration != nil && findings.allSatisfy { $0.code.isDeliberate || $0.severity == .note }
    }

    package var exitStatus: Int32 { configuration == nil ? Self.unusable : 0 }
    /// Where what is not sound shall not pass.
    package var strictExitStatus: Int32 { configuration != nil && !isSound ? 1 : exitStatus }

    /// For standard error: `file:line: path: message`, a line each.
    package var errors: String { configuration == nil ? ConfigurationError(file: file, problems: problems).description : "" }

    /// For standard output; empty where the file cannot be used.
    package var lines: [String] {
        guard let configuration else { return [] }
        var lines = ["\(file): " + judgement]
        lines += configuration.summary.map { "  " + $0 }
        for finding in findings {
            let place = finding.file == nil ? finding.line.map { "line \($0): " } ?? "" : ""
            // The first line counts the others.
            let intended = finding.code.isDeliberate ? " (intended)" : ""
            lines.append("  \(finding.severity.rawValue)\(intended): " + place + finding.description)
        }
        return lines
    }

    private var judgement: String {
        func count(_ severity: ConfigurationFinding.Severity) -> String? {
            let count = findings.count { $0.severity == severity && !$0.code.isDeliberate }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        if isGood { return "good" }
        let others = [count(.warning), count(.note)].compactMap(\.self)
        guard let failures = count(.failure) else { return "can be used; " + others.joined(separator: ", ") }
        return "would not work here: " + ([failures] + others).joined(separator: ", ")
    }

    /// One JSON object, its members in the order of their names. docs/reference/check-config.md describes it.
    package var json: String {
        var object: [String: Any] = [
            "file": file, "good": isGood,
            "problems": problems.map { Self.object(nil, nil, $0.file, $0.line, $0.path, $0.message) },
            "findings": findings.map {
                Self.object($0.code.rawValue, $0.severity.rawValue, $0.file, $0.line, $0.path, $0.message)
                    .merging(["intended": $0.code.isDeliberate]) { old, _ in old }
            },
            "summary": configuration?.summary ?? [],
            "outside_services": (configuration?.live.outsideServices ?? []).map {
                ["address": $0.call.address, "purpose": $0.call.purpose.name, "apps": $0.apps] as [String: Any]
            },
        ]
        object["digest"] = configuration?.live.digestText
        let data = try? JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
        return String(decoding: data ?? Data("{}".utf8), as: UTF8.self)
    }

    private static func object(
        _ code: String?, _ severity: String?, _ file: String?, _ line: Int?, _ path: String, _ message: String
    ) -> [String: Any] {
        var object: [String: Any] = ["path": path, "message": message]
        object["code"] = code
        object["severity"] = severity
        object["file"] = file
        object["line"] = line
        return object
    }
}
