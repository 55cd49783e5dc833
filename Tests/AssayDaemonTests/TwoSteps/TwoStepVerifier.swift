import AssayCore
import Crypto
import Foundation

/// Appraises the second step: both public keys, the expiry that Prepare named (milliseconds since 1970, 8 bytes, big-endian), the secret, and
/// 64 bytes (r, s) of a signature over the client data by the second key. It is pure: the secret is derived again, not looked up.
struct TwoStepVerifier: EvidenceVerifier {
    static let format = EvidenceFormat(rawValue: "example.two-steps")
    static let length = TwoStepKeys.length + 8 + PreparationSecrets.length + 64

    let format: EvidenceFormat = Self.format
    let purposes: Set<Purpose> = [.assert]
    let sizeLimit: Int = Self.length
    let replayProtection: ReplayProtection = .challenge()

    /// Both `nil` for tools.
    let app: AppID?
    let secrets: PreparationSecrets?

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let body = evidence.body
        let keys = try appraisal.check("form") { () throws(Rejection) in
            guard body.count == Self.length, let keys = TwoStepKeys(Array(body.prefix(TwoStepKeys.length))) else {
                throw Rejection(.malformed, "want two keys, an expiry, a secret and a signature, have \(body.count) bytes")
            }
            return keys
        }
        let rest = body.dropFirst(TwoStepKeys.length)
        let expiry = Timestamp(unixMilliseconds: Int64(bitPattern: rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }))
        let secret = rest.dropFirst(8).prefix(PreparationSecrets.length)
        if let app, let secrets {
            try appraisal.require(
                "preparation", secrets.isSecret(secret, of: format, app: app, context: keys.context, expiry: expiry),
                else: .possessionNotProven, "the secret was not made for these keys, this app and this expiry")
            try appraisal.require("preparation_end", context.now < expiry, else: .expired, "the secret ended at \(expiry)")
        } else {
            appraisal.unavailable("preparation", "secrets_away", "the secrets are the daemon's")
        }
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: body.suffix(64))
        let isValid = signature.map { keys.signing.isValidSignature($0, for: Data(context.binding.clientData)) } ?? false
        try appraisal.require("signature", isValid, else: .badSignature, "the second key has not signed this client data")
        appraisal.assurance = .software
    }
}
