/// The policy's decision over the appraisals of one request.
public enum Decision: Hashable, Sendable {
    /// All checks passed; the assurance is the minimum of the pieces, without supplements and parts of the payload.
    case accept(Assurance)
    /// The first failure in documented order.
    case reject(Rejection, check: String)
    /// Nothing failed, but a required fact is unavailable: nothing is decided and nothing is spent.
    case unavailable(check: String, detail: String)

    /// Whether it is a rejection.
    public var isRejection: Bool { if case .reject = self { true } else { false } }

    /// Any failure rejects; otherwise anything unavailable leaves the decision open; otherwise the request is accepted. An
    /// empty list is never accepted.
    public init(_ appraisals: [Appraisal]) {
        // By index, and the findings alone: an appraisal is long, and would be copied.
        let all = appraisals.indices
        for index in all {
            guard let failure = appraisals[index].findings.first(.fail), let rejection = failure.rejection else { continue }
            self = .reject(rejection, check: failure.check)
            return
        }
        for index in all {
            guard let missing = appraisals[index].findings.first(.unavailable) else { continue }
            self = .unavailable(check: missing.check, detail: missing.detail)
            return
        }
        guard appraisals.isEmpty || !all.allSatisfy({ appraisals[$0].isPart }) else {
            self = .reject(Rejection(.payloadNotBound, "every piece is a part of a payload that none binds"), check: "binding")
            return
        }
        // A supplement counts if there are only supplements. A part of the payload says nothing of a device.
        let onlySupplements = all.allSatisfy { appraisals[$0].isSupplement || appraisals[$0].isPart }
        let bearing = all.lazy.filter { !appraisals[$0].isPart && (onlySupplements || !appraisals[$0].isSupplement) }
        guard let assurance = bearing.map({ appraisals[$0].assurance }).min(),
            all.allSatisfy({ appraisals[$0].isPart || appraisals[$0].assurance > .none })
        else {
            self = .reject(Rejection(.formatNotAccepted, "no evidence supports any assurance"), check: "evidence")
            return
        }
        self = .accept(assurance)
    }
}

/// The strength of an accepted verdict. The assurance of a chain is the minimum of its claims.
public enum Assurance: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case none = 0
    /// Keys stored by software.
    case software = 1
    /// Only a platform vendor's online verdict.
    case platform = 2
    /// A trusted execution environment.
    case hardware = 3
    /// A secure element: Secure Enclave, StrongBox.
    case secureElement = 4

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var name: String {
        switch self {
        case .none: "none"
        case .software: "software"
        case .platform: "platform"
        case .hardware: "hardware"
        case .secureElement: "secure_element"
        }
    }
}
