import AssayCertificates
package import AssayCore
import AssaySigning
import SwiftASN1

extension IssuingAuthority {
    /// Signs a revocation list (RFC 5280 §5). Throws `.impossible` if its number is negative, its times are not in order, a serial number is none,
    /// or the CA has ended at its thisUpdate.
    package func sign(_ content: RevocationListContent) async throws(AuthorityError) -> [UInt8] {
        guard content.number >= 0, content.thisUpdate < content.nextUpdate,
            content.revoked.allSatisfy({ (1...20).contains($0.serial.count) })
        else { throw .impossible("a list needs a number, a next update after this one, and serial numbers of 1 to 20 bytes") }
        guard !hasEnded(at: content.thisUpdate) else { throw .impossible("the CA ended at \(chain.validity.notAfter)") }
        let list = RevocationListBody(
            content: content, issuer: chain.issuer.subject.der, keyIdentifier: chain.keyIdentifier, algorithm: signer.algorithm)
        let signedPart: [UInt8]
        do {
            var serializer = DER.Serializer()
            try serializer.serialize(list)
            signedPart = serializer.serializedBytes
        } catch {
            throw .impossible("a field of the list has no encoding")
        }
        let signature: [UInt8]
        do throws(SigningError) { signature = try await signer.sign(signedPart) } catch { throw AuthorityError(error) }
        do {
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { coder in
                coder.serializeRawBytes(signedPart)
                coder.serializeRawBytes(list.algorithm.signatureIdentifier)
                try coder.serialize(ASN1BitString(bytes: signature[...]))
            }
            return serializer.serializedBytes
        } catch {
            throw .impossible("the list has no encoding")
        }
    }
}
