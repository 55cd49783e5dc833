import AssayCertificates
import AssayCore
import AssayEncoding
import Foundation
import Testing

@Suite("Genuine certificates", .enabled(if: SharedVectors.folder != nil))
struct CorpusTests {
    struct Chain: Decodable {
        struct Input: Decodable { var chainPem: [String]? }
        struct Expect: Decodable { var verdict: String }
        var kind: String
        var input: Input
        var expect: Expect
    }

    @Test(
        "The genuine web PKI roots are the built-in anchors of SafetyNet",
        arguments: zip(["safetynet--globalsign-root-ca-r1", "safetynet--globalsign-root-ca-r2"], TrustAnchor.safetyNet))
    func builtInForSafetyNet(_ file: String, _ known: TrustAnchor) throws {
        let pem = try #require(SharedVectors.text("roots/\(file).pem"))
        let read = try TrustAnchor(name: "read", pem: pem, simulated: false)
        #expect(known == read && known.certificateSHA256 == read.certificateSHA256)
        #expect(known.publicKeySHA256 == read.publicKeySHA256 && known.validity == read.validity)
    }

    @Test("All genuine roots are read, and all but the weak one become anchors")
    func roots() throws {
        for file in SharedVectors.files("roots") where file.pathExtension == "pem" {
            for der in try PEM.decode(try String(contentsOf: file, encoding: .utf8)) {
                let certificate = try Certificate(der: der[...])
                #expect(certificate.isSelfIssued)
                let anchor = try? TrustAnchor(name: "root", pem: PEM.encode(der), simulated: false)
                #expect((anchor == nil) == file.lastPathComponent.contains("rsa-1024"))
            }
        }
    }

    @Test("Google's genuine roots match the built-in facts")
    func googleRoots() throws {
        let known = TrustAnchor.googleHardware + TrustAnchor.googleSoftware
        var editions: [[UInt8]: Set<[UInt8]>] = [:]
        for file in SharedVectors.files("roots") where file.lastPathComponent.hasPrefix("google-") {
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

    @Test("All certificates of accepted Android chains are read")
    func android() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var count = 0
        for file in SharedVectors.files("key-attestation") where file.pathExtension == "json" {
            guard let chain = try? decoder.decode(Chain.self, from: Data(contentsOf: file)), chain.expect.verdict == "accept"
            else { continue }
            for text in chain.input.chainPem ?? [] {
                for der in try PEM.decode(text) {
                    do {
                        let certificate = try Certificate(
                            der: der[...], leniencies: [.generalizedTimeBefore2050, .ecdsaWithNull])
                        _ = try certificate.basicConstraints()
                        _ = try certificate.keyUsage()
                        count += 1
                    } catch { Issue.record("\(file.lastPathComponent): \(error)") }
                }
            }
        }
        #expect(count > 0)
    }
}
