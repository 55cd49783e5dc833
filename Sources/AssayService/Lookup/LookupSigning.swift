import AssayAPI
import AssayCore
import AssayRPC
import AssayResults
import SwiftProtobuf

/// Signs answers to look-ups for others, by the keys and rules of verdicts' results.
package struct LookupSigning: Sendable {
    private let admission: ResultAdmission
    private let signer: ResultSigner

    package init(admission: ResultAdmission, signer: ResultSigner) { (self.admission, self.signer) = (admission, signer) }

    /// Throws what the app does not allow, before anything is charged or read.
    func check(_ requests: [ResultRequest], of app: AppProfile) throws(RPCError) { try admission.check(requests, of: app) }

    /// One result for each request, in order: the token, or why there is none.
    ///
    /// - Parameter answer: without results.
    func sign(
        _ answer: Assay_V1_FindVerdictsResponse, at time: Timestamp, for requests: [ResultRequest], of app: AppProfile
    ) async throws -> [SignedResult] {
        // An app without results was refused before.
        guard let composer = app.results else { return [] }
        let message: [UInt8] = try answer.serializedBytes()
        let facts = LookupFacts(
            answeredAt: time, simulated: answer.verdicts.contains(where: \.simulated), message: message,
            json: { (try? Self.answerJSON?.writeResponse(message)) ?? [] })
        return await signer.sign(facts, for: requests, by: composer)
    }

    private static let answerJSON = API.findVerdicts.json
}
