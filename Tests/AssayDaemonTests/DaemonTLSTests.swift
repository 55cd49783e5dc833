import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Daemon with TLS")
    struct DaemonTLSTests {
        private func expect(
            _ code: AssayError.Code, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation,
            _ work: () async throws -> Void
        ) async {
            let error = await #expect(throws: AssayError.self, sourceLocation: sourceLocation) { try await work() }
            #expect(
                error?.code == code && error?.reason == reason, "\(String(describing: error))", sourceLocation: sourceLocation)
        }

        @Test("Two callers have their own rights, and an unknown certificate of the same CA has none")
        func rights() async throws {
            let tls = try TLSHome()
            let daemon = try await TestDaemon(tls.home)
            let other = try #require(AppID("other"))

            let uploads = try await tls.connect(to: daemon, tls.files(.uri(TLSHome.uploads)))
            var phone = tls.home.phone()
            #expect(try await phone.register(uploads).outcome == "accepted")
            #expect(try await phone.upload(uploads).outcome == "accepted")
            await expect(.permissionDenied, "permission_denied") { _ = try await uploads.status() }
            await expect(.permissionDenied, "permission_denied") { _ = try await phone.challenge(.provision, uploads) }
            await expect(.permissionDenied, "permission_denied") {
                _ = try await uploads.issueChallenge(app: other, purpose: .assert)
            }
            await uploads.close()

            let monitoring = try await tls.connect(to: daemon, tls.files(.dns(TLSHome.monitoring)))
            #expect(try await monitoring.status().apps.count == 2)
            await expect(.permissionDenied, "permission_denied") { _ = try await phone.challenge(.assert, monitoring) }
            await monitoring.close()

            for stranger in [
                try tls.files(), try tls.files(.uri(TLSHome.uploads + "/")), try tls.files(.dns("*.example.org")),
                try tls.files(.uri(TLSHome.uploads), .dns(TLSHome.monitoring)),
            ] {
                let client = try await tls.connect(to: daemon, stranger)
                await expect(.permissionDenied, "permission_denied") { _ = try await client.status() }
                await expect(.permissionDenied, "permission_denied") { _ = try await phone.challenge(.assert, client) }
                await client.close()
            }
            let foreign = try tls.files(.uri(TLSHome.uploads), from: TestTLSAuthority("caller CA"))
            await expect(.unavailable, "connect_failed") { _ = try await tls.connect(to: daemon, foreign) }
            #expect(await daemon.stop().status == 0)
        }

        @Test("The command line connects with options or environment")
        func commandLine() async throws {
            let tls = try TLSHome()
            try tls.home.leaveTheDiskAlone()
            let daemon = try await TestDaemon(tls.home)
            let address = try daemon.address("tls")
            let files = try tls.files(.dns(TLSHome.monitoring))
            let options = ["--tls-ca", files.ca, "--tls-cert", files.certificate, "--tls-key", files.key]
            let status = try await Child.run("assay", ["status", "--server", address] + options)
            #expect(status.status == 0, "\(status)")
            let environment = [
                "ASSAY_SERVER": address, "ASSAY_TLS_CA": files.ca, "ASSAY_TLS_CERT": files.certificate,
                "ASSAY_TLS_KEY": files.key,
            ]
            #expect(try await Child.run("assay", ["status"], environment: environment).status == 0)

            let well = try await Child.run("assay", ["status", "--check"], environment: environment)
            #expect(well.status == 0 && well.out == "good\n", "\(well)")
            let soon = try tls.serverCA.issue(
                .server, names: [.ipAddress([127, 0, 0, 1])], notAfter: SystemClock().now().adding(milliseconds: 2 * 86_400_000)
            )
            try tls.folder.write(soon.certificate, to: "server.pem")
            try tls.folder.write(soon.privateKey, to: "server.key")
            daemon.child.signal(SIGHUP)
            try await said("certificates are loaded", by: daemon)
            let ending = try await Child.run("assay", ["status", "--check"], environment: environment)
            #expect(ending.status == 1 && ending.out.hasPrefix("certificate_expires_soon: "), "\(ending)")
            #expect(ending.lines.count == 1 && ending.out.contains(tls.folder.file("server.pem")))

            let denied = try await Child.run(
                "assay", ["challenge", "--app", "camera", "--purpose", "assert"], environment: environment)
            #expect(denied.status == 77)
            let misnamed = try await Child.run("assay", ["status", "--server-name", "other"], environment: environment)
            #expect(misnamed.status == 69 && misnamed.err.contains("does not have the name other"), "\(misnamed)")
            let without = try await Child.run("assay", ["status", "--server", address])
            #expect(without.status == 65 && without.err.contains("credentials_required"))
            #expect(without.err.contains("; not given: --tls-ca (ASSAY_TLS_CA), --tls-cert"), "\(without)")
            let swapped = try await Child.run("assay", ["status", "--tls-key", files.ca], environment: environment)
            #expect(swapped.status == 65 && swapped.err.contains("no private key in PEM"))
            for option in ["--tls-cert", "--tls-key", "--tls-ca", "--key-file"] {
                let missing = try await Child.run("assay", ["status", option, "nowhere.pem"], environment: environment)
                let why = "nowhere.pem: the file cannot be read: there is no such file"
                #expect(missing.status == 65 && missing.err.contains(why), "\(option) \(missing)")
                let folder = try await Child.run("assay", ["status", option, "/"], environment: environment)
                #expect(folder.status == 65 && folder.err.contains("/: the file cannot be read: it is a folder"), "\(folder)")
                let empty = try await Child.run("assay", ["status", option, "/dev/null"], environment: environment)
                #expect(empty.status == 65 && empty.err.contains("/dev/null: the file is empty"), "\(empty)")
            }
            let plain = try await Child.run(
                "assay", ["status", "--server", address.replacing("tls:", with: "tcp:"), "--timeout", "20"])
            #expect(plain.status == 69)
            #expect(await daemon.stop().status == 0)
        }

        @Test("SIGHUP loads new certificates without dropping a connection, and refuses bad ones")
        func reload() async throws {
            let tls = try TLSHome()
            let daemon = try await TestDaemon(tls.home)
            let before = try await tls.connect(to: daemon, tls.files(.dns(TLSHome.monitoring)))
            _ = try await before.status()
            let removed = try tls.files(.dns(TLSHome.monitoring))

            // A bad file first: nothing changes, and the log gives the reason.
            try tls.folder.write("no certificate", to: "caller-ca.pem")
            daemon.child.signal(SIGHUP)
            try await said("the configuration is refused", by: daemon)
            #expect(daemon.child.err.contains("caller-ca.pem: no certificate in PEM"))
            await (try await tls.connect(to: daemon, removed)).close()

            let (newServerCA, newCallerCA) = (try TestTLSAuthority("new server CA"), try TestTLSAuthority("new caller CA"))
            let server = try newServerCA.issue(.server, names: [.ipAddress([127, 0, 0, 1])])
            try tls.folder.write(newServerCA.pem, to: "new-server-ca.pem")
            try tls.folder.write(tls.callerCA.pem + newCallerCA.pem, to: "caller-ca.pem")
            try tls.folder.write(server.certificate, to: "server.pem")
            try tls.folder.write(server.privateKey, to: "server.key")
            daemon.child.signal(SIGHUP)
            try await said("certificates are loaded", by: daemon)

            _ = try await before.status()
            let after = try await tls.connect(
                to: daemon, tls.files(.dns(TLSHome.monitoring), from: newCallerCA, trusting: "new-server-ca.pem"))
            _ = try await after.status()
            _ = try await before.status()
            await before.close()
            #expect(!daemon.child.err.contains("CAs of callers were taken out"))

            try tls.folder.write(newCallerCA.pem, to: "caller-ca.pem")
            daemon.child.signal(SIGHUP)
            try await said("CAs of callers were taken out authorities=1", by: daemon)
            let (_, certificate, key) = removed
            await expect(.unavailable, "connect_failed") {
                _ = try await tls.connect(to: daemon, (tls.folder.file("new-server-ca.pem"), certificate, key))
            }
            await expect(.unavailable, "connect_failed") {
                _ = try await tls.connect(to: daemon, tls.files(.dns(TLSHome.monitoring), from: newCallerCA))
            }
            await after.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("The daemon does not start with unusable certificates")
        func unusable() async throws {
            let tls = try TLSHome()
            let old = try tls.serverCA.issue(.server, names: [], notAfter: Timestamp(unixSeconds: 1_600_000_000))
            try tls.folder.write(old.certificate, to: "server.pem")
            try tls.folder.write(old.privateKey, to: "server.key")
            for command in [["check-config", tls.home.configuration], ["--config", tls.home.configuration]] {
                let ending = try await Child.run("assayd", command)
                #expect(
                    ending.status == 65 && ending.err.contains("server.pem: the certificate expired 2020-09-13"), "\(ending)")
            }
        }

        @Test("Callers that cannot be recognised are warned of at start and by check-config")
        func ugly() async throws {
            let home = try TestHome(
                listen: ["tcp: 0.0.0.0:0"], callers: "{i_accept_unauthenticated_callers_from_the_network: true}")
            let warning = "i_accept_unauthenticated_callers_from_the_network: whoever reaches a TCP address"
            #expect(
                try await Child.run("assayd", ["check-config", home.configuration]).out.contains(
                    "  warning (intended): line 3: " + warning))
            let daemon = try await TestDaemon(home)
            #expect(daemon.child.err.contains(warning))
            #expect(await daemon.stop().status == 0)
        }

        /// Waits until the daemon's log contains the text.
        private func said(_ words: String, by daemon: TestDaemon) async throws {
            while !daemon.child.err.contains(words) {
                try #require(daemon.child.isRunning)
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}
