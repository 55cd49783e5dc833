import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import AssayResults
import Foundation

struct ResultsVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check a signed result, and explain it claim by claim.",
        discussion: """
            The keys are those of --jwks, or else those of the daemon (--server). With a file of keys nothing is asked of anyone: what \
            --issuer names is believed to have them. With --status the list is read that says whether the result still holds: where the \
            result says it is, or from the daemon where the keys are the daemon's.

            Exit status 0 if the result verifies, 65 if it does not or holds no more.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: ArgumentHelp("The token's file, '-' for standard input, or the token itself.", valueName: "token"))
    var token: String

    @Option(help: ArgumentHelp("The issuer's JWK Set.", valueName: "file or https://…"))
    var jwks: ResultKeysArgument?

    @Option(
        help: ArgumentHelp(
            "Who must have signed it. Default: the daemon's issuer, or the one whose address --jwks has.", valueName: "address")
    )
    var issuer: String?

    @Option(help: ArgumentHelp("Whom it must be for. Left out for the shapes that name no audience.", valueName: "audience"))
    var audience: String?

    @Option(help: ArgumentHelp("The shape that it must have. Default: the one that it says it has.", valueName: "shape"))
    var shape: ResultShape?

    @Option(parsing: .unconditional, help: ArgumentHelp("The nonce that it must have.", valueName: "bytes"))
    var nonce: BytesArgument?

    @Flag(help: "The device must be a simulated one. Without it, it must be none.")
    var simulated = false

    @Flag(help: "Look up whether the result still holds, in the status list that it names.")
    var status = false

    @Option(
        help: ArgumentHelp("Look it up in this status list, in place of the one that is published now.", valueName: "file"))
    var statusList: FileArgument?

    @Option(help: ArgumentHelp("Check as of this time (RFC 3339). Default: now.", valueName: "time"))
    var at: Timestamp?

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let token = try readToken()
        let stated = shape
        let shape = try checking { () throws(ResultFault) -> ResultShape in
            if let stated { stated } else { try ResultReader.stated(by: token).shape }
        }
        guard audience != nil || !shape.namesAudience else {
            throw ValidationError("Give --audience: \(shape.rawValue) is for one, and what is for another is refused.")
        }
        let keys = try await readKeys()
        guard let issuer = issuer ?? keys.issuer ?? (shape.namesIssuer ? nil : "") else {
            throw ValidationError("Give --issuer: the file of keys does not say whose they are.")
        }
        var expected = ResultExpectation(
            shape, issuer: issuer, audience: audience ?? "", nonce: nonce?.bytes, isSimulated: simulated,
            at: at ?? SystemClock().now())
        // What a plain result holds is shown with it.
        if let content = try? ResultReader.stated(by: token).content { expected.content = content }
        let (set, verified) = try checking { () throws(ResultFault) in
            let set = try JSONWebKeySet(parsing: keys.set)
            return (set, try ResultReader(keys: set).read(token, expecting: expected))
        }
        let found = status || statusList != nil ? try await lookUp(verified, set, at: expected.now) : nil
        let text = VerifiedResultText(result: verified, status: found)
        if json { Console.print(json: text.json) } else { text.lines.forEach(Console.print) }
        if !text.holds { throw ExitCode(65) }
    }

    // MARK: Status

    private func lookUp(
        _ result: VerifiedResult, _ keys: JSONWebKeySet, at now: Timestamp
    ) async throws -> VerifiedResultText.Status {
        let reference = try checking { () throws(ResultFault) in try result.statusReference() }
        guard let reference else { return .none }
        let list = try await readList(reference, simulated: result.isSimulated)
        return .some(
            try checking { () throws(ResultFault) in
                try StatusListReader(keys: keys).read(list, of: reference.uri, at: now, tolerance: Self.tolerance)
                    .status(of: reference)
            })
    }

    /// How far the clocks of the issuer and of this machine may differ, in milliseconds.
    private static let tolerance: Int64 = 60_000

    private func readList(_ reference: ResultStatusReference, simulated: Bool) async throws -> [UInt8] {
        if let statusList { return try statusList.read(atMost: StatusListReader.sizeLimit) }
        if jwks != nil {
            let roots = try server.tlsCa.flatMap(FileArgument.init(argument:))?.read() ?? []
            return try await PublishedFile(
                address: reference.uri, sizeLimit: StatusListReader.sizeLimit, type: StatusListForm.jwt.mediaType
            ).read(code: "status_list_unavailable", roots: roots, within: server.limit)
        }
        guard let number = reference.uri.split(separator: "/").last.flatMap({ UInt32($0) }) else {
            throw Console.unreadable("\(reference.uri) is no status list of the daemon")
        }
        let list = try await server.with { client throws(AssayError) in
            try await client.statusList(number, simulated: simulated, timeout: server.limit)
        }
        return Array(list.token)
    }

    /// A token in ASCII may stand on the command line: it begins as every JSON object does in base64url.
    private func readToken() throws -> [UInt8] {
        guard !token.hasPrefix("eyJ") else { return Array(token.utf8) }
        guard let file = FileArgument(argument: token) else { return [] }
        let bytes = try file.read(atMost: ResultReader.sizeLimit)
        // CBOR of a COSE_Sign1 begins with its tag.
        guard bytes.first != 0xD2 else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        // As 'assay verify' prints a token in CBOR.
        if let cbor = Base64.url.decode(text), cbor.first == 0xD2 { return cbor }
        return Array(text.utf8)
    }

    private func readKeys() async throws -> (set: [UInt8], issuer: String?) {
        if let jwks {
            let roots = try server.tlsCa.flatMap(FileArgument.init(argument:))?.read() ?? []
            return (try await jwks.read(roots: roots, within: server.limit), jwks.issuer)
        }
        let published = try await server.with { client throws(AssayError) in
            try await client.publishedResultKeys(simulated: simulated, timeout: server.limit)
        }
        return (Array(published.jwks.utf8), published.issuer)
    }

    /// Says why a token does not verify, and ends with exit status 65.
    private func checking<T>(_ check: () throws(ResultFault) -> T) throws -> T {
        do throws(ResultFault) {
            return try check()
        } catch {
            if json {
                Console.print(
                    json: ["verified": false, "code": error.code.rawValue, "place": error.place, "detail": error.detail])
            } else {
                Console.print(Console.styled("NOT VERIFIED", .bad) + "  \(error.code.rawValue)")
                Console.print("  \(error.place): \(error.detail)")
            }
            throw ExitCode(65)
        }
    }
}
