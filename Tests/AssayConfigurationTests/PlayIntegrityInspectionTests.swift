import AssayCore
import AssaySchemes
import AssaySimulator
import Crypto
import PlayIntegrity
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Inspection of tokens")
struct PlayIntegrityInspectionTests {
    private static let now = Timestamp(unixMilliseconds: 1_750_000_000_000)
    private static let signer = [UInt8](repeating: 0xAB, count: 32)
    private static let package = "com.example.shop"
    private static let clientData = Array("a photo".utf8)
    private let console = PlayConsole(seed: "inspection")

    private var payload: JSONDraft {
        .playPayload(package: Self.package, signer: Self.signer, nonce: Self.clientData, at: Self.now)
    }

    private func app(_ decoding: PlayDecoding = .local, keys: [PlayConsole]) throws -> AppConfiguration {
        let text = """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apps: {shop: {app_attest: {identities: [{app_id: TEAMID1234.com.example.shop}]}}}
            """
        var app = try #require(try Configuration.parse(text, file: "a", folder: "/").apps.first)
        let section = PlayIntegritySection(
            app: PlayIntegrityIdentity(packages: [Self.package], signers: [Self.signer]),
            keys: try keys.map {
                try #require(PlayKeySet(decryptionKey: $0.decryptionKey, verificationKey: $0.verificationKey))
            }, decoding: decoding, policy: PlayIntegrityPolicy())
        app.sections.append(("play_integrity", section))
        return app
    }

    private func inspect(
        _ bytes: [UInt8], under app: AppConfiguration?, clientData: [UInt8]? = clientData
    ) -> Inspection {
        var input = InspectionInput(bytes: bytes, now: Self.now)
        input.clientData = clientData
        input.clientDataHash = clientData.map { SHA256.bytes(of: $0) }
        return Inspection(input, under: app)
    }

    private func field(_ name: String, _ explanation: Explanation) -> Explanation.Field? {
        explanation.fields.first { $0.name == name }
            ?? explanation.parts.lazy.compactMap { self.field(name, $0) }.first
    }

    @Test("An encrypted token's envelope is explained without keys, and nothing is judged")
    func sealed() throws {
        let inspection = inspect(Array(try console.token(payload).utf8), under: nil)
        #expect(inspection.kind == .playIntegrityToken && inspection.explanation.firstProblem == nil)
        #expect(field("alg", inspection.explanation)?.value == .text("A256KW"))
        #expect(field("content", inspection.explanation)?.value == .text("sealed"))
        #expect(inspection.findings.isEmpty && inspection.remarks.first?.contains("--config") == true)
    }

    @Test("A token is decrypted with an app's keys, explained whole, and judged")
    func opened() throws {
        let app = try app(keys: [PlayConsole(seed: "newer"), console])
        let inspection = inspect(Array(try console.token(payload).utf8), under: app)
        let time = field("timestamp_millis", inspection.explanation)
        #expect(time?.meaning == "by Google's clock \(Self.now)", "\(String(describing: time))")
        #expect(field("package_name", inspection.explanation)?.value == .text(Self.package))
        #expect(field("signature", inspection.explanation)?.meaning == "is Google's")
        #expect(!inspection.findings.contains { $0.outcome == .fail } && inspection.findings.count > 15)
        for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
    }

    @Test("Without client data every check but the binding is judged, and the missing one is named")
    func unbound() throws {
        let inspection = inspect(Array(try console.token(payload).utf8), under: try app(keys: [console]), clientData: nil)
        #expect(inspection.notJudged == ["request_binding"] && inspection.isGood)
        #expect(inspection.findings.contains { $0.check == "device_verdict" && $0.outcome == .pass })
        // The hash alone is not enough for a nonce, and enough for a request hash.
        let hash = SHA256.bytes(of: Self.clientData)
        let standard = JSONDraft.playPayload(package: Self.package, signer: Self.signer, requestHash: hash, at: Self.now)
        for (payload, isJudged) in [(payload, false), (standard, true)] {
            var input = InspectionInput(bytes: Array(try console.token(payload).utf8), now: Self.now)
            input.clientDataHash = hash
            let judged = Inspection(input, under: try app(keys: [console]))
            #expect(judged.isFullyJudged == isJudged && judged.isGood)
        }
    }

    @Test("The place where a token breaks is shown, and that no key of the app decrypts it")
    func broken() throws {
        let app = try app(keys: [PlayConsole(seed: "other")])
        let token = try console.token(payload)
        let closed = inspect(Array(token.utf8), under: app)
        #expect(field("content", closed.explanation)?.meaning.contains("no key of the app") == true)
        #expect(closed.findings.last?.code == "decryption_failed")
        let broken = inspect(Array((token + "!").utf8), under: app)
        #expect(
            broken.explanation.firstProblem?.code.builtIn == .malformedToken
                && broken.findings.last?.code == "malformed_token")
        let forged = try console.seal(PlayConsole(seed: "forger").sign(payload.bytes))
        let unsigned = inspect(Array(forged.utf8), under: try self.app(keys: [console]))
        #expect(field("signature", unsigned.explanation)?.meaning == "is not Google's")
        #expect(unsigned.findings.first { $0.outcome == .fail }?.code == "bad_signature")
    }

    @Test("Google's answer is taken as authentic, under an app that asks it")
    func answer() throws {
        let answer = PlayConsole.decoded(payload)
        let alone = inspect(answer, under: nil)
        #expect(alone.kind == .playIntegrityAnswer && alone.findings.isEmpty)
        #expect(field("app_licensing_verdict", alone.explanation)?.value == .text("LICENSED"))
        let judged = inspect(answer, under: try app(.google, keys: []))
        #expect(!judged.findings.contains { $0.outcome == .fail } && judged.findings.contains { $0.check == "vendor" })
        #expect(judged.remarks.contains { $0.contains("nothing in it is signed") })
        let token = inspect(Array(try console.token(payload).utf8), under: try app(.google, keys: []))
        #expect(token.findings.isEmpty && token.remarks.first?.contains("Google's service alone") == true)
    }
}
