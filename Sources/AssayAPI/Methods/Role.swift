package import AssayCore

/// What a caller may do. A caller needs one of a method's roles to call it; a caller has no role by default.
package enum Role: String, CaseIterable, Hashable, Sendable {
    /// Ask for challenges and verdicts.
    case verify
    /// Ask for challenges that lead to a device certificate.
    case provision
    /// Read and change device records.
    case devices
    /// Change how the daemon runs.
    case operate
    /// Read the daemon's status, feeds and audit log.
    case observe
}

extension Purpose {
    /// The role that a caller needs for a challenge of this purpose, beside the roles of `API.issueChallenge`.
    package var role: Role {
        switch self {
        case .register, .assert: .verify
        case .provision, .renew: .provision
        }
    }
}
