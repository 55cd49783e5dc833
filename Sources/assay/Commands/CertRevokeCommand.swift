public import ArgumentParser
import AssayAPI
import AssayClient
public import AssayCore
import AssayEncoding
import Foundation
import SwiftProtobuf

struct CertRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a certificate permanently.",
        discussion: """
            From then on evidence that rests on the certificate is rejected as revoked, and the next revocation list of its CA names \
            it. A revocation cannot be lifted. The device can get another certificate, unless it is blocked ('assay device block'): \
            by attesting a new key, or, in a fleet, by being readmitted ('assay enrol readmit') and provisioned again.

            With the reason keyCompromise the certificates that were renewed from it, directly or through others, are revoked too: \
            a thief of the key may have renewed it. That holds for a certificate that was revoked before as well.

            On a terminal the certificate is shown and the revocation must be confirmed. Without one, and in scripts, give --yes.

            Exit status 1 if there is no such certificate, or if the revocation was not confirmed; 64 without a terminal and without \
            --yes. A certificate that was revoked before keeps its reason and time, and the exit status is 0.

            Example:
              assay cert revoke --app cameras 4ad1… --reason keyCompromise --yes
            """)

    /// The longest comment, in bytes.
    private static let commentLimit = 256

    @OptionGroup var server: ServerOptions

    @Option(help: "The app that the certificate belongs to.")
    var app: AppID

    @Argument(help: ArgumentHelp("The serial number: \(SerialArgument.forms).", valueName: "serial"))
    var serial: SerialArgument

    @Option(parsing: .unconditional, help: CertCommand.issuerHelp)
    var issuer: BytesArgument?

    @Option(help: ArgumentHelp("The reason, as RFC 5280 names it. Default: unspecified.", valueName: "reason"))
    var reason: RevocationReason?

    @Option(help: "For the audit log: at most 256 bytes. It cannot be deleted there, so name no person.")
    var comment: String = ""

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard comment.utf8.count <= Self.commentLimit else {
            throw ValidationError("--comment must have at most \(Self.commentLimit) bytes.")
        }
    }

    func run() async throws {
        if !yes { try await confirm() }
        let answer = try await server.with { client throws(AssayError) in
            try await client.revoke(
                serial: serial.bytes, issuer: issuer?.bytes(wanting: 32) ?? [], app: app, reason: reason ?? .unspecified,
                comment: comment,
                timeout: server.limit)
        }
        if json {
            Console.print(
                json: [
                    "certificate": answer.certificate.json, "was_revoked": answer.wasRevoked,
                    "also_revoked_count": answer.alsoRevokedCount, "also_revoked": answer.alsoRevoked.map(\.json),
                ])
        } else {
            let revocation = answer.certificate.revocation
            let time = Timestamp(unixMilliseconds: revocation.revokedAtUnixMs)
            Console.print(
                "\(Hex.encode(answer.certificate.serial)) " + (answer.wasRevoked ? "was revoked before" : "revoked")
                    + ": \(revocation.reason.name) at \(time)")
            answer.renewalLines.forEach(Console.print)
        }
    }

    /// Shows what will be revoked, and throws unless the operator confirms.
    private func confirm() async throws {
        guard Console.canAsk else {
            throw ValidationError(
                "A revocation cannot be lifted, and there is no terminal on which to ask. Give --yes to revoke without asking.")
        }
        let certificate = try await server.with { client throws(AssayError) in
            try await client.certificate(serial: serial.bytes, app: app, timeout: server.limit)
        }
        let others = try await server.with { client throws(AssayError) in try await renewals(of: certificate, client) }
        certificate.lines.forEach(Console.say)
        if !others.isEmpty {
            Console.say("will also be revoked: \(Self.renewed(others.count))")
            for renewal in others { Console.say("  " + renewal.row) }
        }
        guard Console.confirms("Revoke this certificate permanently?") else {
            throw Console.failure("not_confirmed", "nothing was revoked")
        }
    }
}

extension CertRevokeCommand {
    fileprivate static func renewed(_ count: Int) -> String {
        (count == 1 ? "1 certificate" : "\(count) certificates") + " renewed from it, directly or through others"
    }

    /// The certificates that will be revoked too. A listing is in the order of issue: a certificate comes behind that from which it was
    /// renewed.
    private func renewals(
        of certificate: Assay_V1_DeviceCertificate, _ client: AssayClient
    ) async throws(AssayError) -> [Assay_V1_DeviceCertificate] {
        guard reason?.revokesRenewals == true, let device = DeviceID(bytes: Array(certificate.deviceID)) else { return [] }
        var (family, found): (Set<Assay_V1_CertificateName>, [Assay_V1_DeviceCertificate]) = ([certificate.name], [])
        try await PageReader.show(nil) { token throws(AssayError) in
            let page = try await client.certificates(app: app, device: device, pageToken: token, timeout: server.limit)
            return (page.certificates, page.nextPageToken)
        } each: { next in
            guard next.hasRenewedFrom, family.contains(next.renewedFrom) else { return }
            family.insert(next.name)
            if !next.hasRevocation { found.append(next) }
        }
        return found
    }
}

extension Assay_V1_DeviceCertificate {
    fileprivate var name: Assay_V1_CertificateName {
        .with { ($0.issuerSpkiSha256, $0.serial) = (issuerSpkiSha256, serial) }
    }
}

extension Assay_V1_RevokeCertificateResponse {
    /// The other certificates that were revoked, none if there are none.
    fileprivate var renewalLines: [String] {
        guard alsoRevokedCount > 0 else { return [] }
        let more = Int(alsoRevokedCount) - alsoRevoked.count
        return ["also revoked: " + CertRevokeCommand.renewed(Int(alsoRevokedCount))]
            + alsoRevoked.map { "  " + Hex.encode($0.serial) } + (more > 0 ? ["  and \(more) more"] : [])
    }
}

extension RevocationReason: ExpressibleByArgument {
    public init?(argument: String) {
        guard let reason = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = reason
    }
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names alone; without this the parser shows the numbers as names.
    public static var allValueDescriptions: [String: String] { [:] }
}
