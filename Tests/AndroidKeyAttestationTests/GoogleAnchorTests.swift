import AndroidKeyAttestation
import AssayCertificates
import AssayCore
import AssayEncoding
import Foundation
import Testing

@Suite("Google's anchors")
struct GoogleAnchorTests {
    @Test("Google's two hardware anchors have the published keys")
    func hardware() {
        #expect(
            TrustAnchor.googleHardware.map { Hex.encode($0.publicKeySHA256) } == [
                "feb2ea7551ee316ed4bb443c8293b884dbfdea40b603ee3e4f4a897e4580fbae",
                "3ee44512a1af2beb39c889490c60ea3f82e43f5d5a5532f5ab9419f676cd07ec",
            ])
        #expect(TrustAnchor.googleHardware.allSatisfy { !$0.simulated && !$0.isSoftware })
    }

    @Test("Google's two software anchors are simulated where they are trusted")
    func software() {
        #expect(
            TrustAnchor.googleSoftware.map { Hex.encode($0.publicKeySHA256) } == [
                "d5100c7942ef2e8310dc30ef82729680cf48d690735c3f68179a33c7c370f286",
                "f2c4746f545946c100e72297f8f946344d7052f03a2f694221f9c893b0e6f711",
            ])
        #expect(TrustAnchor.googleSoftware.allSatisfy { $0.simulated && $0.isSoftware })
    }

    @Test("Google's genuine roots match the built-in facts", .enabled(if: SharedVector.folder != nil))
    func googleRoots() throws {
        let known = TrustAnchor.googleHardware + TrustAnchor.googleSoftware
        var editions: [[UInt8]: Set<[UInt8]>] = [:]
        let folder = try #require(SharedVector.folder).deletingLastPathComponent().appending(path: "roots")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in files where file.lastPathComponent.hasPrefix("google-") {
            let der = try #require(try PEM.decode(try String(contentsOf: file, encoding: .utf8)).first)
            let certificate = try Certificate(der: der[...])
            let anchor = try #require(known.first { $0.publicKeySHA256 == certificate.publicKey.sha256 })
            #expect(anchor.subject == certificate.subject)
            #expect(anchor.isSoftware == file.lastPathComponent.hasPrefix("google-software"))
            editions[anchor.publicKeySHA256, default: []].insert(certificate.digest)
            if certificate.digest == anchor.certificateSHA256 { #expect(anchor.validity == certificate.validity) }
        }
        #expect(editions.count == 4)
        for anchor in known { #expect(editions[anchor.publicKeySHA256]?.contains(anchor.certificateSHA256) == true) }
    }
}
