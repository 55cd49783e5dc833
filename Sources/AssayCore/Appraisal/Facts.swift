/// The fetched facts of one appraisal. With the evidence, the binding and the time they determine the appraisal, so facts that
/// are stored (``encoded()``) can be judged again.
public struct Facts: Hashable, Sendable {
    /// The registered device that was needed; `nil` if there is none.
    public var device: Device?
    /// How many other devices were registered under the attestation key that was needed; `nil` unless one was.
    public var attestationKeyUse: AttestationKeyUse?
    /// The revocation list, or why there is none.
    public var revocation: RevocationKnowledge
    /// What the answer source says about the evidence; `nil` if none is asked.
    public var outsideAnswer: OutsideAnswer?
    /// What the plugins that decide about the evidence say of it; empty if none is asked.
    public var opinions: [Opinion]
    /// The device certificate that was needed, in whatever app; `nil` if it is not on record. `device` is the device of the key id that
    /// was needed, or else the certificate's.
    public var certificate: DeviceCertificate?
    /// How many submissions of the device were counted in the last 24 hours; `nil` unless that was needed.
    public var submissions: Int64?

    public init(
        device: Device? = nil, attestationKeyUse: AttestationKeyUse? = nil, revocation: RevocationKnowledge = .notConsulted,
        outsideAnswer: OutsideAnswer? = nil, opinions: [Opinion] = [], certificate: DeviceCertificate? = nil,
        submissions: Int64? = nil
    ) {
        self.device = device
        self.attestationKeyUse = attestationKeyUse
        self.revocation = revocation
        (self.outsideAnswer, self.opinions) = (outsideAnswer, opinions)
        (self.certificate, self.submissions) = (certificate, submissions)
    }

    /// The same facts with the revocation list's entries for these serial numbers alone: what an appraisal of a chain with them
    /// reads of the list. A whole list has thousands of entries.
    public func keepingEntries(for serials: [[UInt8]]) -> Facts {
        guard case .snapshot(let list) = revocation else { return self }
        var facts = self
        facts.revocation = .snapshot(list.keepingEntries(for: serials))
        return facts
    }
}

/// How many distinct devices were registered under one attestation key, in all apps of the ledger.
public struct AttestationKeyUse: Hashable, Sendable {
    /// Counting stops here.
    public static let limit = 10_000

    /// Devices registered in the preceding 24 hours, at most `limit`.
    public let lastDay: Int
    public init(lastDay: Int) { self.lastDay = lastDay }
}

/// The list of facts that must be fetched before an appraisal. Each kind of need is in it at most once, as a field: a list of one
/// need costs no allocation, and a further kind is a further field.
public struct Needs: Hashable, Sendable {
    /// The key id of a device: the record that is registered for the app with this key.
    public var deviceKeyID: [UInt8]?
    /// An attestation key, as the SHA-256 of its SubjectPublicKeyInfo: how many devices were registered under it.
    public var attestationKey: [UInt8]?
    /// The app's revocation list.
    public var revocation: Bool
    /// What the app's answer source says about the evidence.
    public var outsideAnswer: Bool
    /// What the app's plugins say of the evidence.
    public var opinions: Bool
    /// A device certificate. Its device is fetched too, unless `deviceKeyID` names the device: then that device is fetched.
    public var certificate: CertificateQuery?
    /// How many submissions of the device were counted in the last 24 hours.
    public var submissions: Bool
    /// What identifies the statement that the evidence makes, for evidence with `ReplayProtection.statement`.
    public var statement: Statement?
    /// What was read of the evidence.
    public var reading: Reading

    public init(
        deviceKeyID: [UInt8]? = nil, attestationKey: [UInt8]? = nil, revocation: Bool = false, outsideAnswer: Bool = false,
        opinions: Bool = false, certificate: CertificateQuery? = nil, submissions: Bool = false, statement: Statement? = nil,
        reading: (any EvidenceReading)? = nil
    ) {
        (self.deviceKeyID, self.attestationKey) = (deviceKeyID, attestationKey)
        (self.revocation, self.outsideAnswer, self.opinions) = (revocation, outsideAnswer, opinions)
        (self.certificate, self.submissions, self.statement) = (certificate, submissions, statement)
        self.reading = Reading(reading)
    }

    /// How a device certificate is looked up.
    public enum CertificateQuery: Hashable, Sendable {
        case name(CertificateName)
        /// By the SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
        case key([UInt8])
    }

    /// The statement that evidence makes by itself. The same statement again is the same however the evidence is encoded.
    public struct Statement: Hashable, Sendable {
        /// How long evidence of the statement can be accepted.
        public enum Lifetime: Hashable, Sendable {
            /// Until the statement is too old by the time in it.
            case until(Timestamp)
            /// The evidence does not show the time of the statement, so that it can be accepted at any time. The statement counts as new
            /// again this many milliseconds after it was accepted.
            case afterAcceptance(milliseconds: Int64)
        }

        /// SHA-256 over what makes the statement unique, 32 bytes.
        public let digest: [UInt8]
        public let lifetime: Lifetime
        public init(digest: [UInt8], lifetime: Lifetime) { (self.digest, self.lifetime) = (digest, lifetime) }

        /// The instant until which a statement that is accepted at `now` is remembered.
        public func acceptableUntil(from now: Timestamp) -> Timestamp {
            switch lifetime {
            case .until(let time): time
            case .afterAcceptance(let milliseconds): now.adding(milliseconds: milliseconds)
            }
        }
    }

    public static var nothing: Needs { Needs() }
    public static var revocation: Needs { Needs(revocation: true) }
    public static var outsideAnswer: Needs { Needs(outsideAnswer: true) }
    public static var opinions: Needs { Needs(opinions: true) }
    public static func device(keyID: [UInt8]) -> Needs { Needs(deviceKeyID: keyID) }
    public static func attestationKey(_ digest: [UInt8]) -> Needs { Needs(attestationKey: digest) }
}

/// What a source outside the daemon, such as a vendor's service, says about evidence that only it can check.
public enum OutsideAnswer: Hashable, Sendable {
    /// The answer's bytes, for the verifier to parse; only the connection to the source authenticates them.
    case answered([UInt8])
    /// The source's statements, read by its client. The verifier takes those that it knows.
    case stated(Claims)
    /// The source does not accept the evidence.
    case refused(Rejection)
    /// The source could not be asked, or did not answer. A sentence gives the reason.
    case unavailable(String)
}

/// A source outside the daemon that is asked about evidence which only it can check.
package protocol AnswerSource: Sendable {
    /// Asks about the evidence, with its own time-outs. Throws if the source was not asked, so that a repetition is safe; if
    /// it may have been asked without a result, the result is an answer.
    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer

    /// Why the source is not asked at present: it failed repeatedly. `nil` if it is asked. For operators; does no I/O.
    func outage(at now: Timestamp) -> String?
}

extension AnswerSource {
    package func outage(at now: Timestamp) -> String? { nil }
}

/// The source was not asked, or a repetition is safe: too many requests are in flight, or it failed too often recently. A
/// sentence gives the reason.
package struct AnswerSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
