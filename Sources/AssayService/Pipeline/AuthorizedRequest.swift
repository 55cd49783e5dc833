package import AssayAPI
package import AssayCore
package import AssayTracing
import Synchronization

/// A request whose caller may ask it: the first stage's result.
package final class AuthorizedRequest: Sendable {
    package let request: VerificationRequest
    package let profile: AppProfile
    package let caller: Caller
    package let now: Timestamp
    /// 16 bytes that no other request has.
    package let requestID: [UInt8]
    /// What an acceptance leads to beside the verdict; `nil`: nothing.
    package let step: (any AcceptanceStep)?
    /// True once the caller no longer waits for the answer. Read before work begins and before the request joins a commit.
    package let isAbandoned: @Sendable () -> Bool
    /// The spans of the call; `nil` if it is not traced.
    package let trace: CallTrace?
    /// `nil` where the caller gave no idempotency key.
    let idempotency: Idempotency?
    /// The digest of the one piece of evidence, or SHA-256 over the digests of several.
    let evidenceDigest: [UInt8]
    /// Why the upload that the request names cannot be bound; `nil`: it names none, or the binding has its hash. The answer, unless an equal request
    /// was accepted before.
    let unbound: PipelineError?

    /// Identifies a request that comes again. Equal requests are equal in both.
    struct Idempotency: Hashable, Sendable {
        /// SHA-256 over caller, method, app and the caller's key.
        let key: [UInt8]
        /// SHA-256 over all fields of the request but the key.
        let request: [UInt8]
        /// Not a part of what makes requests equal in the ledger, which keeps accepted verdicts alone. Requests in progress wait for one with the
        /// same report: a refusal with one failure is no answer to a request for all.
        let report: VerdictReport
    }

    /// - Parameter request: given away: it is long, and not copied.
    package init(
        request: consuming VerificationRequest, profile: AppProfile, caller: Caller, now: Timestamp,
        requestID: [UInt8], step: (any AcceptanceStep)? = nil, trace: CallTrace? = nil,
        isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) {
        // Whether a rejection may be reported depends on all that is wrong.
        if step == nil, profile.enforcement.reports { request.report = .all }
        self.profile = profile
        self.caller = caller
        self.now = now
        self.requestID = requestID
        self.step = step
        self.trace = trace
        self.isAbandoned = isAbandoned
        unbound = nil
        if request.idempotencyKey.isEmpty {
            idempotency = nil
            evidenceDigest = request.evidenceDigest
        } else {
            let digests = request.evidence.map(\.digest)
            idempotency = Idempotency(copy request, caller, step, evidence: digests)
            evidenceDigest = VerificationRequest.evidenceDigest(digests)
        }
        self.request = request
    }

    private init(_ other: AuthorizedRequest, under profile: AppProfile) {
        var request = other.request
        request.report = .first
        (self.request, caller, now, requestID) = (request, other.caller, other.now, other.requestID)
        self.profile = profile
        (step, trace, idempotency, evidenceDigest) = (nil, nil, nil, other.evidenceDigest)
        isAbandoned = { false }
        unbound = other.unbound
    }

    private init(_ other: AuthorizedRequest, binding: Result<[UInt8], PipelineError>) {
        (profile, caller, now, requestID) = (other.profile, other.caller, other.now, other.requestID)
        (step, trace, isAbandoned) = (other.step, other.trace, other.isAbandoned)
        // Of what the caller sent: an equal request is answered the same after its upload has expired.
        (idempotency, evidenceDigest) = (other.idempotency, other.evidenceDigest)
        var bound = other.request
        switch binding {
        case .success(let hash): (bound.binding, unbound) = (.clientData(payloadHash: hash), nil)
        case .failure(let error): unbound = error
        }
        request = bound
    }

    /// The same request with the hash of its upload, or with why it has none.
    func bound(by result: Result<[UInt8], PipelineError>) -> AuthorizedRequest { AuthorizedRequest(self, binding: result) }

    /// The same request under another policy of its app, for judging alone: nothing follows from it.
    func under(_ profile: AppProfile) -> AuthorizedRequest { AuthorizedRequest(self, under: profile) }
}

extension VerificationRequest {
    fileprivate var evidenceDigest: [UInt8] {
        if evidence.count == 1 { return evidence[0].digest }
        return Self.evidenceDigest(evidence.map(\.digest))
    }

    /// - Parameter digests: of each piece, in order.
    fileprivate static func evidenceDigest(_ digests: [[UInt8]]) -> [UInt8] {
        if digests.count == 1, let only = digests.first { return only }
        var hash = FieldDigest("assay.evidence-list.v1")
        for digest in digests { hash.append(digest) }
        return hash.finalize()
    }
}

extension AuthorizedRequest.Idempotency {
    fileprivate init(
        _ request: VerificationRequest, _ caller: Caller, _ step: (any AcceptanceStep)?, evidence digests: [[UInt8]]
    ) {
        report = request.report
        key = caller.idempotencyKey(request.idempotencyKey, method: step?.method ?? API.verify.path, app: request.app)
        let digest = request.digest(evidence: digests)
        guard let step else {
            self.request = digest
            return
        }
        var whole = FieldDigest("assay.request-with-step.v1")
        whole.append(digest)
        whole.append(step.digest)
        self.request = whole.finalize()
    }
}

extension Caller {
    /// SHA-256 over caller, method, app and the caller's key: by this the ledger finds a request that comes again.
    func idempotencyKey(_ key: [UInt8], method: String, app: AppID) -> [UInt8] {
        var hash = FieldDigest("assay.idempotency.v1")
        hash.append(name)
        hash.append(method)
        hash.append(app.text)
        hash.append(key)
        return hash.finalize()
    }
}

/// Names requests, for logs and audit: 8 bytes that no other request of this generator has and that look random, so that an id is told by its
/// first digits, then 8 random bytes of the generator. No system call is needed for each.
package final class RequestIDGenerator: Sendable {
    private let suffix = SecureRandom.bytes(8)
    private let count = Atomic<UInt64>(SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) })

    package init() {}

    /// 16 bytes.
    package func next() -> [UInt8] {
        let number = Self.scatter(count.wrappingAdd(1, ordering: .relaxed).newValue)
        var name: [UInt8] = []
        name.reserveCapacity(16)
        withUnsafeBytes(of: number.bigEndian) { name.append(contentsOf: $0) }
        name += suffix
        return name
    }

    /// Maps each number to another one, no two to the same: every step can be undone. (The finaliser of SplitMix64.)
    private static func scatter(_ number: UInt64) -> UInt64 {
        var mixed = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
