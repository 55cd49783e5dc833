import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

/// The reader of requests for certificates, beside SwiftProtobuf's.
@Suite("Fields of a request for a certificate")
struct IssuanceFieldsTests {
    private static let full = Assay_V1_IssueCertificateRequest.with {
        $0.app = "camera"
        $0.challenge = Data(repeating: 1, count: 60)
        $0.context = Data([2])
        $0.evidence = [
            .with {
                $0.appAttestAssertion.keyID = Data(repeating: 3, count: 32)
                $0.appAttestAssertion.assertion = Data([4, 5])
            }
        ]
        $0.payloadSha256 = Data(repeating: 6, count: 32)
        $0.csr = Data([7, 8])
        $0.subject = Data([9])
        $0.expectedDeviceID = Data(repeating: 10, count: 16)
        $0.idempotencyKey = Data([11])
        $0.sourceAddress = "192.0.2.1"
    }

    private func error(_ change: (inout Assay_V1_IssueCertificateRequest) -> Void) throws -> String? {
        var message = Self.full
        change(&message)
        do throws(RequestError) {
            _ = try IssuanceFields(serialized: (try? message.serializedBytes()) ?? [])
            return nil
        } catch {
            return error.field
        }
    }

    @Test("Every field is read, and the purpose is that of provisioning")
    func fields() throws {
        let read = try #require(try IssuanceFields(serialized: Self.full.serializedBytes()))
        let request = read.request
        #expect(request.app.text == "camera" && request.purpose == .provision)
        #expect(request.challenge == [UInt8](repeating: 1, count: 60) && request.context == [2])
        #expect(request.evidence.map(\.format) == [.appAttestAssertion] && request.evidence.map(\.body) == [[4, 5]])
        #expect(request.evidence.first?.keyID == [UInt8](repeating: 3, count: 32))
        #expect(request.binding == .clientData(payloadHash: [UInt8](repeating: 6, count: 32)))
        #expect(request.subject == [9] && request.idempotencyKey == [11] && request.sourceAddress != nil)
        #expect(request.expectedDevice?.bytes == [UInt8](repeating: 10, count: 16))
        guard case .csr([7, 8]) = read.key else {
            Issue.record("not the CSR")
            return
        }
    }

    @Test("The last member of the choice counts, as in protobuf, and a field of a later version is skipped")
    func choice() throws {
        let bytes: [UInt8] = try Self.full.serializedBytes()
        let read = try #require(try IssuanceFields(serialized: bytes + [7 << 3 | 2, 1, 0x30] + [12 << 3, 1]))
        guard case .publicKey([0x30]) = read.key else {
            Issue.record("not the public key")
            return
        }
        let message = try Assay_V1_IssueCertificateRequest(serializedBytes: bytes + [7 << 3 | 2, 1, 0x30])
        #expect(message.key == .publicKey(Data([0x30])))
    }

    @Test("The first field that breaks a rule is named, the app before all")
    func rules() throws {
        #expect(try error { _ in } == nil)
        #expect(try error { ($0.app, $0.evidence) = ("NO APP", []) } == "app")
        #expect(try error { $0.evidence = [] } == "evidence")
        #expect(try error { $0.evidence += $0.evidence } == "evidence")
        #expect(try error { $0.payloadSha256 = Data([1]) } == "binding.client_data.payload_sha256")
        #expect(try error { $0.expectedDeviceID = Data([1]) } == "expected_device_id")
        #expect(try error { $0.key = nil } == "key")
        #expect(try error { $0.csr = Data() } == "csr")
        #expect(try error { $0.csr = Data(repeating: 0, count: csrLimit + 1) } == "csr")
        #expect(try error { $0.publicKey = Data(repeating: 0, count: 1025) } == "public_key")
    }

    @Test("Bytes that are no message, and a known field of another type, are not read")
    func malformed() throws {
        let bytes: [UInt8] = try Self.full.serializedBytes()
        for number in 1...11 as ClosedRange<UInt8> {
            #expect(try IssuanceFields(serialized: bytes + [number << 3, 1]) == nil, "field \(number)")
        }
        // At the end of a field nothing is missing but what comes later.
        for count in 0..<bytes.count {
            _ = try? IssuanceFields(serialized: Array(bytes.prefix(count)))
        }
        #expect(try IssuanceFields(serialized: Array(bytes.dropLast())) == nil)
    }
}
