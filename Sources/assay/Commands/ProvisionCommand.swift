import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import Foundation

struct ProvisionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision", abstract: "Get and renew device certificates, and provision devices of a fleet.",
        discussion: """
            'issue' and 'renew' need the role 'provision', 'device' the role 'fleet'. No private key, secret or key table is printed.
            """,
        subcommands: [ProvisionIssueCommand.self, ProvisionRenewCommand.self, ProvisionDeviceCommand.self])
}

/// What the requests for a certificate have in common, and what is done with the answer.
struct CertificateRequestOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: "The app, as the daemon's configuration names it.")
    var app: AppID

    @Option(help: "The context that the challenge was asked with.")
    var context: String = ""

    @Option(help: "The account or user that the device belongs to.")
    var subject: String = ""

    @Option(help: ArgumentHelp("Refuse evidence of any other device.", valueName: "dev_…"))
    var expectedDevice: DeviceID?

    @Option(help: "Ask again under the same key and get the same certificate.")
    var idempotencyKey: String = ""

    @Option(
        help: ArgumentHelp(
            "Write the certificate and the CA's to this file, PEM. Default: standard output, and the verdict on standard error.",
            valueName: "file"))
    var out: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    /// Writes the certificates and prints the answer. Exit status 1 after a rejection.
    func finish(_ response: Assay_V1_IssueCertificateResponse) throws {
        let text = VerdictText(verdict: response.verdict)
        guard text.isAccepted else {
            if json { Console.print(json: ["verdict": text.json]) } else { text.lines.forEach(Console.print) }
            throw ExitCode(1)
        }
        let pem = ([response.certificate.certificate] + response.chain).pem
        if let out { try OutputFile.write(pem, to: out) }
        if json {
            return Console.print(json: [
                "verdict": text.json, "certificate": response.certificate.json,
                "chain_pem": response.chain.map { PEM.encode($0) },
            ])
        }
        let tell = out == nil ? Console.say : Console.print
        tell(text.headline)
        let (assurance, key) = (response.certificate.assurance.name, response.certificate.keyProtection.name)
        tell(Console.styled("ISSUED", .good) + "    assurance \(assurance), key \(key)")
        response.certificate.lines.forEach(tell)
        if let out { tell("wrote   \(out)") } else { Console.write(Array(pem.utf8)) }
    }
}

struct ProvisionIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Ask for a device certificate on evidence.",
        discussion: """
            Evidence is given as to 'assay verify', and made over a PROVISION challenge. An Android key attestation attests the \
            certified key itself and binds no payload. Other evidence must bind the CSR: its DER is the payload of the client \
            data. A certificate is issued only if the verdict is ACCEPTED.

            Exit status 0 if a certificate was issued, 1 if the evidence was rejected.

            Example:
              challenge=$(assay challenge --app photos --purpose provision)
              assay provision issue --app photos --challenge $challenge \\
                  --key-attestation chain.pem --csr device.csr --out device.pem
            """)

    @OptionGroup var options: CertificateRequestOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What 'assay challenge --purpose provision' printed.", valueName: "bytes"))
    var challenge: BytesArgument

    @OptionGroup(title: "Evidence") var evidence: EvidenceOptions

    @Option(help: ArgumentHelp("A certificate signing request of the key to be certified, PEM or DER.", valueName: "file"))
    var csr: FileArgument?

    @Option(help: ArgumentHelp("The key to be certified, PEM or DER, if the evidence attests it.", valueName: "file"))
    var publicKey: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The payload that the device bound. Default: the CSR's DER, or none with --key-attestation.", valueName: "file"))
    var payload: FileArgument?

    func validate() throws {
        guard (csr == nil) != (publicKey == nil) else { throw ValidationError("Give either --csr or --public-key.") }
    }

    func run() async throws {
        let key: IssuanceRequest.RequestedKey? =
            if let csr { .csr(try csr.readCSR()) } else { try publicKey.map { .publicKey(try $0.readPublicKey()) } }
        guard let key else { return }
        let bound: IssuanceRequest.BoundPayload =
            if let payload {
                .digest(ClientData.payloadHash(try payload.read(atMost: .max)))
            } else {
                evidence.keyAttestation == nil ? .csr : .none
            }
        let request = IssuanceRequest(
            app: options.app, challenge: challenge.bytes(wanting: Challenge.length), context: Array(options.context.utf8),
            evidence: try evidence.read(payloadHash: nil), key: key, payload: bound, subject: Array(options.subject.utf8),
            expectedDevice: options.expectedDevice, idempotencyKey: Array(options.idempotencyKey.utf8))
        let response = try await options.server.with { client throws(AssayError) in
            try await client.issue(request, timeout: options.server.limit)
        }
        try options.finish(response)
    }
}

struct ProvisionRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Ask for a certificate of a new key, by the key of the current certificate.",
        discussion: """
            With --key the command asks for a RENEW challenge, unless one is given, and signs it and the CSR with the private key. With \
            --signature the device signed: client data for the purpose RENEW whose payload is the CSR's DER.

            The current certificate stays valid until it expires or is revoked. A blocked device, and a revoked or expired \
            certificate, cannot be renewed; nor can a key be certified twice.

            Exit status 0 if a certificate was issued, 1 if the request was rejected.

            Example:
              assay provision renew --app cameras --key camera/key.pem \\
                  --csr next.csr --out camera/next.pem
            """)

    @OptionGroup var options: CertificateRequestOptions

    @Option(help: ArgumentHelp("A certificate signing request of the new key, PEM or DER.", valueName: "file"))
    var csr: FileArgument

    @Option(help: ArgumentHelp("The private key of the current certificate, PEM, P-256 or P-384.", valueName: "file"))
    var key: FileArgument?

    @Option(help: ArgumentHelp("A signature by that key, raw or Base64 text; ECDSA in DER.", valueName: "file"))
    var signature: FileArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --signature: SHA-256 of the current key's SubjectPublicKeyInfo, 32 bytes.", valueName: "bytes"))
    var keyID: BytesArgument?

    @Option(help: ArgumentHelp("With --signature: its algorithm. Default: ecdsa-p256-sha256.", valueName: "algorithm"))
    var algorithm: KeySignatureAlgorithm?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What 'assay challenge --purpose renew' printed. Required with --signature.", valueName: "bytes"))
    var challenge: BytesArgument?

    func validate() throws {
        guard (key == nil) != (signature == nil) else { throw ValidationError("Give either --key or --signature.") }
        guard signature == nil || (keyID != nil && challenge != nil) else {
            throw ValidationError("--signature takes --key-id and --challenge.")
        }
        guard key == nil || (keyID == nil && algorithm == nil) else {
            throw ValidationError("--key-id and --algorithm go with --signature.")
        }
    }

    func run() async throws {
        let request = try csr.readCSR()
        let current = try key.map { try CurrentKey(reading: $0) }
        let given = try signature?.readEvidence()
        let response = try await options.server.with { client throws(AssayError) in
            let challenge = try await challenge(client)
            let signature = if let given { given } else { try Self.sign(request, challenge, current) }
            return try await client.renew(
                RenewalRequest(
                    app: options.app, challenge: challenge, context: Array(options.context.utf8),
                    keyID: current?.keyID ?? keyID?.bytes(wanting: 32) ?? [],
                    algorithm: current?.algorithm ?? algorithm ?? .ecdsaP256SHA256, signature: signature, csr: request,
                    subject: Array(options.subject.utf8), expectedDevice: options.expectedDevice,
                    idempotencyKey: Array(options.idempotencyKey.utf8)),
                timeout: options.server.limit)
        }
        try options.finish(response)
    }

    /// The challenge that was given, or a new one.
    private func challenge(_ client: AssayClient) async throws(AssayError) -> [UInt8] {
        if let challenge { return challenge.bytes(wanting: Challenge.length) }
        return try await client.issueChallenge(
            app: options.app, purpose: .renew, context: Array(options.context.utf8), timeout: options.server.limit
        ).bytes
    }

    private static func sign(_ csr: [UInt8], _ challenge: [UInt8], _ key: CurrentKey?) throws(AssayError) -> [UInt8] {
        guard let data = ClientData.renewal(challenge: challenge, csr: csr) else {
            throw AssayError(.invalidArgument, "a challenge has \(Challenge.length) bytes, this has \(challenge.count)")
        }
        guard let signature = try? key?.sign(data.bytes) else { throw AssayError(.internalError, "the key does not sign") }
        return signature
    }
}
