import AssayAPI
import AssayCore
import AssayResults
import AssayTesting
import AssayVendors
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// A key of results in a PKCS#11 token that certifies keys in the daemon's memory. Each process uses SoftHSM by itself.
    @Suite(
        "Results under a key in a token", .enabled(if: SoftHSM.isInstalled, "SoftHSM (package softhsm2) is not installed"))
    struct TokenResultTests {
        private let hsm: SoftHSM

        init() async throws { hsm = try await SoftHSM() }

        private func openSSL(_ arguments: String...) async throws {
            let ending = try await Child("/usr/bin/openssl", arguments).ending()
            try #require(ending.status == 0, "\(ending)")
        }

        /// A home whose results of simulated devices rest on a key in the token, which a root certified to certify others.
        private func home() async throws -> ResultHome {
            func file(_ name: String) -> String { hsm.folder.file(name) }
            let made = try await Child.run(
                "assay", ["results", "new-key", "certifier", "--folder", hsm.folder.path] + hsm.options,
                environment: hsm.environment)
            try #require(made.status == 0, "\(made)")
            try await openSSL(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Root",
                "-keyout",
                file("root.key"), "-out", file("root.pem"))
            try hsm.folder.write(
                "basicConstraints = critical, CA:TRUE, pathlen:0\nkeyUsage = critical, keyCertSign, digitalSignature\n",
                to: "ca.ext")
            try await openSSL(
                "x509", "-new", "-force_pubkey", file("certifier.pub.pem"), "-subj", "/CN=Results", "-days", "400", "-CA",
                file("root.pem"), "-CAkey", file("root.key"), "-extfile", file("ca.ext"), "-out", file("certifier.pem"))
            return try ResultHome(
                simulatedKey: """
                    {pkcs11: {module: "\(hsm.module)", token: \(SoftHSM.token), key: certifier, pin_file: "\(hsm.pinFile)"}, \
                    public_key: "\(file("certifier.pub.pem"))", certificate: "\(file("certifier.pem"))", certifies: {}}
                    """)
        }

        private func daemon(_ home: ResultHome) async throws -> TestDaemon {
            try await TestDaemon(
                home.home, addresses: 2, shell: "export SOFTHSM2_CONF=\(try #require(hsm.environment["SOFTHSM2_CONF"]))")
        }

        /// A result about a new phone; `nil` if there is none for the time being.
        private func result(_ home: ResultHome, _ client: FramedCaller) async throws -> String? {
            let challenge = try await client.call(
                API.issueChallenge, .with { ($0.app, $0.purpose) = ("camera", .register) })
            var request = try home.home.phone().registration(Array(challenge.challenge))
            request.results = [ResultRequest(shape: .earJWT, audience: ResultHome.audience)]
            let verdict = try await client.call(API.verify, request.message)
            #expect(verdict.outcome == "accepted")
            let result = try #require(verdict.results.first)
            if case .problem(let problem)? = result.outcome {
                #expect(problem.code == "results_unavailable")
                return nil
            }
            return result.text
        }

        private func keys(_ daemon: TestDaemon) async throws -> [UInt8] {
            try await ResultHome.get("/simulated/.well-known/jwks.json", at: daemon).body
        }

        @Test("A daemon signs on while the token is away, and another start signs by another key under the same published one")
        func outage() async throws {
            let home = try await home()
            let first = try await daemon(home)
            var client = try await FramedCaller(try first.address("tcp"))
            let published = try await keys(first)
            let before = try ResultHome.read(try #require(try await result(home, client)), as: .earJWT, by: published)
            let certifier = try #require(before.certifiedBy)
            try hsm.takeAway()
            let away = try ResultHome.read(try #require(try await result(home, client)), as: .earJWT, by: published)
            #expect(away.keyIdentifier == before.keyIdentifier && away.certifiedBy == certifier)
            await client.close()
            #expect(await first.stop().status == 0)

            // Without the token there is no new key in memory; verdicts are given.
            let second = try await daemon(home)
            client = try await FramedCaller(try second.address("tcp"))
            #expect(try await result(home, client) == nil)
            let status = try await Child.run(
                "assay", ["status", "--check"], environment: ["ASSAY_SERVER": try second.address("tcp")])
            #expect(status.out.contains("result_key_unavailable"), "\(status)")
            try hsm.bringBack()
            var token: String?
            try await eventually("the token is asked again", within: .seconds(150)) {
                token = try await result(home, client)
                return token != nil
            }
            let after = try ResultHome.read(try #require(token), as: .earJWT, by: published)
            #expect(after.certifiedBy == certifier && after.keyIdentifier != before.keyIdentifier)
            #expect(try await keys(second) == published)
            await client.close()
            let ending = await second.stop()
            #expect(ending.status == 0 && !ending.err.contains(SoftHSM.pin), "\(ending)")
        }
    }
}
