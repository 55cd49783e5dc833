import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayHTTP
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import Synchronization
import Testing

@testable import AssayDaemon
@testable import DaemonTesting

extension ProcessTests {
    /// What a listener over HTTP serves of the CAs, as a composed daemon has it.
    @Suite("Files of the CAs")
    struct AuthorityFileTests {
        private struct Running {
            static let peer = RPCPeer.tcp(address: "192.0.2.1", port: 1, isLoopback: false)

            let home: ProvisioningHome
            let clock: FixedClock
            let daemon: Daemon
            let reloader: Reloader
            let client: AssayClient

            init() async throws {
                let home = try await ProvisioningHome()
                self.home = home
                // Not before the CA was made, which signs nothing earlier.
                clock = FixedClock(SystemClock().now())
                let path = home.home.configuration
                let configuration = try Configuration.load(path)
                daemon = try await makeDaemon(
                    configuration, ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)),
                    clock: clock, logger: .silent)
                reloader = Reloader(
                    running: configuration.fixed, read: { try Configuration.load(path) }, steps: daemon.reloadSteps,
                    problem: daemon.reloadProblem, logger: .silent)
                client = try await AssayClient.connect(
                    to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
            }

            func file(_ name: String) async -> HTTPFile? {
                try? await daemon.parts.authorities.files.file(
                    HTTPFileRequest(path: "/v1/authorities/" + name, peer: Self.peer))
            }

            func end() async {
                await client.close()
                await daemon.server.stop()
            }
        }

        private func tag(_ bytes: [UInt8]) -> String {
            "\"\(Hex.encode(Array(SHA256.hash(data: Data(bytes)).prefix(16))))\""
        }

        @Test("A CA's certificate and list are the bytes that the methods answer, for any peer")
        func content() async throws {
            let running = try await Running()
            let authority = try #require(try await running.client.authorities().first)
            let certificate = try #require(await running.file("issuing-1.cer"))
            #expect(certificate.body == authority.chain.first.map { Array($0) })
            #expect(certificate.contentType == "application/pkix-cert" && certificate.maxAge == .seconds(3600))
            #expect(certificate.etag == tag(certificate.body))

            let list = try #require(await running.file("issuing-1.crl"))
            let answered = try await running.client.revocationList()
            #expect(list.body == Array(answered.list))
            #expect(list.contentType == "application/pkix-crl" && list.maxAge == .seconds(3600))
            #expect(list.etag == tag(list.body))
            await running.end()
        }

        @Test("A list has what was revoked since within a second, and another tag")
        func revoked() async throws {
            let running = try await Running()
            let key = try await OpenSSLKey()
            let issued = try await running.home.issue(to: running.home.home.phone(), key, running.client)
            let before = try #require(await running.file("issuing-1.crl"))
            _ = try await running.client.revoke(
                serial: Array(issued.certificate.serial), app: running.home.photos, reason: .keyCompromise)
            running.clock.advance(milliseconds: 1000)
            let after = try #require(await running.file("issuing-1.crl"))
            #expect(after.body != before.body && after.etag != before.etag)
            #expect(try await OpenSSL.text(list: Data(after.body)).contains("Key Compromise"))
            await running.end()
        }

        @Test("A cache keeps a list no longer than until its next update")
        func age() async throws {
            let running = try await Running()
            // Lists are signed for five minutes, and again in the last minute.
            try running.home.edit(
                "revocation_lists: {directory: lists}", "revocation_lists: {directory: lists, validity: 5m, renew_before: 1m}")
            let problem = await running.reloader.reload()
            #expect(problem == nil)
            let new = try #require(await running.file("issuing-1.crl"))
            #expect(new.maxAge == .seconds(300))
            running.clock.advance(milliseconds: 60_500)
            let kept = try #require(await running.file("issuing-1.crl"))
            #expect(kept.body == new.body && kept.maxAge == .seconds(239))
            running.clock.advance(milliseconds: 214_500)
            let next = try #require(await running.file("issuing-1.crl"))
            #expect(next.body != new.body && next.maxAge == .seconds(300))
            await running.end()
        }

        @Test("A reload replaces the CAs, and the next one has a certificate before it has a list")
        func reload() async throws {
            let running = try await Running()
            let home = running.home
            #expect(await running.file("issuing-2.cer") == nil)
            let made = try await Child.run("assay", ["ca", "next", home.folder.file("ca")])
            #expect(made.status == 0, "\(made)")
            let first = "passphrase_file: ca/issuing-1.passphrase}"
            let later = SystemClock().now().adding(milliseconds: 3_600_000)
            try home.edit(
                first,
                first + """

                        - {name: issuing-2, certificate: ca/issuing-2.pem, key: ca/issuing-2.key, passphrase_file: ca/issuing-2.passphrase, signs_from: "\(later)"}
                    """)
            let problem = await running.reloader.reload()
            #expect(problem == nil)
            let authority = try #require(try await running.client.authorities().first { $0.name == "issuing-2" })
            let certificate = try #require(await running.file("issuing-2.cer"))
            #expect(certificate.body == authority.chain.first.map { Array($0) })
            #expect(await running.file("issuing-2.crl") == nil, "it has not signed")
            #expect(await running.file("issuing-1.crl") != nil)
            await running.end()
        }

        @Test("Other paths have no file")
        func others() async throws {
            let running = try await Running()
            let files = running.daemon.parts.authorities.files
            for path in ["/v1/authorities/issuing-1.cer", "/v1/authorities/issuing-1.crl", "/v1/authorities/none.crl"] {
                #expect(files.serves(path), "\(path)")
            }
            for path in [
                "", "/", "/v1/authorities/", "/v1/authorities/.cer", "/v1/authorities/issuing-1",
                "/v1/authorities/issuing-1.pem",
                "/v1/authorities/issuing-1.CRL", "/v1/attestation/verify", "/openapi.json",
            ] {
                #expect(!files.serves(path), "\(path)")
                #expect(try await files.file(HTTPFileRequest(path: path, peer: Running.peer)) == nil, "\(path)")
            }
            for name in ["none.cer", "../issuing-1.cer", "issuing-1/.crl", "issuing-1.cer.cer", "issuing-1%2ecrl.crl"] {
                #expect(await running.file(name) == nil, "\(name)")
            }
            await running.end()
        }
    }

    @Suite("Revocation lists of a moment ago")
    struct RecentRevocationListTests {
        private static let issuer = [UInt8](repeating: 7, count: 32)

        private static func list(_ number: Int64) -> StoredRevocationList {
            StoredRevocationList(
                issuer: issuer, number: number, thisUpdate: Timestamp(unixSeconds: 0), nextUpdate: Timestamp(unixSeconds: 1000),
                revocationCount: 0, der: [1])
        }

        @Test("The ledger is asked once a second, and the last list is given while it does not answer")
        func once() async throws {
            let source = Source()
            let lists = RecentRevocationLists { _ in try source.read() }
            var now = Timestamp(unixSeconds: 10)
            #expect(await lists.list(of: Self.issuer, at: now)?.number == 1)
            #expect(await lists.list(of: Self.issuer, at: now.adding(milliseconds: 999))?.number == 1)
            now = now.adding(milliseconds: 1000)
            #expect(await lists.list(of: Self.issuer, at: now)?.number == 2)
            source.fails.withLock { $0 = true }
            now = now.adding(milliseconds: 1000)
            #expect(await lists.list(of: Self.issuer, at: now)?.number == 2)
            #expect(await lists.list(of: [8], at: now) == nil)
            source.fails.withLock { $0 = false }
            #expect(await lists.list(of: Self.issuer, at: now.adding(milliseconds: 1000))?.number == 5)
        }

        private final class Source: Sendable {
            let count = Mutex(Int64(0))
            let fails = Mutex(false)

            func read() throws -> StoredRevocationList {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard !fails.withLock({ $0 }) else { throw CancellationError() }
                return RecentRevocationListTests.list(number)
            }
        }
    }
}
