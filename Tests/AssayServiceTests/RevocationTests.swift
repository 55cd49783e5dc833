import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@Suite("Revocation of certificates")
struct RevocationTests {
    /// The number of a list that is signed at the harness's beginning.
    private static let first = ServiceHarness.opening.unixMilliseconds

    /// A certificate of a new phone.
    private func issue(_ harness: ServiceHarness) async throws -> Assay_V1_DeviceCertificate {
        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        let challenge = try await harness.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        let evidence = try #require(try Handset().attestation(over: data.hash).message)
        let response = try await harness.call(
            API.issueCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.challenge = Data(challenge)
                $0.evidence = [evidence]
                $0.payloadSha256 = Data(ClientData.payloadHash(csr))
                $0.csr = Data(csr)
            })
        try #require(response.verdict.isAccepted, "\(response.verdict.reason)")
        return response.certificate
    }

    private func revoke(
        _ harness: ServiceHarness, _ serial: Data, _ reason: Assay_V1_RevocationReason = .keyCompromise, app: AppID = .camera
    ) async throws -> Assay_V1_RevokeCertificateResponse {
        try await harness.call(
            API.revokeCertificate,
            .with {
                $0.app = app.text
                $0.serial = serial
                $0.reason = reason
            })
    }

    private func list(_ harness: ServiceHarness) async throws -> Assay_V1_RevocationList {
        try await harness.call(API.getRevocationList, .init())
    }

    @Test("A revocation is final: a second one changes nothing")
    func final() async throws {
        let harness = try await ServiceHarness()
        let certificate = try await issue(harness)
        let first = try await revoke(harness, certificate.serial)
        #expect(!first.wasRevoked && first.certificate.revocation.reason == .keyCompromise)
        let second = try await revoke(harness, certificate.serial, .superseded)
        #expect(second.wasRevoked && second.certificate.revocation.reason == .keyCompromise)
    }

    @Test("A list is renewed in time by the daemon whose task it is, and in the second half of that time by any daemon")
    func renewalByOne() async throws {
        let harness = try await ServiceHarness()
        let begin = harness.clock.now()
        let ca = try #require(harness.authority.authorities(at: begin).first?.issuer)
        func issuer(takes: Bool) -> RevocationListIssuer {
            RevocationListIssuer(
                ledger: harness.ledger, authority: harness.authority,
                rule: RevocationListRule(lifetime: 100_000, renewBefore: 40_000),
                takes: { () throws(LedgerError) in takes }, clock: harness.clock, logger: ServiceHarness.logger)
        }
        let (own, other) = (issuer(takes: true), issuer(takes: false))
        let first = try #require(try await own.current(ca))
        harness.clock.advance(milliseconds: 60_000)
        #expect(try await other.current(ca) == first)
        let second = try #require(try await own.current(ca))
        #expect(second.thisUpdate == begin.adding(milliseconds: 60_000))
        harness.clock.advance(milliseconds: 79_999)
        #expect(try await other.current(ca) == second)
        harness.clock.advance(milliseconds: 1)
        #expect(try await other.current(ca)?.thisUpdate == begin.adding(milliseconds: 140_000))
    }

    @Test("A certificate is found and revoked by its serial number also after its CA left the configuration")
    func formerAuthority() async throws {
        let harness = try await ServiceHarness()
        let certificate = try await issue(harness)
        let former = [UInt8](repeating: 3, count: 32)
        let kept = try await keep(certificate, of: former, serial: [4, 5], in: harness)
        let query = Assay_V1_GetCertificateRequest.with {
            $0.app = AppID.camera.text
            $0.serial = Data([0, 4, 5])
        }
        #expect(try await harness.call(API.getCertificate, query) == kept)
        let revoked = try await revoke(harness, Data([4, 5]))
        #expect(revoked.certificate.issuerSpkiSha256 == Data(former) && revoked.certificate.hasRevocation)
    }

    @Test("A serial number that two CAs used names no certificate without the CA")
    func severalAuthorities() async throws {
        let harness = try await ServiceHarness()
        let certificate = try await issue(harness)
        let former = [UInt8](repeating: 3, count: 32)
        let kept = try await keep(certificate, of: former, serial: Array(certificate.serial), in: harness)
        var query = Assay_V1_GetCertificateRequest.with {
            $0.app = AppID.camera.text
            $0.serial = certificate.serial
        }
        for call in [
            { _ = try await harness.call(API.getCertificate, query) }, { _ = try await revoke(harness, certificate.serial) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: RPCError.self) { try await call() }
            #expect(error?.code == .failedPrecondition && error?.reason == "several_certificates")
            #expect(error?.message.contains("--issuer") == true)
        }
        query.issuerSpkiSha256 = Data(former)
        #expect(try await harness.call(API.getCertificate, query) == kept)
        query.issuerSpkiSha256 = certificate.issuerSpkiSha256
        #expect(try await harness.call(API.getCertificate, query) == certificate)
        query.keyID = certificate.keyID
        let error = await #expect(throws: RPCError.self) { _ = try await harness.call(API.getCertificate, query) }
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("issuer_spki_sha256 ") == true)
    }

    /// Puts a certificate of another CA for the same device on record.
    private func keep(
        _ certificate: Assay_V1_DeviceCertificate, of issuer: [UInt8], serial: [UInt8], in harness: ServiceHarness
    ) async throws -> Assay_V1_DeviceCertificate {
        let own = try #require(try await harness.ledger.certificate(ofKey: Array(certificate.keyID), app: .camera))
        let other = DeviceCertificate(
            name: CertificateName(issuer: issuer, serial: serial), app: own.app, device: own.device,
            keyID: SecureRandom.bytes(32), notBefore: own.notBefore, notAfter: own.notAfter, issuedAt: own.issuedAt,
            basis: own.basis, der: own.der)
        let record = AuditRecord(
            requestID: [1], caller: "test", app: .camera, purpose: .provision, device: own.device, assurance: .platform,
            evidenceDigest: [2], policyDigest: [3], simulated: true)
        let entry = LedgerEntry(
            time: own.issuedAt, spends: [], audit: record, certification: LedgerEntry.Certification(issues: other))
        #expect(try await harness.ledger.commit([entry]) == [.committed])
        return other.message
    }

    @Test("A certificate of another app is not found")
    func otherApp() async throws {
        let harness = try await ServiceHarness()
        let certificate = try await issue(harness)
        let error = await #expect(throws: RPCError.self) { try await revoke(harness, certificate.serial, app: .notes) }
        #expect(error?.code == .notFound && error?.reason == "unknown_certificate")
    }

    @Test("A block revokes the certificates of the device for good")
    func block() async throws {
        let harness = try await ServiceHarness()
        let certificate = try await issue(harness)
        let target = Assay_V1_BlockTarget.with { $0.deviceID = certificate.deviceID }
        _ = try await harness.call(
            API.block,
            .with {
                $0.app = AppID.camera.text
                $0.target = target
                $0.reason = "stolen"
            })
        _ = try await harness.call(
            API.unblock,
            .with {
                $0.app = AppID.camera.text
                $0.target = target
            })
        let found = try await harness.call(
            API.getCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.serial = certificate.serial
            })
        #expect(found.revocation.reason == .privilegeWithdrawn)
    }

    @Test("A revocation, a block and a forgotten device each publish the next list, without waiting for maintenance")
    func published() async throws {
        let harness = try await ServiceHarness()
        let certificates = [try await issue(harness), try await issue(harness), try await issue(harness)]
        let running = Task { await harness.revocationLists.run() }
        defer { running.cancel() }
        var lists = harness.published.makeAsyncIterator()
        _ = try await revoke(harness, certificates[0].serial)
        #expect(await lists.next()?.revocationCount == 1)
        let block = Assay_V1_BlockRequest.with {
            $0.app = AppID.camera.text
            $0.target.deviceID = certificates[1].deviceID
            $0.reason = "stolen"
        }
        _ = try await harness.call(API.block, block)
        #expect(await lists.next()?.revocationCount == 2)
        let forget = Assay_V1_ForgetDeviceRequest.with {
            $0.app = AppID.camera.text
            $0.deviceID = certificates[2].deviceID
        }
        _ = try await harness.call(API.forgetDevice, forget)
        #expect(await lists.next()?.revocationCount == 3)
        let revoked = harness.authority.lists.map(\.revoked.count)
        #expect(revoked == [1, 2, 3])
    }

    @Test("A hundred revocations before the lists are signed are one list")
    func coalesced() async throws {
        let harness = try await ServiceHarness()
        _ = try await issue(harness)
        for _ in 0..<100 { harness.revocationLists.wake() }
        let running = Task { await harness.revocationLists.run() }
        var lists = harness.published.makeAsyncIterator()
        #expect(await lists.next()?.number == Self.first)
        _ = try await revoke(harness, try await issue(harness).serial)
        #expect(await lists.next()?.number == Self.first + 1, "nothing came between")
        running.cancel()
        await running.value
        #expect(harness.authority.lists.count == 2)
    }

    @Test("A revocation list is signed when something was revoked, and numbered upwards")
    func numbers() async throws {
        let harness = try await ServiceHarness()
        let (first, second) = (try await issue(harness), try await issue(harness))
        #expect(try await list(harness).number == Self.first)
        #expect(try await list(harness).number == Self.first, "nothing was revoked since")
        _ = try await revoke(harness, first.serial)
        #expect(try await list(harness).number == Self.first + 1)
        _ = try await revoke(harness, second.serial)
        #expect(try await list(harness).number == Self.first + 2)
        let content = try #require(harness.authority.lists.last)
        let serials = [Array(first.serial), Array(second.serial)].sorted { $0.lexicographicallyPrecedes($1) }
        #expect(content.revoked.map(\.serial) == serials)
    }

    @Test("A revocation list has a greater number than all lists that a restored backup does not know")
    func numbersAfterRestore() async throws {
        let (before, restored) = (try await ServiceHarness(), try await ServiceHarness())
        var last: Int64 = 0
        for _ in 0..<5 {
            _ = try await revoke(before, try await issue(before).serial)
            last = try await list(before).number
        }
        restored.clock.set(ServiceHarness.opening.adding(milliseconds: 1000))
        _ = try await revoke(restored, try await issue(restored).serial)
        #expect(try await list(restored).number > last)
    }

    @Test(
        "The list of a ledger that may have gone back is not given out once more, although nothing was revoked since",
        arguments: [
            // The kept list would be good yet; and after the last certificate that the ledger knows: it may lack those that are valid longer.
            (AuthorityFacts.State.signing, 1000), (.retiring, 400 * 86_400_000),
        ] as [(AuthorityFacts.State, Int64)])
    func listAfterRestore(_ state: AuthorityFacts.State, _ later: Int64) async throws {
        let harness = try await ServiceHarness()
        _ = try await issue(harness)
        harness.authority.become(state)
        let ask = Assay_V1_GetRevocationListRequest.with { $0.issuerSpkiSha256 = Data(StandInAuthority.issuer) }
        #expect(try await harness.call(API.getRevocationList, ask).number == Self.first)
        try await harness.ledger.memory.passLists()
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: later))
        harness.authority.fail(with: .unavailable("the token is gone"))
        let error = await #expect(throws: RPCError.self) { try await harness.call(API.getRevocationList, ask) }
        #expect(error?.reason == "issuing_unavailable")
        harness.authority.fail(with: nil)
        let next = try await harness.call(API.getRevocationList, ask)
        #expect(next.number == Self.first + later)
        #expect(try await harness.call(API.getRevocationList, ask) == next, "it is kept")
    }

    @Test("A revocation list is signed again before its next update")
    func renewal() async throws {
        let harness = try await ServiceHarness()
        let first = try await list(harness)
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 3 * 86_400_000))
        #expect(try await list(harness).number == Self.first)
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 4 * 86_400_000))
        let second = try await list(harness)
        #expect(second.number == first.number + 4 * 86_400_000 && second.nextUpdateUnixMs > first.nextUpdateUnixMs)
    }

    @Test("Of 32 callers who ask for an outdated list at once, one new list answers all")
    func oneList() async throws {
        let harness = try await ServiceHarness()
        let lists = try await race(32) { _ in try await list(harness) }
        #expect(Set(lists.map(\.number)) == [Self.first] && harness.authority.lists.count == 1)
    }

    @Test("While the CA cannot sign, the kept list is given until it ends or something was revoked since")
    func outage() async throws {
        let harness = try await ServiceHarness()
        let certificate = try await issue(harness)
        _ = try await list(harness)
        harness.authority.fail(with: .unavailable("the token is gone"))
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 5 * 86_400_000))
        #expect(try await list(harness).number == Self.first)
        _ = try await revoke(harness, certificate.serial)
        let error = await #expect(throws: RPCError.self) { try await list(harness) }
        #expect(error?.reason == "issuing_unavailable")
    }

    @Test("A CA that retires keeps signing its list until its last certificate has expired")
    func retiring() async throws {
        let harness = try await ServiceHarness()
        _ = try await issue(harness)
        harness.authority.become(.retiring)
        let ask = Assay_V1_GetRevocationListRequest.with { $0.issuerSpkiSha256 = Data(StandInAuthority.issuer) }
        #expect(try await harness.call(API.getRevocationList, ask).number == Self.first)
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 364 * 86_400_000))
        #expect(try await harness.call(API.getRevocationList, ask).number == Self.first + 364 * 86_400_000)
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 400 * 86_400_000))
        let error = await #expect(throws: RPCError.self) { try await harness.call(API.getRevocationList, ask) }
        #expect(error?.code == .unavailable)
        #expect(harness.authority.lists.count == 2)
    }

    @Test("The place of a CA's list stands beside the CA")
    func place() async throws {
        let harness = try await ServiceHarness()
        #expect(try await harness.call(API.getAuthorities, .init()).authorities.map(\.revocationListURL) == [""])
        harness.lists.use(RevocationListRule(url: "http://crl.example.org/{ca}.crl"))
        let authorities = try await harness.call(API.getAuthorities, .init()).authorities
        let addresses = authorities.map(\.revocationListURL)
        #expect(addresses == ["http://crl.example.org/test-ca.crl"])
    }

    @Test("Certificates are listed page by page, by device and by state")
    func listing() async throws {
        let harness = try await ServiceHarness()
        var serials: [Data] = []
        for _ in 0..<5 { serials.append(try await issue(harness).serial) }
        _ = try await revoke(harness, serials[1])
        var found: [Data] = []
        var token = Data()
        repeat {
            let page = try await harness.call(
                API.listCertificates,
                .with {
                    $0.app = AppID.camera.text
                    $0.pageSize = 2
                    $0.pageToken = token
                })
            found += page.certificates.map(\.serial)
            token = page.nextPageToken
        } while !token.isEmpty
        #expect(found == serials)
        let revoked = try await harness.call(
            API.listCertificates,
            .with {
                $0.app = AppID.camera.text
                $0.state = .revoked
            })
        #expect(revoked.certificates.map(\.serial) == [serials[1]])
    }
}
