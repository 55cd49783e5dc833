package import AssayClient
package import AssayCore

/// Why a load cannot begin.
package enum LoadError: Error, Sendable, CustomStringConvertible {
    /// A call has no answer.
    case call(AssayError)
    /// The daemon refuses a device of the load.
    case refused(app: AppID, reason: String, detail: String)
    /// A virtual device cannot make evidence.
    case device(String)

    package var description: String {
        switch self {
        case .call(let error): "\(error)"
        case .refused(let app, let reason, let detail): "the app \(app) refuses a device: \(reason): \(detail)"
        case .device(let text): text
        }
    }

    init(_ error: any Error) {
        switch error {
        case let error as LoadError: self = error
        case let error as AssayError: self = .call(error)
        default: self = .device("a virtual device cannot make evidence: \(error)")
        }
    }
}
