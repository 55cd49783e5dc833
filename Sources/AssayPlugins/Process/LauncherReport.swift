import Glibc

/// What the launcher reported, step by step: one line each, `=step state`, `-step errno text` or `!step errno text`.
package struct LauncherReport: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package enum Outcome: Hashable, Sendable {
            /// Holds from now on.
            case enforced
            /// Demanded and not possible here; the catalog accepts that.
            case missing
            /// The start ended here.
            case failed
        }
        /// Such as `landlock`.
        package let name: String
        package let outcome: Outcome
        /// A state, or an error's name and a sentence.
        package let text: String
    }

    package let steps: [Step]
    /// Why the plugin does not run; `nil` if it does.
    let failure: LaunchFailure?

    /// - Parameter bytes: all that the launcher wrote.
    init(parsing bytes: [UInt8]) {
        var steps: [Step] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let outcome = Step.Outcome(line.first) else { continue }
            let words = String(decoding: line.dropFirst(), as: UTF8.self).split(separator: " ", maxSplits: 1)
            steps.append(
                Step(name: words.first.map(String.init) ?? "", outcome: outcome, text: words.dropFirst().joined()))
        }
        self.steps = steps
        if let failed = steps.first(where: { $0.outcome == .failed }) {
            failure = .step(failed.name, failed.text)
        } else {
            failure = steps.last?.name == "exec" ? nil : .noReport(after: steps.last?.name)
        }
    }

    /// The longest report that is kept, in bytes: the launcher writes about twenty lines.
    private static let limit = 65_536

    /// Reads what is there. At the end, which comes when the launcher has become the plugin or has ended, fulfils the promise and
    /// closes the descriptor. False: that was the end.
    static func read(from descriptor: CInt, into bytes: inout [UInt8], _ report: Promise<[UInt8]>) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count > 0, bytes.count < limit {
                bytes += chunk.prefix(count)
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                return true
            } else if count <= 0 {
                Glibc.close(descriptor)
                report.fulfil(bytes)
                return false
            }
        }
    }
}

extension LauncherReport.Step.Outcome {
    fileprivate init?(_ sign: UInt8?) {
        switch sign {
        case UInt8(ascii: "="): self = .enforced
        case UInt8(ascii: "-"): self = .missing
        case UInt8(ascii: "!"): self = .failed
        default: return nil
        }
    }
}

/// A plugin's process did not start. Trying again without a change helps only after `system`.
package enum LaunchFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A step of the launcher failed: its name, and the error's name with a sentence.
    case step(String, String)
    /// The launcher ended, or took too long, after this step.
    case noReport(after: String?)
    /// A system call of the daemon failed, with this error number.
    case system(String, Int32)

    package var description: String {
        switch self {
        case .step(let name, let text): "the launcher's step \(name) failed: \(text)"
        case .noReport(let step): "the launcher ended without starting the plugin, after the step \(step ?? "none")"
        case .system(let what, let error): "\(what): \(String(cString: strerror(error)))"
        }
    }
}
