package import AssayCore

/// A request whose caller may ask it: the first stage's result.
package final class Admitted: Sendable {
    package let request: VerificationRequest
    package let profile: AppProfile
    package let caller: Caller
    package let now: Timestamp
    /// 16 bytes that no other request has.
    package let requestID: [UInt8]
    /// Whether nobody waits for the answer any more. Asked before work begins and before it joins a commit.
    package let isAbandoned: @Sendable () -> Bool

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
    }
}
