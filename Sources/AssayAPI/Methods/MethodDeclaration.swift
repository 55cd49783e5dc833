package import AssayCore

/// A method of the API without its messages: what authorising, logging, counting and a transport need of it.
package struct MethodDeclaration: Hashable, Sendable {
    /// How calls reach the body of a method.
    package enum Form: Hashable, Sendable {
        /// Each call by itself.
        case unary
        /// Calls that arrive together are handed over together: the hot path.
        case batch
        /// Each call by itself, answered by any number of messages.
        case stream
    }

    /// The gRPC path, such as `/assay.v1.Attestation/Verify`.
    package let path: String
    /// The name over plain HTTP, which the path gives.
    package let http: HTTPName
    /// The caller needs one of these.
    package let roles: Set<Role>
    /// Whether a client may repeat a call.
    package let idempotency: Idempotency
    package let form: Form
    /// A call takes long, such as a thousand records to read, so that it waits for one of a few places after it was authorised.
    package let takesTurns: Bool
    /// The method changes or shows something that belongs to all apps, so that a caller that is limited to some apps may not call it.
    package let concernsAllApps: Bool

    init(path: String, roles: Set<Role>, idempotency: Idempotency, form: Form, takesTurns: Bool, concernsAllApps: Bool) {
        (self.path, http) = (path, HTTPName(grpcPath: path))
        (self.roles, self.idempotency, self.form) = (roles, idempotency, form)
        (self.takesTurns, self.concernsAllApps) = (takesTurns, concernsAllApps)
    }

    /// All methods, in the order of `API.all`.
    package static let all = API.all.map(\.declaration)

    private static let byPath = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    /// The method of that path; `nil` if there is none.
    package static func at(_ path: String) -> MethodDeclaration? { byPath[path] }
}

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
    /// Provision devices of fleets.
    case fleet
    /// Say which devices of fleets may be provisioned.
    case enrol
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

/// Whether a method is safe to retry.
package enum Idempotency: Hashable, Sendable {
    /// A second call changes nothing more than the first: the method only reads, or sets what is already set.
    case idempotent
    /// Idempotent if the request carries an idempotency key, otherwise not.
    case idempotentWithKey
    /// A second call may do more, or answer differently. It is safe only if the daemon certainly did not begin the first.
    case notIdempotent

    /// Whether a call may be repeated that the daemon has possibly begun.
    ///
    /// - Parameter hasKey: the request carries an idempotency key.
    package func allowsRepeating(hasKey: Bool) -> Bool {
        switch self {
        case .idempotent: true
        case .idempotentWithKey: hasKey
        case .notIdempotent: false
        }
    }
}
