import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Crypto
import Foundation
import Testing

/// The HTTP status for an upload, and what the phone does next.
///
/// - Parameter evidence: of an iPhone `Evidence(format: .appAttestAssertion, keyID: keyID, body: assertion)`; of an Android device
///   `Evidence(format: .keySignature, keyID: keyID, body: Evidence.join([[1], signature]))`, 1 being ECDSA with P-256 and SHA-256.
func judge(
    _ photo: [UInt8], of user: String, uploadID: String, challenge: [UInt8], evidence: Evidence, app: AppID,
    by assay: AssayClient, simulatedIsGood: Bool = false
) async -> (status: Int, then: String) {
    func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
    let payload = Array(SHA256.hash(data: photo))
    let request = VerificationRequest(
        app: app, purpose: .assert, challenge: challenge, context: digest(user), evidence: [evidence],
        binding: .clientData(payloadHash: payload), subject: Array(user.utf8), idempotencyKey: digest("\(user)/\(uploadID)"))
    do throws(AssayError) {
        let verdict = try await assay.verify(request, timeout: .seconds(5))
        switch (verdict.decision, verdict.retry) {
        case (.accepted, _):
            let isGood =
                verdict.assurance.rawValue >= Assay_V1_Assurance.hardware.rawValue
                && (simulatedIsGood || !verdict.simulated) && verdict.bound.mode == .clientData
                && verdict.bound.payloadSha256.elementsEqual(payload)
            return isGood ? (200, "done") : (403, "give_up")
        case (_, .newChallenge): return (409, "new_challenge")
        case (_, .reAttest): return (409, "register")
        case (_, .later): return (503, "later")
        default: return (403, "give_up")
        }
    } catch {
        switch error.code {
        case .unavailable, .resourceExhausted, .deadlineExceeded: return (503, "later")
        case .invalidArgument: return (400, "give_up")
        default: return (500, "later")
        }
    }
}

/// What the phone signs. `purpose`: 1 registers, 2 uploads.
func clientData(_ purpose: UInt8, _ challenge: Data, _ payload: Data) -> Data {
    Data("assay1".utf8) + [purpose] + challenge + Data(SHA256.hash(data: payload))
}

@Suite("Documented handler")
struct DocumentedHandlerTests {
    @Test("is the one of the pages, word for word")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try ["on-the-phone", "upload-handler-in-swift"].map {
            try String(contentsOf: root.appending(path: "docs/start/\($0).md"), encoding: .utf8)
        }.joined()
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        for beginning in ["/// The HTTP status for an upload", "/// What the phone signs."] {
            let start = try #require(here.range(of: beginning)?.lowerBound)
            let end = try #require(here[start...].range(of: "\n}\n")?.upperBound)
            #expect(page.contains(here[start..<end]))
        }
    }

    @Test("signs the documented client data on the phone")
    func phone() throws {
        let challenge = [UInt8](repeating: 7, count: Challenge.length)
        for (purpose, number) in [(Purpose.register, 1 as UInt8), (.assert, 2)] {
            let data = try #require(ClientData(purpose: purpose, challenge: challenge, payload: Array("a photo".utf8)))
            let signed = clientData(number, Data(challenge), Data("a photo".utf8))
            #expect(signed == Data(data.bytes))
        }
    }

    @Test("answers each verdict, and each error, as the page's table says")
    func outcomes() async throws {
        try await TestDaemon.run { daemon in
            let camera = try #require(AppID("camera"))
            let client = try await daemon.connect()
            var key = TestDaemon.makeKey()
            let photo = Array("a photo".utf8)

            func upload(_ id: String, by key: inout VirtualKey) async throws -> Upload {
                let context = Array(SHA256.hash(data: Array("alice".utf8)))
                let challenge = try await client.issueChallenge(app: camera, purpose: .assert, context: context).bytes
                let data = try #require(ClientData(purpose: .assert, challenge: challenge, payload: photo))
                return Upload(
                    id: id, challenge: challenge,
                    evidence: Evidence(
                        format: .appAttestAssertion, keyID: key.keyID, body: try key.assert(clientDataHash: data.hash)))
            }
            func answer(
                _ upload: Upload, _ photo: [UInt8], of user: String = "alice", simulatedIsGood: Bool = true
            ) async -> String {
                let answer = await judge(
                    photo, of: user, uploadID: upload.id, challenge: upload.challenge, evidence: upload.evidence, app: camera,
                    by: client, simulatedIsGood: simulatedIsGood)
                return "\(answer.status) \(answer.then)"
            }

            let unknown = try await upload("0", by: &key)
            #expect(await answer(unknown, photo) == "409 register")
            var registration = try TestDaemon.registration(
                key, try await client.issueChallenge(app: camera, purpose: .register).bytes)
            registration.subject = Array("alice".utf8)
            #expect(try await client.verify(registration).decision == .accepted)

            var good = try await upload("1", by: &key)
            #expect(await answer(good, photo) == "200 done")
            #expect(await answer(good, photo) == "200 done", "the same again")
            #expect(await answer(good, photo, simulatedIsGood: false) == "403 give_up")
            #expect(await answer(good, photo, of: "bob") == "409 new_challenge")
            good.id = "2"
            #expect(await answer(good, photo) == "409 new_challenge", "a replay")
            #expect(await answer(try await upload("3", by: &key), Array("another".utf8)) == "403 give_up")
            var long = try await upload("4", by: &key)
            long.evidence = Evidence(format: .appAttestAssertion, keyID: key.keyID, body: [UInt8](repeating: 0, count: 5000))
            #expect(await answer(long, photo) == "403 give_up")

            await client.close()
            #expect(await answer(good, photo) == "503 later")
        }
    }

    private struct Upload {
        var id: String
        let challenge: [UInt8]
        var evidence: Evidence
    }
}
