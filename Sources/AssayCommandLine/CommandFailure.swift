package import ArgumentParser
import Foundation

/// Why a command did not do what it was asked for, as standard error says it: a line for people, or with `--json` an object.
///
/// A command says it and throws the exit status (``shown(as:)``), or throws the failure: the program then says it behind its own name.
///
/// Members and reasons are a contract; docs/reference/command-line.md describes them.
package struct CommandFailure: Error, Hashable, Sendable {
    /// For people.
    package let message: String
    /// A stable word for machines, in lower case.
    package let reason: String
    package let exitStatus: Int32
    /// gRPC's name of a call's error code; empty where no call failed.
    package var code = ""
    /// What may be done next: a retry class (docs/reference/reason-codes.md).
    package var retry = "never"
    /// In milliseconds.
    package var retryAfter: UInt32?
    /// The id of the request in the daemon's records, in hexadecimal; empty where there is none.
    package var requestID = ""

    package init(_ reason: String, _ message: String, exitStatus: Int32) {
        (self.reason, self.message, self.exitStatus) = (reason, message, exitStatus)
    }

    /// Of a file that cannot be read or written, or is not what the command takes: 65, `EX_DATAERR` of `sysexits.h`.
    package static func unreadable(_ text: String) -> CommandFailure {
        CommandFailure("unreadable_input", text, exitStatus: 65)
    }

    /// Whether the command line asks for JSON.
    package static let isJSON = CommandLine.arguments.prefix { $0 != "--" }.contains("--json")

    /// The object of `--json`, on one line.
    package var json: String {
        var error: [String: Any] = [
            "message": message, "reason": reason, "retry": retry, "exit_status": exitStatus,
        ]
        if !code.isEmpty { error["code"] = code }
        if let retryAfter { error["retry_after_ms"] = retryAfter }
        if !requestID.isEmpty { error["request_id"] = requestID }
        return Self.line(["error": error])
    }

    /// Writes the failure to standard error.
    ///
    /// - Parameter text: the form for people.
    /// - Returns: what to throw, so that the program ends with the status.
    package func shown(as text: String) -> ExitCode {
        Self.write(Self.isJSON ? json : text)
        return ExitCode(exitStatus)
    }

    /// Writes what is no failure to standard error: for people as it is, with `--json` as an object.
    package static func note(_ text: String) { write(isJSON ? line(["note": text]) : text) }

    private static func line(_ object: [String: Any]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return JSONEscapes.escaped(String(decoding: data ?? Data("{}".utf8), as: UTF8.self))
    }

    private static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
