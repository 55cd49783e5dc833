import AssayCore
import AssayResults
import AssaySigning
import AssayVendors
import Testing

/// A daemon's folder whose app `camera` has signed results, with a key of either issuer. It listens over both protocols.
struct ResultHome: Sendable {
    static let issuer = "https://assay.example.com"
    static let audience = "https://uploads.example.com"

    let home: TestHome

    /// - Parameters:
    ///   - rule: further members of the app's section, such as `lifetime: 1h`.
    ///   - simulatedKey: the key of simulated devices, in place of one in a file.
    init(_ rule: String = "", simulatedKey: String? = nil) throws {
        func key(_ name: String) -> String { "{file: \(name).key, passphrase_file: \(name).passphrase}" }
        home = try TestHome.speakingHTTP(
            more: """
                results: {issuer: \(Self.issuer), keys: [\(key("results-1"))], \
                simulated: {issuer: \(Self.issuer)/simulated, keys: [\(simulatedKey ?? key("simulated-1"))]}}
                """)
        try (["results-1"] + (simulatedKey == nil ? ["simulated-1"] : [])).forEach(makeKey)
        let section = "results: {shapes: [ear-jwt, ear-cwt, session, plain-jws], audiences: [\(Self.audience)]\(rule)}"
        let text = home.folder.text("assayd.yaml")
        try home.folder.write(text.replacing("  camera: {", with: "  camera: {\(section), "), to: "assayd.yaml")
    }

    func makeKey(_ name: String) throws {
        let files = NewKeyFiles(key: home.folder.file(name + ".key"), passphrase: home.folder.file(name + ".passphrase"))
        _ = try files.write(.random(.p256))
    }

    /// Adds a key of simulated devices to the configuration, behind the one that is there.
    func addSimulatedKey(_ name: String) throws {
        try makeKey(name)
        let text = home.folder.text("assayd.yaml")
        let last = "simulated-1.passphrase}"
        try #require(text.contains(last))
        try home.folder.write(
            text.replacing(last, with: last + ", {file: \(name).key, passphrase_file: \(name).passphrase}"), to: "assayd.yaml")
    }

    /// What an HTTP listener serves at a path.
    static func get(_ path: String, at daemon: TestDaemon) async throws -> VendorAnswer {
        let address = try #require(VendorAddress("http://127.0.0.1:\(try daemon.httpPort)", allowsPlainLoopback: true))
        return try await VendorClient().call(VendorRequest(.get, path), at: address)
    }

    /// Reads a token in ASCII about a simulated device, by a published set of keys.
    static func read(_ token: String, as shape: ResultShape, by keys: [UInt8]) throws -> VerifiedResult {
        try ResultReader(keys: try JSONWebKeySet(parsing: keys)).read(
            Array(token.utf8),
            expecting: ResultExpectation(
                shape, issuer: issuer + "/simulated", audience: audience, isSimulated: true, at: SystemClock().now(),
                tolerance: 1000))
    }
}
