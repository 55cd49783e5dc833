import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@Suite("Certificate bundles on the wire")
struct CertificateBundleWireTests {
    private static let fields = CertificateBundle.Fields(
        imageHash: bytes(32, 1), certificate: Array("TUlJQg==".utf8), timestamp: -7, locationHash: bytes(32, 2),
        signature: bytes(64, 3))
    private static let digest = CertificateBundle.Digest(
        signedSHA256: bytes(32, 4), certificate: Array("TUlJQg==".utf8), signature: bytes(70, 5))

    /// A request with the bundle alone.
    private func request(_ bundle: CertificateBundle) throws -> Assay_V1_VerifyRequest {
        var request = try sampleRequest().message
        request.evidence = [try #require(bundle.evidence.message)]
        request.clearBinding()
        request.challenge = Data()
        return request
    }

    private func read(_ message: Assay_V1_VerifyRequest) throws -> VerificationRequest {
        try #require(try VerificationRequest(serialized: try message.serializedBytes()))
    }

    @Test(
        "Each form comes back from its message as it was, and the binding is in the evidence",
        arguments: [CertificateBundle.json([0x7B, 0x7D]), .fields(fields), .digest(digest)])
    func forms(_ bundle: CertificateBundle) throws {
        let read = try read(try request(bundle))
        #expect(read.evidence == [bundle.evidence] && read.binding == .inEvidence)
        #expect(CertificateBundle(parts: try #require(read.evidence.first?.parts)) == bundle)
        // The client names the binding, which says the same.
        #expect(try self.read(read.message) == read)
        #expect(CertificateBundle(parts: []) == nil && CertificateBundle(parts: [[9], []]) == nil)
    }

    @Test("A bundle of no form, of two, or with a field that is not known is refused")
    func unknown() throws {
        let bundle = try #require(CertificateBundle.fields(Self.fields).evidence.message).certificateBundle
        let inner: [UInt8] = try bundle.fields.serializedBytes()
        let unknown: [UInt8] = [0x98, 0x06, 0x07]
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            [number << 3 | 2] + Self.varint(content.count) + content
        }
        let good = field(2, inner)
        let refused = [
            [], good + good, field(1, [0x7B]) + good, good + unknown, field(2, inner + unknown), field(4, [1]), unknown,
        ]
        for (index, content) in ([good] + refused).enumerated() {
            var message = try request(.json([]))
            message.evidence = []
            let evidence = field(6, content)
            let bytes: [UInt8] = try message.serializedBytes() + field(5, evidence)
            if index == 0 {
                #expect(try VerificationRequest(serialized: bytes)?.evidence.count == 1)
            } else {
                #expect(throws: RequestError.self, "\(index)") { try VerificationRequest(serialized: bytes) }
            }
        }
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 127) | 128] + varint(number >> 7)
    }

    @Test("A bundle beside other evidence, with a challenge or with another binding is refused, and so is its binding alone")
    func company() throws {
        let bundle = CertificateBundle.json([0x7B, 0x7D])
        var message = try request(bundle)
        message.evidence.append(.with { $0.deviceCheckToken = .with { $0.token = Data([1]) } })
        #expect(throws: RequestError.self) { try read(message) }
        message = try request(bundle)
        message.challenge = Data([1])
        #expect(throws: RequestError.self) { try read(message) }
        for binding in [
            Assay_V1_Binding.with { $0.clientData = .init() }, .with { $0.embedded = .with { $0.clientData = Data([1]) } },
            .with { $0.callerOwned = .with { $0.clientDataHash = Data(bytes(32, 1)) } },
        ] {
            message = try request(bundle)
            message.binding = binding
            #expect(throws: RequestError.self) { try read(message) }
        }
        message = try sampleRequest().message
        message.binding = .with { $0.inEvidence = .init() }
        #expect(throws: RequestError.self) { try read(message) }
    }
}
