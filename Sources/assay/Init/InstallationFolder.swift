import AssayCore
import AssayEncoding
import AssayFiles
import AssayInstallation
import AssayProvisioning
import AssaySigning
import AssaySimulator
import AssayVirtualDevices
import Foundation

/// A configuration that was written.
struct WrittenConfiguration {
    let kind: PlannedConfiguration.Kind
    let file: String
}

/// The folder that `assay init` makes: one below it for each configuration, with all that the configuration names.
struct InstallationFolder {
    typealias File = PlannedConfiguration.File
    static let serial = "CAM-0001"

    let path: String
    let plan: InstallationPlan
    private let names: [TransportName]
    private let replaces: Bool

    init(_ path: String, _ plan: InstallationPlan, names: [TransportName], replaces: Bool) {
        (self.path, self.plan, self.names, self.replaces) = (path, plan, names, replaces)
    }

    /// A trial has no production.
    var kinds: [PlannedConfiguration.Kind] { plan.user == .trial ? [.test] : [.production, .test] }

    func folder(_ kind: PlannedConfiguration.Kind) -> String { path + "/" + kind.rawValue }
    func file(_ name: String, _ kind: PlannedConfiguration.Kind) -> String { folder(kind) + "/" + name }

    /// Whether a certificate is made for the daemon.
    private func makesCertificate(_ kind: PlannedConfiguration.Kind) -> Bool {
        plan.reach != .socket && (kind == .test || plan.serverCertificate == nil)
    }

    private var password: String? {
        guard case .database(let address, _) = plan.storage else { return nil }
        return address.password
    }

    /// What is to be done with what was made, for people.
    var notes: [String] {
        var notes: [String] = []
        if plan.reach != .socket {
            notes.append(
                "\(file(File.authorityKey, kinds[0])) signs certificates that callers trust: keep it where the daemon is not, and give callers "
                    + file(File.authority, kinds[0]))
        }
        if plan.user == .provisioning {
            notes.append(
                "take \(file(File.issuers, .production))/root.key and root.passphrase offline: they sign the next issuing CA")
        }
        return notes
    }

    // MARK: Writing

    /// What is written and replaced by ``write(at:)`` if it is there.
    private func own(_ kind: PlannedConfiguration.Kind) -> [String] {
        [File.configuration] + (makesCertificate(kind) ? [File.server, File.serverKey] : [])
            + (kind == .production && password != nil ? [File.password] : [])
    }

    /// Throws if a file that would be written exists, unless it may be replaced.
    func requireAbsent() throws(CredentialFileError) {
        guard !replaces else { return }
        for kind in kinds {
            for name in own(kind) where FileManager.default.fileExists(atPath: file(name, kind)) {
                throw CredentialFileError(
                    file(name, kind), "exists already, and nothing is written: name another folder, or replace it with --force")
            }
        }
    }

    /// The configurations come last: where one stands, what it names does too.
    func write(at now: Timestamp) async throws(CredentialFileError) -> [WrittenConfiguration] {
        for kind in kinds {
            try make(folder(kind))
            if plan.reach != .socket { try await writeTLS(kind, at: now) }
            if plan.user == .provisioning { try await writeIssuers(kind, at: now) }
        }
        if let password { try put(password + "\n", file(File.password, .production), mode: 0o600) }
        try makeDevices()
        for kind in kinds { try put(PlannedConfiguration(plan, kind).text, file(File.configuration, kind), mode: 0o644) }
        return kinds.map { WrittenConfiguration(kind: $0, file: file(File.configuration, $0)) }
    }

    private func make(_ folder: String) throws(CredentialFileError) {
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw CredentialFileError(folder, "cannot be made: \(error.localizedDescription)")
        }
    }

    /// Makes a file whole, or replaces it if it may be.
    private func put(_ text: String, _ path: String, mode: UInt32) throws(CredentialFileError) {
        if replaces { NewFile.remove(path) }
        do throws(NewFileError) { try NewFile.create(path, Array(text.utf8), mode: mode) } catch {
            throw CredentialFileError(path, error.description)
        }
    }

    // MARK: TLS

    private func writeTLS(_ kind: PlannedConfiguration.Kind, at now: Timestamp) async throws(CredentialFileError) {
        try make(folder(kind) + "/tls")
        let authority = try await transportAuthority(kind, at: now)
        guard makesCertificate(kind) else { return }
        let server: (certificate: [UInt8], key: SigningKey)
        do throws(AuthorityError) { server = try await authority.server(names, at: now) } catch {
            throw CredentialFileError(file(File.server, kind), "cannot be made: \(error)")
        }
        try put(PEM.encode(server.key.pkcs8, label: "PRIVATE KEY"), file(File.serverKey, kind), mode: 0o600)
        try put(PEM.encode(server.certificate), file(File.server, kind), mode: 0o644)
    }

    /// The one that is there, since callers trust it, or a new one.
    private func transportAuthority(
        _ kind: PlannedConfiguration.Kind, at now: Timestamp
    ) async throws(CredentialFileError) -> TransportAuthority {
        let (certificate, key) = (file(File.authority, kind), file(File.authorityKey, kind))
        if FileManager.default.fileExists(atPath: certificate), FileManager.default.fileExists(atPath: key) {
            let signer = try SigningKeyFile.read(key, passphrase: nil, allowsPlain: true, of: [.p256])
            do {
                let text = String(decoding: try BoundedFile.read(certificate, atMost: 64 << 10), as: UTF8.self)
                return TransportAuthority(certificate: try PEM.decode(text).first ?? [], key: signer)
            } catch {
                throw CredentialFileError(certificate, "is no CA that can be used: \(error)")
            }
        }
        let made: TransportAuthority
        do throws(AuthorityError) {
            made = try await TransportAuthority(name: "Assay \(kind.rawValue) CA", at: now)
        } catch {
            throw CredentialFileError(certificate, "cannot be made: \(error)")
        }
        try put(PEM.encode(made.key.pkcs8, label: "PRIVATE KEY"), key, mode: 0o600)
        try put(PEM.encode(made.certificate), certificate, mode: 0o644)
        return made
    }

    // MARK: A fleet

    /// CAs that are there are kept: devices have certificates of theirs.
    private func writeIssuers(_ kind: PlannedConfiguration.Kind, at now: Timestamp) async throws(CredentialFileError) {
        let folder = AuthorityFolder(file(File.issuers, kind))
        let (root, issuing) = (folder.files(of: AuthorityFolder.rootName), folder.files(of: "issuing-1"))
        guard !FileManager.default.fileExists(atPath: issuing.key) else { return }
        var plan = AuthorityPlan()
        (plan.organization, plan.name) = (self.plan.manufacturer, kind == .test ? "Test Device" : "Device")
        // In a test the passphrase stands beside the key, and more iterations protect nothing.
        _ = try await folder.initialize(
            plan, root: root, issuing: issuing, at: now,
            iterations: kind == .test ? 1000 : PasswordEncryption.iterations)
    }

    // MARK: Virtual devices

    /// Devices that are there are kept: the test's ledger may know them.
    private func makeDevices() throws(CredentialFileError) {
        do {
            if plan.user == .provisioning { return try makeCamera() }
            if let iOS = plan.iOS, !has(File.phone) {
                _ = try PhoneFolder(path: file(File.phone, .test)).make { VirtualPhone(authority: $0, appID: iOS.appID) }
            }
            if let android = plan.android, let signer = android.signers.first, !has(File.android) {
                _ = try AndroidFolder(path: file(File.android, .test)).make(
                    {
                        VirtualAndroid(
                            authority: $0, application: AttestedApplicationDraft(android.package, signer: signer),
                            level: .strongBox)
                    }, kind: .p256)
            }
        } catch let error as CredentialFileError {
            throw error
        } catch {
            throw CredentialFileError(folder(.test), "gets no virtual device: \(error)")
        }
    }

    private func makeCamera() throws {
        guard !has(File.camera) else { return }
        let camera = VirtualCamera(serial: Self.serial)
        try CameraFolder(path: file(File.camera, .test)).save(camera)
        try put(
            PEM.encode(try camera.certificateRequest(), label: "CERTIFICATE REQUEST"),
            file(File.camera, .test) + "/request.pem",
            mode: 0o644)
    }

    private func has(_ device: String) -> Bool { FileManager.default.fileExists(atPath: file(device, .test)) }
}
