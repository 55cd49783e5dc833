import AssayCertificates
import AssayProvisioning

/// Whether a signature of a CA verifies, by the reader of certificates.
func verifies(
    _ signature: [UInt8], _ message: [UInt8], _ publicKey: [UInt8], _ algorithm: AuthorityAlgorithm
) throws -> Bool {
    let key = try PublicKey(SubjectPublicKeyInfo(der: publicKey[...]))
    let verified: Void? = try? key.verify(
        signature[...], by: algorithm == .p256 ? .ecdsaWithSHA256 : .ecdsaWithSHA384, over: message[...])
    return verified != nil
}
