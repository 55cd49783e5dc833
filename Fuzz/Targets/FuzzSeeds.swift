import AppAttest
import AssayAPI
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Genuine input for each target, made by the simulator: the fuzzer's starting corpus.
public enum FuzzSeeds {
    /// Named `target/content`.
    public static var all: [(name: String, bytes: [UInt8])] {
        get throws {
            let objects = try attested() + signals
            let evidence = objects.filter { $0.name.hasPrefix("app-attest/") }
            return try objects + certificates + messages(evidence) + frames + configurations + tokens + keyAttestation
                + androidDevices + vendors + certificateRequests + certificateBundles + methodJSON + httpBodies + http + results
                + captures + signers
                + evidence.map { ("cbor/" + $0.name.replacing("app-attest/", with: ""), $0.bytes) }
        }
    }

    private static let authority = TestAuthority(seed: "fuzz")
    private static let clientDataHash = [UInt8](repeating: 7, count: 32)

    /// Attestations and assertions of systems with and without extensions, of a Mac, and their authenticator data.
    private static func attested() throws -> [(name: String, bytes: [UInt8])] {
        var seeds: [(name: String, bytes: [UInt8])] = []
        for (platform, version) in [(VirtualPhone.Platform.iOS, "18.5"), (.iOS, "27.0"), (.macOS, "27.0")] {
            var phone = VirtualPhone(
                authority: authority, appID: "TEAMID1234.com.example.fuzz", platform: platform, osVersion: version, seed: "fuzz"
            )
            var key = phone.makeKey()
            let attestation = try key.attest(clientDataHash: clientDataHash, at: FuzzTarget.now)
            let assertion = try key.assert(clientDataHash: clientDataHash)
            let name = "app-attest/\(platform)-\(version)"
            seeds += [(name + "-attestation", attestation), (name + "-assertion", assertion)]
            let explained = [
                (AppAttestExplanation.attestation(attestation[...]), attestation),
                (AppAttestExplanation.assertion(assertion[...]), assertion),
            ]
            for (number, (explanation, bytes)) in explained.enumerated() {
                for part in explanation.parts where part.title == "authenticator data" {
                    seeds.append((name + "-authenticator-data-\(number)", Array(bytes[part.range])))
                }
                for part in explanation.parts where part.title == "App Attest receipt" {
                    seeds.append(("receipt/\(platform)-\(version)", Array(bytes[part.range])))
                }
            }
        }
        return seeds
    }

    private static var certificates: [(name: String, bytes: [UInt8])] {
        [
            ("certificates/root", authority.rootCertificate), ("certificates/intermediate", authority.intermediateCertificate),
            ("certificates/pem", Array(authority.rootPEM.utf8)),
        ]
    }

    private static func messages(_ objects: [(name: String, bytes: [UInt8])]) throws -> [(name: String, bytes: [UInt8])] {
        let challenge = ChallengeKey(id: 1, secret: clientDataHash, createdAt: FuzzTarget.now).issue(
            app: try app, purpose: .assert, context: [1, 2, 3], expiry: FuzzTarget.now)
        var seeds = [("messages/challenge", challenge)]
        for object in objects {
            let request = VerificationRequest(
                app: try app, purpose: .assert, challenge: challenge, context: [1],
                evidence: [Evidence(format: .appAttestAssertion, keyID: clientDataHash, body: object.bytes)],
                binding: .clientData(payloadHash: clientDataHash), subject: [2], idempotencyKey: [3])
            let bytes: [UInt8] = try request.message.serializedBytes()
            seeds.append((object.name.replacing("app-attest/", with: "messages/"), bytes))
        }
        return seeds
    }

    private static var app: AppID {
        get throws {
            guard let app = AppID("fuzz") else { throw CocoaError(.featureUnsupported) }
            return app
        }
    }

    /// A call, an answer with an error, a ping and a GoAway, in the format of `proto/assay/rpc/v1/frame.proto`.
    private static var frames: [(name: String, bytes: [UInt8])] {
        let method = Array("/assay.v1.Attestation/Verify".utf8)
        let call: [UInt8] =
            [0x0A, UInt8(method.count)] + method + [0x12, 3, 1, 2, 3, 0x18, 0x64, 0x22, 6, 0x0A, 1, 0x61, 0x12, 1, 0x62]
        let bodies: [[UInt8]] = [
            [0x08, 1, 0x12, UInt8(call.count)] + call, [0x08, 1, 0x1A, 6, 0x0A, 4, 0x08, 3, 0x12, 0], [0x32, 0],
            [0x4A, 3, 0x0A, 1, 0x78],
        ]
        let stream: [UInt8] = bodies.flatMap { body -> [UInt8] in [0, 0, 0, UInt8(body.count)] + body }
        return [("frame/whole", [255] + stream), ("frame/pieces", [2] + stream)]
    }

    /// A token, encrypted and decrypted, its payload, and Google's answer about it.
    private static var tokens: [(name: String, bytes: [UInt8])] {
        get throws {
            let console = PlayConsole(seed: "fuzz")
            let payload = JSONDraft.playPayload(
                package: "com.example.fuzz", signer: clientDataHash, requestHash: clientDataHash, at: FuzzTarget.now)
            let sealed = Array(try console.token(payload).utf8)
            return [
                ("tokens/sealed", sealed), ("tokens/signed", try console.sign(payload.bytes)),
                ("tokens/payload", payload.bytes), ("tokens/answer", PlayConsole.decoded(payload)),
                ("json/payload", payload.bytes),
                ("json/escapes", Array(#"{"a":["\u00e9\ud83d\ude00\n",-1.5e+3,true,null,{}],"b":"é"}"#.utf8)),
            ]
        }
    }

    /// A document of signals, and the model that it gives.
    private static var signals: [(name: String, bytes: [UInt8])] {
        get throws {
            let document = Array(
                (#"{"version":1,"media":[{"sha256":"\#(Hex.encode(clientDataHash))"}],"signals":{"lidar":{"score":0.95},"#
                    + #""moire":{"score":8.8e-1},"texture":{"outcome":"unavailable"},"metadata":{"outcome":"pass"}}}"#).utf8)
            let scene = SceneAnalysis(counted: try SignalDocument(parsing: document), digest: clientDataHash)
            let confidence = ConfidenceRule(profile: .weighted).assess(
                scene, platform: .iOS, HardwareAttestation(.secureElement, platform: .iOS, simulated: false))
            let capture = Array(
                (#"{"version":2,"media":[{"sha256":"\#(Hex.encode(clientDataHash))"}],"signals":{"lidar":{"score":0.95},"#
                    + #""moire":{"score":8.8e-1,"screen_detected":false,"frequency_peaks":[1.5]}},"depth":{"variance":1.3218,"#
                    + #""layers":3,"edge_coherence":0.3765,"min":0.8,"max":4.0,"is_likely_real_scene":true,"#
                    + #""algorithm_version":"1"},"metadata":{"captured_at":"2026-09-21T16:13:20+02:00","late":true,"#
                    + #""model":"iPhone 15 Pro","width":4032,"location":{"latitude":48.14,"longitude":-11.58},"#
                    + #""device":{"build":"22A3354"}},"flags":{"location":"coarse","timestamp":"exact","device":"model_only"},"#
                    + #""mode":"hash_only","final_score":0.9}"#).utf8)
            let suite = ConfidenceRule(profile: .suite).assess(
                SceneAnalysis(counted: try SignalDocument(parsing: capture), digest: clientDataHash), platform: .iOS,
                HardwareAttestation(.secureElement, platform: .iOS, simulated: true))
            return [
                ("signals/document", document), ("signals/model", EvidenceModel(confidence).json), ("signals/capture", capture),
                ("signals/suite", EvidenceModel(suite).json),
            ]
        }
    }

    private static var configurations: [(name: String, bytes: [UInt8])] {
        let text = """
            listen: [{unix: a.sock, mode: 0600}, {tcp: "127.0.0.1:7421"}]
            store: {path: ledger.db}
            callers: {users: [{name: handler, uid: 1001, roles: [verify], apps: [photos]}]}
            limits: {max_frame_bytes: 65536, idle_timeout: 5m}
            apps:
              photos:
                challenge: {ttl: 5m}
                binding: {payload: required, embedded: {json_member: a.b, encoding: base64url}}
                app_attest:
                  identities: [{app_id: TEAMID1234.com.example.photos, environments: [production]}]
                  allowed_validation_categories: [2, 4]
                play_integrity:
                  mode: google
                  packages: [com.example.photos]
                  signers: ["0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"]
                  device_verdicts: [MEETS_DEVICE_INTEGRITY]
                  signals: {play_protect: {HIGH_RISK: fail}}
            """
        return [("configuration/small", Array(text.utf8))]
    }
}
