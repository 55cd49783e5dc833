import AppAttest
import AssayCertificates
import AssayCore
import AssaySchemes
import Foundation
import Testing

@Suite("App Attest anchors")
struct AnchorTests {
    @Test("The built-in anchors of attestations have the fingerprints that Apple publishes")
    func attestations() throws {
        #expect(TrustAnchor.appAttest.count == 1)
        let anchor = try #require(TrustAnchor.appAttest.first)
        #expect(Hex.encode(anchor.publicKeySHA256) == "1ae751fd29896d0f1f13fe226c063f445d40d8938acc6245c251ecc0679330bd")
        #expect(Hex.encode(anchor.publicKey.sha256) == Hex.encode(anchor.publicKeySHA256))
        #expect(Hex.encode(anchor.certificateSHA256) == "1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932")
        #expect(anchor.validity.notBefore.description == "2020-03-18T18:32:53Z")
        #expect(anchor.validity.notAfter.description == "2045-03-15T00:00:00Z")
        #expect(!anchor.simulated)
    }

    @Test("The built-in anchors of receipts have the fingerprints that Apple publishes")
    func receipts() throws {
        #expect(TrustAnchor.appAttestReceipt.count == 1)
        let anchor = try #require(TrustAnchor.appAttestReceipt.first)
        #expect(Hex.encode(anchor.publicKeySHA256) == "9b219d0fbff36a5fb32090571906bceea68617c833a3f61b81e962a8e64db8af")
        #expect(Hex.encode(anchor.publicKey.sha256) == Hex.encode(anchor.publicKeySHA256))
        #expect(Hex.encode(anchor.certificateSHA256) == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(anchor.validity.notBefore.description == "2014-04-30T18:19:06Z")
        #expect(anchor.validity.notAfter.description == "2039-04-30T18:19:06Z")
        #expect(!anchor.simulated)
    }

    @Test(
        "The genuine App Attest roots are the built-in anchors", .enabled(if: Vector.folder != nil),
        arguments: [
            ("apple-app-attest--root-ca", TrustAnchor.appAttest),
            ("apple-receipt--apple-root-ca-g3", TrustAnchor.appAttestReceipt),
        ])
    func builtIn(_ file: String, _ anchors: [TrustAnchor]) throws {
        let folder = try #require(Vector.folder)
        let pem = try String(contentsOf: folder.appending(path: "roots/\(file).pem"), encoding: .utf8)
        let read = try TrustAnchor(name: "read", pem: pem, simulated: false)
        #expect(anchors.count == 1)
        let known = try #require(anchors.first)
        #expect(known == read)
        #expect(known.certificateSHA256 == read.certificateSHA256)
        #expect(known.publicKeySHA256 == read.publicKeySHA256)
        #expect(known.validity == read.validity)
    }

    @Test("The scheme lists the roots of attestations before those of receipts")
    func listed() {
        #expect(AppAttestScheme.anchors == TrustAnchor.appAttest + TrustAnchor.appAttestReceipt)
        #expect(AppAttestScheme.retiredAnchors.isEmpty && AppAttestScheme.softwareAnchors.isEmpty)
    }
}
