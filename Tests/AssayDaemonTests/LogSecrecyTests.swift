import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import DaemonTesting

@Suite("Secrecy of the log", .timeLimit(.minutes(30)))
struct LogSecrecyTests {
    @Test("No log line contains evidence, subjects, keys or any other part of a request, at any level")
    func nothing() async throws {
        let home = try TestHome()
        let lines = Mutex("")
        let log = DaemonLog(LogSettings(level: .trace)) { line in lines.withLock { $0 += line } }
        let (ledger, key) = (MemoryLedger(), SecureRandom.bytes(32))
        let daemon = try await makeDaemon(
            try Configuration.load(home.configuration), ledger: ledger, vault: SecretVault(key: key),
            logger: log.makeLogger("test"))
        let client = try await AssayClient.connect(
            to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))

        var phone = home.phone()
        var secrets: [[UInt8]] = [key, phone.key.keyID]
        func ask(_ request: VerificationRequest) async {
            var request = request
            request.subject = Array("mrs.robinson@example.com".utf8)
            request.idempotencyKey = Array("order of mrs robinson ".utf8) + SecureRandom.bytes(8)
            secrets += [request.subject, request.idempotencyKey, request.challenge, request.context]
            secrets += request.evidence.flatMap { [$0.body, $0.keyID, $0.digest] }
            if case .clientData(let hash?) = request.binding { secrets.append(hash) }
            _ = try? await client.verify(request)
        }
        let enrolment = try phone.registration(try await phone.challenge(.register, client))
        await ask(enrolment)
        await ask(enrolment)
        let context = Array("session of mrs robinson".utf8)
        let challenge = try await client.issueChallenge(app: home.app, purpose: .assert, context: context).bytes
        var upload = try phone.upload(challenge, Array("a passport".utf8))
        upload.context = context
        await ask(upload)
        // Rejected for many reasons.
        upload.context = Array("another session".utf8)
        await ask(upload)
        upload.challenge = Array("a challenge that a caller made up itself, with 54 byt".utf8) + [0]
        await ask(upload)
        upload.evidence = [Evidence(format: .appAttestAssertion, keyID: phone.key.keyID, body: Array("no CBOR at all".utf8))]
        await ask(upload)
        upload.app = try #require(AppID("an-app-that-is-not-here"))
        secrets.append(Array(upload.app.text.utf8))
        await ask(upload)
        _ = try? await client.device(keyID: phone.key.keyID, app: home.app)
        _ = try? await client.device(DeviceID.random(), app: upload.app)
        ledger.fail(with: .unavailable("test"))
        await ask(try phone.upload(challenge))
        ledger.fail(with: nil)
        secrets += try await ledger.secrets().map(\.wrapped)
        for secret in try await ledger.secrets() { secrets.append(try SecretVault(key: key).unwrap(secret)) }
        await client.close()
        await daemon.server.stop()

        let text = lines.withLock { $0 }
        for word in ["accepted", "rejected", "a call failed", "a call was refused", "challenge_invalid"] {
            #expect(text.contains(word), "the log says what happens: \(word)")
        }
        for secret in secrets where secret.count > 4 {
            let forms = [
                Hex.encode(secret), Hex.encode(secret).uppercased(), Base64.url.encode(secret), Base64.standard.encode(secret),
                "\(secret)", String(decoding: secret, as: UTF8.self),
                // Parts of it too.
                Hex.encode(secret.prefix(8)), String(Base64.url.encode(secret).prefix(10)),
            ]
            for form in forms where form.utf8.count >= 8 { #expect(!text.contains(form), "\(form)") }
        }
    }
}
