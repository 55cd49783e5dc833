import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import KeySignature
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

/// An app of both platforms can be sent evidence of an iPhone and of an Android device in one request. A verdict names one
/// device, and so do the audit record, the ledger's last look at blocks and the verdict that is kept for a repetition: a second
/// device would slip past all of them.
@Suite("Evidence of several devices")
struct SeveralDevicesTests {
    /// - Parameters:
    ///   - others: verifiers of what the app takes besides.
    ///   - shadow: its policy; `nil`: there is none.
    private func harness(
        beside others: [any EvidenceVerifier] = [], opinions: [EvidenceFormat: any OpinionSource] = [:],
        shadow: AppProfile? = nil
    ) async throws -> ServiceHarness {
        let policy = AndroidPolicy.testing
        let roots = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try VirtualAndroid.authority.pem($0), simulated: true)
        }
        let apple = [try TrustAnchor(name: "test root", pem: Handset.authority.rootPEM, simulated: true)]
        let identities = [AppAttestIdentity(appID: Handset.appID, platform: .iOS)]
        let appraiser = AndroidDeviceAppraiser(anchors: roots, policy: policy)
        let profile = AppProfile(
            id: .camera,
            verifiers: [
                KeyAttestationVerifier(anchors: roots, policy: policy, links: LinkCache()),
                KeySignatureVerifier(judges: [appraiser]),
                AppAttestAttestationVerifier(
                    identities: identities, anchors: apple, receiptAnchors: apple, policy: AppAttestPolicy(),
                    links: LinkCache()),
                AppAttestAssertionVerifier(identities: identities, anchors: apple, policy: AppAttestPolicy()),
            ] + others,
            deviceAppraisers: [
                appraiser, AppAttestDeviceAppraiser(identities: identities, anchors: apple, policy: AppAttestPolicy()),
            ], opinionSources: opinions, policyDigest: [UInt8](repeating: 0xD1, count: 32), acceptsSimulated: true,
            issuing: IssuingRule())
        return try await ServiceHarness([shadow == nil ? profile : profile.followed(shadow: shadow)])
    }

    // MARK: Requests for certificates

    /// A registered Android device, a registered iPhone, and one of each that is not.
    private struct Devices {
        var android: AndroidKey
        let androidID: DeviceID
        var iPhone: Handset
        let iPhoneID: DeviceID
        let newAndroid: AndroidKey
        let newIPhone = Handset()

        init(in harness: ServiceHarness) async throws {
            var phone = VirtualAndroid.testing()
            android = try phone.makeKey()
            let verdict = try await harness.verify(try android.registration(try await harness.challenge(.register)))
            androidID = try #require(DeviceID(bytes: Array(verdict.deviceID)))
            (iPhone, iPhoneID) = try await harness.enrol()
            var other = VirtualAndroid.testing()
            newAndroid = try other.makeKey()
        }
    }

    private enum Piece: CaseIterable { case knownAndroid, knownIPhone, newAndroid, newIPhone }

    /// A request for a certificate of a key, with pieces over one challenge, all of which are good by themselves.
    private func request(
        _ pieces: [Piece], _ devices: inout Devices, certifying spki: [UInt8], _ harness: ServiceHarness
    ) async throws -> Assay_V1_IssueCertificateRequest {
        let csr = StandInAuthority.csr(spki)
        let challenge = try await harness.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        var evidence: [Assay_V1_Evidence] = []
        for piece in pieces {
            let made =
                switch piece {
                case .knownAndroid: try devices.android.signature(over: data.bytes)
                case .knownIPhone: try devices.iPhone.assertion(over: data.hash)
                case .newAndroid:
                    Evidence(
                        format: .keyAttestation, keyID: [],
                        body: Evidence.join(
                            try devices.newAndroid.attest(challenge: data.bytes, at: ServiceHarness.opening)))
                case .newIPhone: try devices.newIPhone.attestation(over: data.hash)
                }
            evidence.append(try #require(made.message))
        }
        return .with {
            $0.app = AppID.camera.text
            $0.challenge = Data(challenge)
            $0.evidence = evidence
            $0.payloadSha256 = Data(ClientData.payloadHash(csr))
            $0.csr = Data(csr)
        }
    }

    /// The state that a refused request must leave as it is.
    private func state(_ harness: ServiceHarness, _ devices: Devices) async throws -> [Int] {
        [
            Int(try await harness.ledger.status().devices), harness.ledger.memory.auditLog.count,
            harness.ledger.memory.auditChanges.count, Int(try await harness.ledger.device(devices.iPhoneID)?.counter ?? 99),
            harness.authority.orders.count,
        ]
    }

    @Test(
        "get no certificate, known or new, in either order, for any of their keys",
        arguments: [
            [Piece.knownAndroid, .newIPhone], [.knownIPhone, .newAndroid], [.knownAndroid, .knownIPhone],
            [.newAndroid, .newIPhone], [.knownAndroid, .newAndroid], [.knownIPhone, .newIPhone],
            [.knownAndroid, .knownIPhone, .newIPhone], Piece.allCases,
        ])
    private func certificates(_ pieces: [Piece]) async throws {
        let harness = try await harness()
        var devices = try await Devices(in: harness)
        let before = try await state(harness, devices)
        let keys = [
            devices.android.key.subjectPublicKeyInfo, devices.newAndroid.key.subjectPublicKeyInfo,
            Array(P256.Signing.PrivateKey().publicKey.derRepresentation),
        ]
        for pieces in [pieces, pieces.reversed()] {
            for key in keys {
                let message = try await request(pieces, &devices, certifying: key, harness)
                let verdict = try await harness.call(API.issueCertificate, message).verdict
                #expect(verdict.reason == "device_mismatch" && verdict.check == "registry", "\(pieces): \(verdict.reason)")
                #expect(verdict.retry == .contactOperator && verdict.deviceID.isEmpty)
                #expect(try await harness.ledger.certificate(ofKey: SHA256.bytes(of: key), app: .camera) == nil)
            }
        }
        #expect(try await state(harness, devices) == before)
    }

    @Test("get no certificate after one of them is blocked either")
    func blocked() async throws {
        let harness = try await harness()
        var devices = try await Devices(in: harness)
        let key = devices.android.key.subjectPublicKeyInfo
        _ = try await harness.ledger.block(.device(devices.androidID), reason: "stolen", at: ServiceHarness.opening)
        for pieces: [Piece] in [[.knownAndroid, .newIPhone], [.newIPhone, .knownAndroid]] {
            let message = try await request(pieces, &devices, certifying: key, harness)
            #expect(try await harness.call(API.issueCertificate, message).verdict.reason == "device_blocked")
        }
        // Nothing of the other device lets the key be renewed.
        #expect(try await harness.ledger.certificate(ofKey: SHA256.bytes(of: key), app: .camera) == nil)
        #expect(try await harness.ledger.device(DeviceKey(app: .camera, keyID: devices.newIPhone.key.keyID)) == nil)
    }

    @Test("A known device's own certificate names it, and a block of it ends what the key may do")
    func own() async throws {
        let harness = try await harness()
        var devices = try await Devices(in: harness)
        let key = devices.android.key.subjectPublicKeyInfo
        let message = try await request([.knownAndroid], &devices, certifying: key, harness)
        let response = try await harness.call(API.issueCertificate, message)
        #expect(response.verdict.isAccepted && response.certificate.keyProtection == .attested)
        #expect(response.certificate.deviceID == Data(devices.androidID.bytes))
    }

    @Test("Two pieces of one key are of one device: a key that is registered already is told as such")
    func sameKey() async throws {
        let harness = try await harness()
        let devices = try await Devices(in: harness)
        let csr = StandInAuthority.csr(devices.android.key.subjectPublicKeyInfo)
        let challenge = try await harness.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        let pieces = [
            try devices.android.signature(over: data.bytes),
            Evidence(
                format: .keyAttestation, keyID: [],
                body: Evidence.join(try devices.android.attest(challenge: data.bytes, at: ServiceHarness.opening))),
        ]
        for pieces in [pieces, pieces.reversed()] {
            let evidence = pieces.compactMap(\.message)
            let response = try await harness.call(
                API.issueCertificate,
                .with {
                    $0.app = AppID.camera.text
                    $0.challenge = Data(challenge)
                    $0.evidence = evidence
                    $0.payloadSha256 = Data(ClientData.payloadHash(csr))
                    $0.csr = Data(csr)
                })
            #expect(response.verdict.reason == "key_already_registered", "\(response.verdict.detail)")
        }
    }

    @Test("A piece that names no device goes with the one that is named, known or new", arguments: [false, true])
    func beside(tokenFirst: Bool) async throws {
        let harness = try await harness(beside: [NamelessToken()])
        var devices = try await Devices(in: harness)
        for (piece, device) in [(Piece.knownAndroid, Optional(devices.androidID)), (.newAndroid, nil)] {
            let key = piece == .newAndroid ? devices.newAndroid : devices.android
            let spki = key.key.subjectPublicKeyInfo
            var message = try await request([piece], &devices, certifying: spki, harness)
            let token = try #require(
                Evidence(format: .playIntegrity, keyID: [], body: Array("token".utf8)).message)
            message.evidence = tokenFirst ? [token] + message.evidence : message.evidence + [token]
            let response = try await harness.call(API.issueCertificate, message)
            #expect(response.verdict.isAccepted, "\(response.verdict.reason): \(response.verdict.detail)")
            #expect(response.certificate.deviceID == response.verdict.deviceID)
            #expect(response.certificate.keyProtection == .attested)
            if let device { #expect(response.verdict.deviceID == Data(device.bytes)) }
        }
    }

    @Test("Renewals rest on one device alone, in either order", arguments: [false, true])
    func renewal(newFirst: Bool) async throws {
        let harness = try await harness(beside: [StandInSignatureVerifier(), NewKey()])
        var devices = try await Devices(in: harness)
        let key = devices.android.key.subjectPublicKeyInfo
        let message = try await request([.knownAndroid], &devices, certifying: key, harness)
        #expect(try await harness.call(API.issueCertificate, message).verdict.isAccepted)
        let pieces = [
            Evidence(format: .certificateSignature, keyID: SHA256.bytes(of: key), body: [1]),
            Evidence(format: NewKey.name, keyID: [], body: [2]),
        ]
        let request = VerificationRequest(
            app: .camera, purpose: .renew, challenge: try await harness.challenge(.renew),
            evidence: newFirst ? pieces.reversed() : pieces)
        #expect(await harness.pipeline.judge([try harness.admitted(request)]).first?.rejection == .deviceMismatch)
        var alone = request
        alone.evidence = [pieces[0]]
        let verdict = try #require(await harness.pipeline.judge([try harness.admitted(alone)]).first?.verdict)
        #expect(verdict.device == devices.androidID)
    }

    // MARK: Plugins

    @Test("A device that a plugin names is counted too, registered or not", arguments: [false, true])
    func plugins(isRegistered: Bool) async throws {
        let source = StandInOpinions()
        let keyID = SecureRandom.bytes(32)
        source.state.withLock { $0.subject = .device(keyID: keyID, subjectKey: [1]) }
        let harness = try await harness(beside: [Kiosk()], opinions: [Kiosk.name: source])
        if isRegistered {
            let kiosk = VerificationRequest(
                app: .camera, purpose: .register, challenge: try await harness.challenge(.register),
                evidence: [Evidence(format: Kiosk.name, keyID: [], body: keyID)])
            #expect(try await harness.verify(kiosk).isAccepted)
        }
        let before = try await harness.ledger.status().devices
        let challenge = try await harness.challenge(.register)
        var request = try Handset().registration(challenge)
        let alone = request
        request.evidence.append(Evidence(format: Kiosk.name, keyID: [], body: [0]))
        for evidence in [request.evidence, request.evidence.reversed()] {
            request.evidence = evidence
            #expect(try await harness.verify(request).rejection == .deviceMismatch)
        }
        #expect(try await harness.ledger.status().devices == before)
        #expect(try await harness.verify(alone).isAccepted)
    }

    // MARK: Other policies

    @Test("A shadow policy is compared with the refusal")
    func shadow() async throws {
        let shadow = try AppProfile.testing(
            .camera, identities: [AppAttestIdentity(appID: "OTHER12345.com.example", platform: .iOS)])
        let harness = try await harness(shadow: shadow)
        let challenge = try await harness.challenge(.register)
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        var phone = VirtualAndroid.testing()
        var request = try phone.makeKey().registration(challenge)
        request.evidence.append(try Handset().attestation(over: data.hash))
        #expect(try await harness.verify(request).rejection == .deviceMismatch)
        while harness.shadow.step() > 0 {}
        let report = try #require(harness.shadow.reports.first)
        #expect(report.changes[.newlyRejected] == nil && report.changes.values.reduce(0, +) == 1, "\(report.changes)")
    }

    // MARK: Verdicts

    @Test("registers neither, in either order", arguments: [false, true])
    func registrations(androidFirst: Bool) async throws {
        let harness = try await harness()
        let challenge = try await harness.challenge(.register)
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        var phone = VirtualAndroid.testing()
        let apple = try Handset().attestation(over: data.hash)
        var request = try phone.makeKey().registration(challenge)
        request.evidence = androidFirst ? request.evidence + [apple] : [apple] + request.evidence
        let verdict = try await harness.verify(request)
        #expect(verdict.rejection == .deviceMismatch && verdict.check == "registry" && verdict.deviceID.isEmpty)
        #expect(try await harness.ledger.status().devices == 0 && harness.ledger.memory.auditLog.isEmpty)
        // Nothing was spent: either alone is good.
        request.evidence = [apple]
        #expect(try await harness.verify(request).isAccepted)
        #expect(harness.ledger.memory.auditLog.count == 1)
    }

    @Test("proves nothing, in either order", arguments: [false, true])
    func assertions(androidFirst: Bool) async throws {
        let harness = try await harness()
        var (handset, iPhone) = try await harness.enrol()
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        #expect(try await harness.verify(try key.registration(try await harness.challenge(.register))).isAccepted)
        let challenge = try await harness.challenge(.assert)
        let data = try #require(ClientData(purpose: .assert, challenge: challenge))
        let pieces = [try handset.assertion(over: data.hash), try key.signature(over: data.bytes)]
        let verdict = try await harness.verify(
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: challenge, evidence: androidFirst ? pieces.reversed() : pieces))
        #expect(verdict.rejection == .deviceMismatch && verdict.check == "registry")
        #expect(try await harness.ledger.device(iPhone)?.counter == 0 && harness.ledger.memory.auditLog.count == 2)
    }
}

/// Stands for a vendor's token that is good for every purpose and names no device.
private struct NamelessToken: EvidenceVerifier {
    let format = EvidenceFormat.playIntegrity
    let purposes = Set(Purpose.allCases)
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.isSupplement = true
        appraisal.assurance = .platform
    }
}

/// Registers a new key, whatever the purpose.
private struct NewKey: EvidenceVerifier {
    static let name = EvidenceFormat(rawValue: "test.new-key")
    let format = Self.name
    let purposes = Set(Purpose.allCases)
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.assurance = .hardware
        appraisal.effect = .register(.named(SecureRandom.bytes(32), format))
    }
}

/// Evidence about a device that a plugin locates. Registers the key id that its body is, if it is one.
private struct Kiosk: EvidenceVerifier {
    static let name = EvidenceFormat(rawValue: "test.kiosk")
    let format = Self.name
    let purposes = Set(Purpose.allCases)
    let sizeLimit = 100
    let replayProtection = ReplayProtection.challenge()

    func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .opinions }
    func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.assurance = .hardware
        if evidence.body.count == 32 { appraisal.effect = .register(.named(evidence.body, format)) }
    }
}

extension Registration {
    fileprivate static func named(_ keyID: [UInt8], _ format: EvidenceFormat) -> Registration {
        Registration(
            format: format, keyID: keyID, publicKey: [], environment: "", anchor: [], claims: Claims(), chainSerials: [],
            receipt: [], simulated: false)
    }
}
