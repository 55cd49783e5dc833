import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf
import Testing

@Suite("Requests for certificates", .timeLimit(.minutes(30)))
struct CertificateRequestTests {
    private let time = TestTime()
    private let challenge = [UInt8](repeating: 1, count: 54)
    private let csr: [UInt8] = [0x30, 0x01, 0x02]

    private func app() throws -> AppID { try #require(AppID("camera")) }

    private func issuance(
        _ key: IssuanceRequest.RequestedKey, _ payload: IssuanceRequest.BoundPayload = .csr, idempotencyKey: [UInt8] = []
    ) throws -> IssuanceRequest {
        IssuanceRequest(
            app: try app(), challenge: challenge, context: [3],
            evidence: [Evidence(format: .appAttestAssertion, keyID: [1], body: [2])], key: key, payload: payload, subject: [4],
            idempotencyKey: idempotencyKey)
    }

    private func renewal() throws -> RenewalRequest {
        RenewalRequest(app: try app(), challenge: challenge, keyID: [UInt8](repeating: 5, count: 32), signature: [6], csr: csr)
    }

    private static let issued = Assay_V1_IssueCertificateResponse.with {
        $0.verdict.decision = .accepted
        $0.verdict.repeated = true
        $0.certificate.serial = Data([7])
    }

    // MARK: What a device signs

    @Test("client data for a certificate binds the SHA-256 of the request under the purpose's byte")
    func clientData() throws {
        let provisioning = try #require(ClientData.provisioning(challenge: challenge, csr: csr))
        #expect(provisioning.bytes == Array("assay1".utf8) + [3] + challenge + ClientData.payloadHash(csr))
        let renewal = try #require(ClientData.renewal(challenge: challenge, csr: csr))
        #expect(renewal.bytes == Array("assay1".utf8) + [4] + challenge + ClientData.payloadHash(csr))
        let attested = try #require(ClientData.provisioning(challenge: challenge))
        #expect(attested.bytes == Array("assay1".utf8) + [3] + challenge + [UInt8](repeating: 0, count: 32))
        #expect(ClientData.provisioning(challenge: [1], csr: csr) == nil)
        #expect(ClientData.renewal(challenge: [], csr: csr) == nil)
        #expect(ClientData.provisioning(challenge: challenge + [0]) == nil)
    }

    @Test("the request for a certificate says which payload the device bound")
    func payload() throws {
        let bound = try issuance(.csr(csr)).message
        #expect(Array(bound.csr) == csr && Array(bound.payloadSha256) == ClientData.payloadHash(csr))
        #expect(bound.evidence.count == 1 && Array(bound.context) == [3] && Array(bound.subject) == [4])
        #expect(try issuance(.csr(csr), .none).message.payloadSha256.isEmpty)
        #expect(try issuance(.csr(csr), .digest([9])).message.payloadSha256 == Data([9]))
        let bare = try issuance(.publicKey([8])).message
        #expect(Array(bare.publicKey) == [8] && bare.payloadSha256.isEmpty, "a bare key has no request to bind")
    }

    @Test("the request for a renewal carries the signature with its algorithm")
    func signature() throws {
        var request = try renewal()
        request.algorithm = .ecdsaP384SHA384
        let message = request.message
        #expect(message.signature.algorithm == .ecdsaP384Sha384 && Array(message.signature.signature) == [6])
        #expect(message.signature.keyID.count == 32 && Array(message.csr) == csr)
    }

    // MARK: Retries

    @Test("the tries of a request for a certificate have one idempotency key, and the answer is not marked as repeated")
    func keyed() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Self.issued
        } _: { daemon in
            let client = try daemon.client(time)
            let answer = try await client.issue(try issuance(.csr(csr)))
            #expect(Array(answer.certificate.serial) == [7] && !answer.verdict.repeated)
            let keys = try daemon.calls.map { try Assay_V1_IssueCertificateRequest(serializedBytes: $0.message).idempotencyKey }
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0].count == 16)
            await client.close()
        }
    }

    @Test("the tries of a renewal have one idempotency key")
    func renewals() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Self.issued
        } _: { daemon in
            let client = try daemon.client(time)
            #expect(try await !client.renew(try renewal()).verdict.repeated)
            let keys = try daemon.calls.map { try Assay_V1_RenewCertificateRequest(serializedBytes: $0.message).idempotencyKey }
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0].count == 16)
            await client.close()
        }
    }

    @Test("a request for a certificate keeps the caller's idempotency key and the daemon's mark")
    func ownKey() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            Self.issued
        } _: { daemon in
            let client = try daemon.client(time)
            #expect(try await client.issue(try issuance(.csr(csr), idempotencyKey: [7, 7])).verdict.repeated)
            let call = try #require(daemon.calls.first)
            #expect(try Assay_V1_IssueCertificateRequest(serializedBytes: call.message).idempotencyKey == Data([7, 7]))
            await client.close()
        }
    }

    @Test("without idempotency keys a request that may have been begun is not made again")
    func unkeyed() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            throw FakeDaemon.unavailable
        } _: { daemon in
            let client = try daemon.client(time, ClientOptions(idempotencyKeys: false))
            await #expect(throws: AssayError.self) { try await client.issue(try issuance(.csr(csr))) }
            #expect(daemon.calls.count == 1)
            await client.close()
        }
    }

    @Test("the answer to a repeated provisioning stays marked if it should have had a private key")
    func fleet() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Assay_V1_ProvisionDeviceResponse.with { $0.repeated = true }
        } _: { daemon in
            let client = try daemon.client(time)
            #expect(try await client.provisionDevice(FleetDeviceRequest(app: try app(), serial: "1", csr: [])).repeated)
            #expect(try await !client.provisionDevice(FleetDeviceRequest(app: try app(), serial: "1", csr: csr)).repeated)
            let own = FleetDeviceRequest(app: try app(), serial: "1", csr: csr, idempotencyKey: [1])
            #expect(try await client.provisionDevice(own).repeated)
            let keys = try daemon.calls.map { try Assay_V1_ProvisionDeviceRequest(serializedBytes: $0.message).idempotencyKey }
            #expect(keys[0] == keys[1] && keys[0].count == 16 && keys[2] != keys[0] && keys[3] == Data([1]))
            await client.close()
        }
    }

    @Test("a call that makes tokens is not made again once it may have been begun")
    func tokens() async throws {
        try await FakeDaemon.run { _, _ throws(RPCError) in
            throw FakeDaemon.unavailable
        } _: { daemon in
            let client = try daemon.client(time)
            await #expect(throws: AssayError.self) { try await client.addEnrolments(app: try app(), tokens: 5) }
            #expect(daemon.calls.count == 1)
            await client.close()
        }
    }

    @Test("a revocation names certificate, reason and comment, and is retried")
    func revocation() async throws {
        try await FakeDaemon.run { _, number throws(RPCError) in
            guard number > 1 else { throw FakeDaemon.unavailable }
            return Assay_V1_RevokeCertificateResponse.with { $0.wasRevoked = true }
        } _: { daemon in
            let client = try daemon.client(time)
            let answer = try await client.revoke(
                serial: [1, 2], issuer: [3], app: try app(), reason: .keyCompromise, comment: "lost")
            #expect(answer.wasRevoked && daemon.calls.count == 2)
            let request = try Assay_V1_RevokeCertificateRequest(serializedBytes: try #require(daemon.calls.last).message)
            #expect(request.reason == .keyCompromise && request.comment == "lost" && request.app == "camera")
            #expect(Array(request.serial) == [1, 2] && Array(request.issuerSpkiSha256) == [3])
            await client.close()
        }
    }
}
