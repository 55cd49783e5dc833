import AssayCertificates
import AssayTesting
import Foundation
import SafetyNet
import Testing

@Suite("Genuine roots of the web PKI above SafetyNet", .enabled(if: SharedVectors.folder("roots") != nil))
struct GenuineAnchorTests {
    @Test(
        "The genuine web PKI roots are the built-in anchors of SafetyNet",
        arguments: zip(["safetynet--globalsign-root-ca-r1", "safetynet--globalsign-root-ca-r2"], TrustAnchor.safetyNet))
    func builtInForSafetyNet(_ file: String, _ known: TrustAnchor) throws {
        let path = try #require(SharedVectors.folder("roots")).appending(path: file + ".pem")
        let pem = try String(contentsOf: path, encoding: .utf8)
        let read = try TrustAnchor(name: "read", pem: pem, simulated: false)
        #expect(known == read && known.certificateSHA256 == read.certificateSHA256)
        #expect(known.publicKeySHA256 == read.publicKeySHA256 && known.validity == read.validity)
    }
}
