import AssayPostgres
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The manifests for Kubernetes and the files for containers. Schemas are compared by `make package-test`.
    @Suite("Deployment files")
    struct DeploymentTests {
        private let folder: TemporaryFolder
        private static let places = [
            "etc/assay/tls", "var/lib/assay", "var/lib/assay-marker", "run/assay", "run/credentials/assay", "run/secrets",
        ]

        init() throws {
            folder = try TemporaryFolder()
            for place in Self.places {
                try FileManager.default.createDirectory(atPath: folder.file(place), withIntermediateDirectories: true)
            }
            let authority = try TestTLSAuthority("callers' CA")
            let server = try authority.issue(.server, names: [.dns("assay.example.org")])
            for (place, certificate, key, callers) in [
                ("etc/assay/tls/", "server.pem", "server.key", "callers-ca.pem"),
                ("etc/assay/tls/", "tls.crt", "tls.key", "ca.crt"),
                ("run/secrets/", "server.pem", "server.key", "callers-ca.pem"),
            ] {
                try folder.write(authority.pem, to: place + callers)
                try folder.write(server.certificate, to: place + certificate)
                try folder.write(server.privateKey, to: place + key)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(place + key))
            }
        }

        /// The finding codes of a configuration, whose places are moved below the folder.
        private func findings(_ text: String) async throws -> [String] {
            // The daemon's user is the caller at the socket.
            var text = text.replacing(/0\.0\.0\.0:[0-9]+/, with: "127.0.0.1:0")
                .replacing("unix_user: 65532", with: "unix_user: \(getuid())")
            for place in ["/etc/assay", "/var/lib/assay", "/run/assay", "/run/credentials", "/run/secrets"] {
                text = text.replacing(place, with: folder.path + place)
            }
            let path = try folder.write(text, to: "etc/assay/assayd.yaml")
            let ending = try await Child.run("assayd", ["check-config", "--json", path])
            #expect(ending.status == 0, "\(ending)")
            let object = try #require(JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
            return try #require(object["findings"] as? [[String: Any]]).compactMap { $0["code"] as? String }
        }

        /// The configuration in the manifests' ConfigMap.
        private func mapped(_ file: String = "assay.yaml") throws -> String {
            let manifests = try Package.text("deploy/kubernetes/" + file).split(
                separator: "\n", omittingEmptySubsequences: false)
            let begin = try #require(manifests.firstIndex { $0.hasSuffix("assayd.yaml: |") }) + 1
            return manifests[begin...].prefix { $0.hasPrefix("    ") || $0.isEmpty }.map { String($0.dropFirst(4)) }
                .joined(separator: "\n")
        }

        @Test("The configurations for the container and for Kubernetes can be used as they are")
        func configurations() async throws {
            #expect(try await findings(Package.text("deploy/container/assayd.yaml")).isEmpty)
            var text = try mapped()
            #expect(
                text.contains("key_file: /run/credentials/assay/ledger.key") && text.contains("open_to_the_network: [probes]"))
            // The operations address has its page where the daemon has it.
            if !FileManager.default.fileExists(atPath: Package.path("docs/reference/configuration/operate.md")) {
                text = text.replacing(/operate:\n( .*\n)*/, with: "")
            }
            let codes = try await findings(text)
            #expect(
                codes.allSatisfy { $0.contains("operat") || $0.contains("probe") || $0 == "new_ledger_declared" },
                "opening probes is warned of, and nothing else: \(codes)")
        }

        /// The findings of a configuration for the deployment's database, on a database of the tests' server.
        private func findingsOnDatabase(_ text: String, password: String) async throws -> [String] {
            let settings = try TestServer.shared.get().database()
            try folder.write("a password", to: password)
            // Root's, and readable by the pod's group, as a secret's file is.
            try FileManager.default.setAttributes(
                [.posixPermissions: getuid() == 0 ? 0o440 : 0o400], ofItemAtPath: folder.file(password))
            return try await findings(
                text.replacing(/hosts: \[[^\]]*\]/, with: "hosts: [\"\(settings.hosts[0].name):\(settings.hosts[0].port)\"]")
                    .replacing("database: assay\n", with: "database: \(settings.database)\n")
                    .replacing("user: assay\n", with: "user: \(settings.user)\n")
                    .replacing(/[ ]+ca: .*\n/, with: "")
                    .replacing("require_standby: true", with: "require_standby: false"))
        }

        @Test("The configuration of three replicas can be used on a database", .needsServer)
        func replicas() async throws {
            let codes = try await findingsOnDatabase(
                mapped("shared/shared.yaml"), password: "run/credentials/assay/database-password")
            #expect(
                codes.allSatisfy { $0.contains("operat") || $0.contains("probe") || $0 == "new_ledger_declared" }, "\(codes)")
        }

        @Test("The configuration of the daemons in the compose file can be used on a database", .needsServer)
        func composedDaemons() async throws {
            let codes = try await findingsOnDatabase(
                Package.text("deploy/compose/assayd.yaml"), password: "run/secrets/database-password")
            #expect(codes.allSatisfy { $0.contains("operat") || $0.contains("probe") }, "\(codes)")
        }

        @Test(
            "The servers of the compose file are made, promoted and rebuilt by their script, and the daemons go on",
            .enabled(if: Python.path != nil))
        func composedServers() async throws {
            let programs = URL(fileURLWithPath: try Child.built("assayd")).deletingLastPathComponent().path
            // 77: PostgreSQL or HAProxy is missing.
            let ending = try await Child(
                try #require(Python.path), ["-B", Package.path("deploy/tests/test_compose.py"), programs],
                within: .seconds(1500)
            ).ending()
            if ending.status == 77 { return print(ending.out) }
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.lines.last?.contains("lose nothing") == true, "\(ending)")
        }

        @Test("The servers' pods may do nothing but their task, and never share a node")
        func databasePods() throws {
            let manifests = try Package.text("deploy/kubernetes/postgresql.yaml")
            for line in [
                "replicas: 2", "maxUnavailable: 1", "runAsNonRoot: true", "readOnlyRootFilesystem: true",
                "allowPrivilegeEscalation: false", "drop: [ALL]", "type: RuntimeDefault", "automountServiceAccountToken: false",
                "requiredDuringSchedulingIgnoredDuringExecution:", "publishNotReadyAddresses: true",
                "policyTypes: [Ingress, Egress]", "accessModes: [ReadWriteOncePod]",
            ] { #expect(manifests.contains(line), "\(line)") }
            #expect(!manifests.contains("kind: Secret\n"))
            // The daemons connect to these pods.
            let hosts = try mapped("shared/shared.yaml").contains("hosts: [postgres-0.postgres, postgres-1.postgres]")
            #expect(hosts && manifests.contains("serviceName: postgres\n"))
        }

        @Test("The pods of the replicas differ from the single one in what a shared ledger needs")
        func replicaPods() throws {
            let manifests = try Package.text("deploy/kubernetes/shared/shared.yaml")
            for line in [
                "replicas: 3", "maxUnavailable: 1", "runAsNonRoot: true", "readOnlyRootFilesystem: true", "drop: [ALL]",
                "require_standby: true", "port: 5432", "topologySpreadConstraints:",
            ] { #expect(manifests.contains(line), "\(line)") }
            #expect(!manifests.contains("writer: assay") && !manifests.contains("kind: Secret\n"))
        }

        @Test(
            "A kustomization makes each secret that the pods mount, of files that no repository holds",
            arguments: [("", "assay.yaml"), ("shared/", "shared.yaml")])
        func kustomization(_ place: String, _ file: String) throws {
            let text = try Package.text("deploy/kubernetes/\(place)kustomization.yaml")
            let manifests = try Package.text("deploy/kubernetes/" + place + file)
            #expect(text.contains("resources:\n  - \(file)\n") && text.contains("disableNameSuffixHash: true"))
            let made = text.matches(of: /- name: (assay-[a-z-]+)\n    files: \[(.*)\]/)
            let mounted = Set(manifests.matches(of: /secretName: (.*)\n/).map { String($0.1) })
            #expect(Set(made.map { String($0.1) }) == mounted && !mounted.isEmpty)
            let ignored = try Package.text("deploy/kubernetes/.gitignore").split(separator: "\n")
            for file in made.flatMap({ $0.2.split(separator: ", ") }).compactMap({ $0.split(separator: "=").last }) {
                #expect(
                    ignored.contains(file) || ignored.contains { $0.hasPrefix("*") && file.hasSuffix($0.dropFirst()) },
                    "\(file)")
            }
            // Each key that a subPath takes is made.
            for key in manifests.matches(of: /subPath: (.*)\n/).map(\.1) where key != "assayd.yaml" {
                #expect(
                    made.contains { $0.2.split(separator: ", ").contains { $0.split(separator: "=").first == key } }, "\(key)")
            }
            #expect(manifests.contains("newTag") == false && manifests.contains("image: registry.example.org/assay:"))
            #expect(text.contains("- name: registry.example.org/assay\n"))
        }

        @Test("The single pod's marker is on another volume than its ledger")
        func marker() throws {
            let manifests = try Package.text("deploy/kubernetes/assay.yaml")
            let text = try mapped()
            #expect(text.contains("path: /var/lib/assay/ledger.db") && text.contains("marker: /var/lib/assay-marker/ledgers"))
            for volume in [
                "ledger\n              mountPath: /var/lib/assay\n", "marker\n              mountPath: /var/lib/assay-marker\n",
            ] {
                #expect(manifests.contains("- name: " + volume))
            }
            #expect(manifests.matches(of: /accessModes: \[ReadWriteOncePod\]/).count == 2)
        }

        @Test("The pod may do nothing but its task, and there is one of it")
        func pod() throws {
            let manifests = try Package.text("deploy/kubernetes/assay.yaml")
            for line in [
                "replicas: 1", "runAsNonRoot: true", "readOnlyRootFilesystem: true", "allowPrivilegeEscalation: false",
                "drop: [ALL]", "type: RuntimeDefault", "automountServiceAccountToken: false", "path: /readyz", "path: /livez",
                "pod-security.kubernetes.io/enforce: restricted", "accessModes: [ReadWriteOncePod]",
                "policyTypes: [Ingress, Egress]",
            ] { #expect(manifests.contains(line), "\(line)") }
            #expect(
                !manifests.contains("privileged: true") && !manifests.contains("hostNetwork") && !manifests.contains("hostPath")
            )
            // No secret is in a file: commands make them.
            #expect(!manifests.contains("kind: Secret\n"))
        }

        @Test("The image runs as a user without rights, from a tarball, and says how its health is asked")
        func container() throws {
            let lines = try Package.text("deploy/container/Containerfile").split(separator: "\n").map(String.init)
            #expect(lines.contains("USER 65532:65532") && lines.contains { $0.hasPrefix("HEALTHCHECK ") })
            #expect(lines.contains { $0.hasPrefix("VOLUME ") && $0.contains("/var/lib/assay") })
            #expect(!lines.contains { $0.hasPrefix("RUN ") && $0.contains("curl") }, "nothing is fetched but the base")
        }
    }
}
