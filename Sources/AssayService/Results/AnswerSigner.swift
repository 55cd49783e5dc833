package import AssayCore
package import AssayRPC

/// Signs answers of methods other than those that give verdicts, such as what a look-up found, by the same keys and rules as verdicts' results.
package protocol AnswerSigner: Sendable {
    /// Throws what the app's configuration does not allow, before anything is done for the call.
    func check(_ requests: [ResultRequest], of profile: AppProfile) throws(RPCError)

    /// One result for each request, in order: the token, or why there is none. Never throws, since the answer holds without it.
    ///
    /// - Parameter requests: of the shapes `plain-jws` and `plain-cose` alone, which ``check(_:of:)`` let pass.
    func sign(_ answer: AnswerToSign, for requests: [ResultRequest], of profile: AppProfile) async -> [SignedResult]
}

/// An answer as the plain shapes sign it.
package struct AnswerToSign: Sendable {
    /// The protobuf message's full name, such as `assay.v1.FindVerdictsResponse`. The token names it, so that one kind of answer never passes
    /// for another, nor for a verdict.
    package let type: String
    /// When the answer was true: `iat`. The token's life counts from then.
    package let time: Timestamp
    /// Something in the answer rests on a test root: only the issuer of simulated devices may sign it.
    package let simulated: Bool
    /// The serialised message.
    package let message: [UInt8]
    /// The same message as JSON in UTF-8, made once it is needed.
    package let json: @Sendable () -> [UInt8]

    package init(type: String, time: Timestamp, simulated: Bool, message: [UInt8], json: @escaping @Sendable () -> [UInt8]) {
        (self.type, self.time, self.simulated, self.message, self.json) = (type, time, simulated, message, json)
    }
}
