import AssaySigning
import Logging

/// Opens what has keys in PKCS#11 tokens, and looks for these in the background once all are named. A token that is away is not waited for.
///
/// - Parameters:
///   - logger: is told when a token cannot be used, and when it can be again.
///   - open: is given what makes the signer of a key in a token, by its settings and its public key.
func openingTokens<Opened>(
    logger: Logger,
    _ open: (
        (TokenKeySettings, [UInt8]) throws(CredentialFileError) -> any Signer
    ) throws(CredentialFileError) -> Opened
) throws(CredentialFileError) -> Opened {
    var signers: [TokenSigner] = []
    let opened = try open { (token, publicKey) throws(CredentialFileError) in
        let log = TokenLog(token.tokenLabel, logger: logger)
        let signer = try TokenSigner(token, publicKey: publicKey) { log.changed($0) }
        signers.append(signer)
        return signer
    }
    TokenSigner.prepare(signers)
    return opened
}
