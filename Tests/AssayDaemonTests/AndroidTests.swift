import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Android devices")
    struct AndroidTests {
        @Test("A device registers once and signs a thousand uploads, each accepted once, also after a kill")
        func uploads() async throws {
            let count = 1000
            let home = try TestHome(android: AndroidAuthority(seed: "host tests"))
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            let phone = try TestAndroid(home)
            let registered = try await phone.register(client)
            try #require(registered.outcome == "accepted")
            #expect(registered.simulated)

            let uploads = try await Self.each(0..<count) { _ in try phone.upload(try await phone.challenge(.assert, client)) }
            let verdicts = try await Self.each(uploads) { try await client.patiently($0) }
            #expect(verdicts.count { $0.outcome == "accepted" } == count)
            #expect(verdicts.allSatisfy { $0.deviceID == registered.deviceID && $0.assurance == .hardware })
            let replays = try await Self.each(uploads) { try await client.patiently($0).outcome }
            #expect(replays.count { $0 == "challenge_reused" } == count)

            // Killed: no shutdown code ran.
            await client.close()
            daemon.child.signal(SIGKILL)
            _ = await daemon.child.ending()
            let second = try await TestDaemon(home)
            let again = try await second.connect()
            #expect(try await again.status().store.auditCount == Int64(count) + 3, "two starts and the registration too")
            let later = try await Self.each(uploads) { try await again.patiently($0).outcome }
            #expect(later.count { $0 == "challenge_reused" } == count)
            await again.close()
            await second.stop()
        }

        /// Several at a time, in any order.
        private static func each<Item: Sendable, Result: Sendable>(
            _ items: some Sequence<Item>, _ work: @escaping @Sendable (Item) async throws -> Result
        ) async throws -> [Result] {
            try await withThrowingTaskGroup(of: Result.self) { group in
                var (results, rest) = ([Result](), Array(items)[...])
                for item in rest.prefix(32) { group.addTask { try await work(item) } }
                rest = rest.dropFirst(32)
                while let result = try await group.next() {
                    results.append(result)
                    if let item = rest.popFirst() { group.addTask { try await work(item) } }
                }
                return results
            }
        }

        @Test("The assurance is that of the key's storage, and wrong devices are refused for their own reasons")
        func levels() async throws {
            let home = try TestHome(android: AndroidAuthority(seed: "host tests"))
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            func verdict(
                _ level: VirtualAndroid.Level, edit: (inout VirtualAndroid) -> Void = { _ in }
            ) async throws -> Assay_V1_Verdict {
                try await TestAndroid(home, level: level, edit: edit).register(client)
            }
            let strongBox = try await verdict(.strongBox)
            #expect(strongBox.outcome == "accepted")
            #expect(strongBox.assurance == .secureElement)
            let environment = try await verdict(.trustedEnvironment)
            #expect(environment.outcome == "accepted")
            #expect(environment.assurance == .hardware)
            #expect(try await verdict(.software).outcome == "software_level")
            let unlocked = try await verdict(.trustedEnvironment) { $0.rootOfTrust = .unlocked }
            #expect(unlocked.outcome == "bootloader_unlocked")
            #expect(!unlocked.detail.isEmpty)
            await client.close()
            await daemon.stop()
        }

        @Test("A virtual device attests and signs on the command line, and runs a session")
        func commandLine() async throws {
            let authority = AndroidAuthority(seed: "host tests")
            let home = try TestHome(android: authority)
            let folder = home.folder.file("android")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try home.folder.write(try authority.saved(), to: "android/authority")
            let daemon = try await TestDaemon(home)
            let address = String(try daemon.address("tcp").dropFirst("tcp:".count))
            func assay(_ arguments: String...) async throws -> Child.Ending {
                try await Child.run("assay", arguments, environment: ["ASSAY_SERVER": address])
            }

            let made = try await assay(
                "simulate", "android", "make", folder, "--package", TestAndroid.package, "--signer",
                "hex:" + Hex.encode(TestAndroid.signer), "--level", "strongbox", "--key", "p384")
            try #require(made.status == 0, "\(made)")
            let keyID = try #require(made.lines.first?.words.last)

            func challenge(_ purpose: String) async throws -> String {
                let said = try await assay("challenge", "--app", "camera", "--purpose", purpose)
                return String(said.out.split(separator: "\n").first ?? "")
            }
            let enrolment = try await challenge("register")
            let chain = home.folder.file("chain.pem")
            let attested = try await assay("simulate", "android", "attest", folder, "--challenge", enrolment, "--out", chain)
            #expect(attested.status == 0, "\(attested)")
            let registered = try await assay("verify", "--app", "camera", "--challenge", enrolment, "--key-attestation", chain)
            #expect(registered.status == 0, "\(registered)")
            #expect(registered.out.contains("secure_element") || registered.out.contains("secure element"), "\(registered)")

            let upload = try await challenge("assert")
            let payload = try home.folder.write("photo", to: "photo")
            let signature = home.folder.file("signature")
            let signed = try await assay(
                "simulate", "android", "sign", folder, "--challenge", upload, "--payload", payload, "--out", signature)
            #expect(signed.status == 0, "\(signed)")
            func verify(_ algorithm: String) async throws -> Child.Ending {
                try await assay(
                    "verify", "--app", "camera", "--challenge", upload, "--key-id", keyID, "--key-signature", signature,
                    "--algorithm", algorithm, "--payload", payload)
            }
            let wrong = try await verify("ecdsa-p256-sha256")
            #expect(wrong.status == 1)
            #expect(wrong.out.contains("unsupported_algorithm"))
            #expect(try await verify("ecdsa-p384-sha384").status == 0)
            #expect(try await verify("ecdsa-p384-sha384").out.contains("challenge_reused"))

            // A second key of the same device, for the session to register.
            let again = try await assay(
                "simulate", "android", "make", folder, "--package", TestAndroid.package, "--signer",
                "hex:" + Hex.encode(TestAndroid.signer))
            #expect(again.status == 0)
            let session = try await assay("simulate", "android", "session", folder, "--app", "camera")
            #expect(session.status == 0, "\(session)")
            #expect(session.out.contains("10 of 10 verdicts are as they have to be"), "\(session.out)")
            // The same key again is known, and everything is as it has to be all the same.
            let known = try await assay("simulate", "android", "session", folder, "--app", "camera")
            #expect(known.status == 0 && known.out.contains("10 of 10 verdicts are as they have to be"), "\(known.out)")

            _ = try await assay(
                "simulate", "android", "make", folder, "--package", TestAndroid.package, "--signer",
                "hex:" + Hex.encode(TestAndroid.signer), "--unlocked")
            let refused = try await assay(
                "simulate", "android", "session", folder, "--app", "camera", "--refusal", "bootloader_unlocked")
            #expect(refused.status == 0, "\(refused)")

            let status = try await assay("status")
            #expect(status.out.contains("\n  noted\n") && status.out.contains(" revocation_not_consulted\n"), "\(status.out)")
            #expect(try await assay("status", "--json").out.contains(#""revocation_not_consulted" : "#))
            await daemon.stop()
        }
    }
}
