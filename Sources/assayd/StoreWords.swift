import ArgumentParser
import AssayCommandLine
import AssayDaemon
import Foundation

extension Error {
    /// Prints the error for people. Throw the result: 69, or the status that the command ends with already.
    var told: any Error {
        if self is ExitCode { return self }
        return CommandFailure("unavailable", "\(self)", exitStatus: StartupError.unavailable).shown(as: "\(self)")
    }
}

extension KeyFit {
    func text(of file: String) -> String {
        switch self {
        case .opens: "\(file) opens it"
        case .unknown(let why): "needs \(file), which was not compared: \(why)"
        case .wrong: "\(file) does NOT open it: it belongs to another ledger"
        }
    }

    /// True, false, or null where it was not compared.
    var json: Any {
        switch self {
        case .opens: true
        case .wrong: false
        case .unknown: NSNull()
        }
    }
}
