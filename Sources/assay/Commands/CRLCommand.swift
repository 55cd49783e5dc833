import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import Foundation

struct CRLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crl", abstract: "Fetch the revocation lists of the CAs.",
        discussion: "The lists are public: a caller of any role may fetch them.", subcommands: [CRLGetCommand.self],
        defaultSubcommand: CRLGetCommand.self)
}

struct CRLGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Write the current revocation list of a CA.",
        discussion: """
            The list names every certificate of the CA that was revoked until now; the daemon signs a new one if it must. Without \
            --out it is written to standard output, or described with --json.

            Exit status 1 if there is no such CA, or it has no list because it has not signed yet; 69 if no current list can be \
            signed.

            Example:
              assay crl get --out device-ca.crl
              openssl crl -in device-ca.crl -noout -text
            """)

    enum Form: String, CaseIterable, ExpressibleByArgument {
        case pem, der
    }

    @OptionGroup var server: ServerOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "SHA-256 of the CA's SubjectPublicKeyInfo, as 'assay ca list' prints it. Default: the CA that signs new certificates.",
            valueName: "bytes"))
    var issuer: BytesArgument?

    @Option(help: "The form of the list.")
    var form = Form.pem

    @Option(help: ArgumentHelp("The file to write. Default: standard output.", valueName: "file"))
    var out: String?

    @Flag(help: "Print a JSON object with the list's number, dates and count of certificates.")
    var json = false

    func run() async throws {
        let list = try await server.with { client throws(AssayError) in
            try await client.revocationList(issuer: issuer?.bytes(wanting: 32) ?? [], timeout: server.limit)
        }
        let count: Int
        do throws(Rejection) {
            count = try RevokedCertificates.count(in: Array(list.list))
        } catch {
            throw Console.unreadable("the daemon's answer is not a revocation list: \(error.detail)")
        }
        let bytes = form == .der ? Array(list.list) : Array(PEM.encode(list.list, label: "X509 CRL").utf8)
        if let out { try OutputFile.write(bytes, to: out) }
        if json { return Console.print(json: list.json(count: count)) }
        guard let out else { return Console.write(bytes) }
        list.lines(count: count).forEach(Console.print)
        Console.print("wrote   \(out)")
    }
}

extension Assay_V1_RevocationList {
    fileprivate func lines(count: Int) -> [String] {
        [
            "number  \(number), \(count) \(count == 1 ? "certificate" : "certificates")",
            "from    \(Timestamp(unixMilliseconds: thisUpdateUnixMs)) to \(Timestamp(unixMilliseconds: nextUpdateUnixMs))",
        ]
    }

    fileprivate func json(count: Int) -> [String: Any] {
        var object: [String: Any] = [
            "number": number, "certificates": count,
            "this_update": Timestamp(unixMilliseconds: thisUpdateUnixMs).description,
            "next_update": Timestamp(unixMilliseconds: nextUpdateUnixMs).description,
        ]
        object.add(hex: "issuer_spki_sha256", issuerSpkiSha256)
        return object
    }
}

/// The entries of a revocation list (RFC 5280 §5.1).
private enum RevokedCertificates {
    static func count(in list: [UInt8]) throws(Rejection) -> Int {
        var outer = DERReader(list[...], code: .malformed)
        var signed = DERReader(try outer.content(.sequence), code: .malformed)
        var fields = DERReader(try signed.content(.sequence), code: .malformed)
        // Version, signature algorithm, issuer, thisUpdate, nextUpdate.
        for _ in 0..<5 { _ = try fields.element() }
        guard let entries = try fields.optional(.sequence) else { return 0 }
        var reader = DERReader(entries.content, code: .malformed)
        var count = 0
        while !reader.isAtEnd {
            _ = try reader.element(.sequence)
            count += 1
        }
        return count
    }
}
