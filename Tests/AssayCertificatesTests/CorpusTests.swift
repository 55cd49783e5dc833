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
