import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import AssaySimulator
import Foundation
import Testing

/// The home of a daemon that issues certificates, with a CA as `assay ca init` makes it.
///
/// Its apps: `camera`, of iPhones and Android devices; `fleet`, whose cameras make their keys; `legacy`, whose keys Assay makes;
/// `limited`, a fleet with few submissions.
struct ProvisioningHome: Sendable {
    let home: TestHome
    let photos: AppID
    let fleet: AppID
    let legacy: AppID
    let limited: AppID

    init() async throws {
        let folder = try TemporaryFolder()
        let made = try await Child.run("assay", ["ca", "init", folder.file("ca"), "--organization", "Example Cameras"])
        try #require(made.status == 0, "\(made)")
        photos = try #require(AppID("camera"))
        fleet = try #require(AppID("fleet"))
        legacy = try #require(AppID("legacy"))
        limited = try #require(AppID("limited"))
        home = try TestHome(
            listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
            more: """
                log: {level: debug}
                provisioning:
                  authorities:
                    - {name: issuing-1, certificate: ca/issuing-1.pem, key: ca/issuing-1.key, passphrase_file: ca/issuing-1.passphrase}
                  revocation_lists: {directory: lists}
                """, android: AndroidAuthority(seed: "provisioning"), in: folder)
        try FileManager.default.createDirectory(atPath: folder.file("lists"), withIntermediateDirectories: false)
        try edit("camera: {app_attest: {", "camera: {provisioning: {}, certificate_bundle: {}, app_attest: {")
        let maker = "manufacturer: Example Cameras, validation_endpoint: \"https://validate.example.org\""
        try folder.write(
            folder.text("assayd.yaml") + """

                  fleet: {provisioning: {fleet: {\(maker)}}, certificate_bundle: {}}
                  legacy: {provisioning: {fleet: {\(maker), generate_keys: true}}, certificate_bundle: {split: deny}}
                  limited: {provisioning: {fleet: {\(maker)}}, certificate_bundle: {submissions: {warn: 1, block: 2}}}
                """, to: "assayd.yaml")
    }

    var folder: TemporaryFolder { home.folder }

    /// Changes the configuration's text.
    func edit(_ old: String, _ new: String) throws {
        let text = folder.text("assayd.yaml")
        try #require(text.contains(old), "the configuration has no \(old)")
        try folder.write(text.replacing(old, with: new), to: "assayd.yaml")
    }

    // MARK: Certificates

    /// Registers a phone and certifies another key, for which the phone vouches.
    func issue(to phone: TestPhone, _ key: OpenSSLKey, _ client: AssayClient) async throws -> Assay_V1_IssueCertificateResponse
    {
        try await client.issue(try await request(phone, key.csr, client), timeout: TestPhone.patience)
    }

    func request(_ phone: TestPhone, _ csr: [UInt8], _ client: AssayClient) async throws -> IssuanceRequest {
        let challenge = try await phone.challenge(.provision, client)
        let data = try #require(ClientData.provisioning(challenge: challenge, csr: csr))
        let body = try phone.key.attest(clientDataHash: data.hash, at: SystemClock().now())
        return IssuanceRequest(
            app: photos, challenge: challenge,
            evidence: [Evidence(format: .appAttestAttestation, keyID: phone.key.keyID, body: body)], key: .csr(csr))
    }

    /// Certifies the key that an Android device attests.
    func issue(to device: TestAndroid, _ client: AssayClient) async throws -> Assay_V1_IssueCertificateResponse {
        let challenge = try await device.challenge(.provision, client)
        let data = try #require(ClientData.provisioning(challenge: challenge))
        let chain = try device.key.attest(challenge: data.bytes, at: SystemClock().now())
        return try await client.issue(
            IssuanceRequest(
                app: photos, challenge: challenge,
                evidence: [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))],
                key: .csr(try device.key.certificateRequest()), payload: .none), timeout: TestPhone.patience)
    }

    /// Certifies a new key on a signature by the current one.
    func renew(
        _ current: OpenSSLKey, _ certificate: Assay_V1_DeviceCertificate, to next: OpenSSLKey, app: AppID? = nil,
        _ client: AssayClient
    ) async throws -> Assay_V1_IssueCertificateResponse {
        let app = app ?? photos
        let challenge = try await client.issueChallenge(app: app, purpose: .renew, timeout: TestPhone.patience).bytes
        let data = try #require(ClientData.renewal(challenge: challenge, csr: next.csr))
        return try await client.renew(
            RenewalRequest(
                app: app, challenge: challenge, keyID: Array(certificate.keyID), signature: try await current.sign(data.bytes),
                csr: next.csr), timeout: TestPhone.patience)
    }

    /// The verdict on a bundle.
    func submit(_ bundle: [UInt8], app: AppID, _ client: AssayClient) async throws -> Assay_V1_Verdict {
        try await submit(.json(bundle), app: app, client)
    }

    func submit(_ bundle: CertificateBundle, app: AppID, _ client: AssayClient) async throws -> Assay_V1_Verdict {
        try await client.patiently(
            VerificationRequest(
                app: app, purpose: .assert, challenge: [], evidence: [bundle.evidence], binding: .inEvidence))
    }

    // MARK: OpenSSL's judgement

    /// What `openssl verify -crl_check` says about a certificate, under the root of `ca` and the CA's current list.
    func verify(_ certificate: Data, _ client: AssayClient, issuer: Data = Data()) async throws -> Child.Ending {
        let authority = try #require(
            try await client.authorities(timeout: TestPhone.patience).first {
                issuer.isEmpty ? $0.state == .signing : $0.spkiSha256 == issuer
            })
        let list = try await client.revocationList(issuer: Array(authority.spkiSha256), timeout: TestPhone.patience)
        let names = ["leaf.pem", "chain.pem", "list.pem"].map { _ in "check-" + SecureRandom.bytes(6).map { "\($0)" }.joined() }
        try folder.write(PEM.encode(Array(certificate)), to: names[0])
        try folder.write(authority.chain.map { PEM.encode(Array($0)) }.joined(), to: names[1])
        try folder.write(PEM.encode(Array(list.list), label: "X509 CRL"), to: names[2])
        defer { for name in names { try? FileManager.default.removeItem(atPath: folder.file(name)) } }
        return try await OpenSSL.run(
            "verify", "-x509_strict", "-crl_check", "-CAfile", folder.file("ca/root.pem"), "-untrusted",
            folder.file(names[1]), "-CRLfile", folder.file(names[2]), folder.file(names[0]))
    }
}

/// OpenSSL's command line.
enum OpenSSL {
    static func run(_ arguments: String...) async throws -> Child.Ending {
        try await Child("/usr/bin/openssl", arguments).ending()
    }

    /// What `openssl x509 -text` says.
    static func text(_ certificate: Data) async throws -> String {
        let folder = try TemporaryFolder()
        try folder.write(Array(certificate), to: "der")
        let shown = try await run("x509", "-inform", "DER", "-in", folder.file("der"), "-noout", "-text")
        try #require(shown.status == 0, "\(shown)")
        return shown.out
    }

    /// What `openssl crl -text` says.
    static func text(list: Data) async throws -> String {
        let folder = try TemporaryFolder()
        try folder.write(Array(list), to: "der")
        let shown = try await run("crl", "-inform", "DER", "-in", folder.file("der"), "-noout", "-text")
        try #require(shown.status == 0, "\(shown)")
        return shown.out
    }
}
