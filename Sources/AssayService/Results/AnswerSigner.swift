package import AssayCore

/// Signs answers of methods other than those that give verdicts, such as what a look-up found, with the keys and under the issuers of
/// `ResultRule`'s results.
package protocol AnswerSigner: Sendable {
    /// One result for each request, in order: the token, or why there is none. Never throws, since the answer holds without it.
    ///
    /// - Parameters:
    ///   - requests: of the shapes `plain-jws` and `plain-cose` alone; the caller has checked them against the rule.
    ///   - rule: the app's, for audiences and lifetimes.
    func sign(_ answer: AnswerToSign, for requests: [ResultRequest], by rule: ResultRule) async -> [SignedResult]
}

/// An answer as the plain shapes sign it.
package struct AnswerToSign: Sendable {
    package let app: AppID
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
    package let json: @Sendable () throws -> [UInt8]

    package init(
        app: AppID, type: String, time: Timestamp, simulated: Bool, message: [UInt8],
        json: @escaping @Sendable () throws -> [UInt8]
    ) {
        (self.app, self.type, self.time, self.simulated) = (app, type, time, simulated)
        (self.message, self.json) = (message, json)
    }
}
