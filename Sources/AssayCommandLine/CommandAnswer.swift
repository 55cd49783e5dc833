import Foundation

/// How a program ends that runs no command, or whose command failed.
package enum CommandAnswer: Sendable {
    /// Help, or another text that was asked for, for standard output.
    case text(String)
    /// What standard error says: the text for people, or with `--json` an object.
    case failure(CommandFailure, text: String)
    /// The command said all.
    case status(Int32)

    package var exitStatus: Int32 {
        switch self {
        case .text: 0
        case .failure(let failure, _): failure.exitStatus
        case .status(let status): status
        }
    }

    /// Says it, and ends the process.
    func end() -> Never {
        switch self {
        case .text(let text): try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        case .failure(let failure, let text): _ = failure.shown(as: text)
        case .status: break
        }
        exit(exitStatus)
    }
}
