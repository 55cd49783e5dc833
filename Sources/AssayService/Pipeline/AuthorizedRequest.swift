package import AssayAPI
package import AssayCore

/// A request whose caller may ask it: the first stage's result.
package final class AuthorizedRequest: Sendable {
    package let request: VerificationRequest
    package let profile: AppProfile
    package let caller: Caller
    package let now: Timestamp
    /// 16 bytes that no other request has.
    package let requestID: [UInt8]
    /// Whether the caller no longer waits for the answer. Asked before work begins and before it joins a commit.
    package let isAbandoned: @Sendable () -> Bool
    /// `nil` where the caller gave no idempotency key.
    let idempotency: Idempotency?

    /// By what a request is known when it comes again. Equal requests are equal in both.
    struct Idempotency: Hashable, Sendable {
        /// SHA-256 over caller, method, app and the caller's key.
        let key: [UInt8]
        /// SHA-256 over all fields of the request but the key.
        let request: [UInt8]
    }

    package init(
        request: VerificationRequest, profile: AppProfile, caller: Caller, now: Timestamp,
        requestID: [UInt8], isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) {
        self.request = request
        self.profile = profile
        self.caller = caller
        self.now = now
        self.requestID = requestID
        self.isAbandoned = isAbandoned
        idempotency = request.idempotencyKey.isEmpty ? nil : Idempotency(request, caller)
    }
}

extension AuthorizedRequest.Idempotency {
    fileprivate init(_ request: VerificationRequest, _ caller: Caller) {
        var hash = FieldDigest("assay.idempotency.v1")
        hash.append(caller.name)
        hash.append("/assay.v1.Attestation/Verify")
        hash.append(request.app.text)
        hash.append(request.idempotencyKey)
        (key, self.request) = (hash.finalize(), request.digest)
    }
}
