import AssayCore
import AssaySimulator
import Testing

@testable import CertificateBundle

@Suite("The form of a bundle's signature")
struct BundleSignatureTests {
    @Test("DER of 32 bytes is a signature; 32 other bytes are a hash")
    func short() throws {
        let number = [UInt8](repeating: 0x11, count: 13)
        let der = SignatureDraft(r: number, s: number).der
        #expect(der.count == 32)
        #expect(try BundleSignature(parsing: der).form == .der)
        #expect(throws: Rejection(.signatureMalformed, "32 bytes that are not DER: a hash, not a signature")) {
            try BundleSignature(parsing: [UInt8](repeating: 0x11, count: 32))
        }
    }
}
