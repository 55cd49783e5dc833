import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import AssayFiles
import AssaySimulator
import AssayVirtualDevices
import Foundation
import ServiceLifecycle

/// What `assayd dev` does with its devices once the daemon listens: it registers the first phone, provisions the camera, says what can be
/// pasted, and keeps an upload of the phone ready as long as the daemon runs.
struct DevSession: Sendable {
    /// The lifetime of the upload's challenge, which is the longest that there is.
    private static let lifetime = Duration.seconds(3600)

    private let folder: DevFolder
    private let ledger: any DeviceFacts
    private let follow: @Sendable (DevPorts) -> Void
    /// The apps of the folder's configuration.
    private let (photos, cameras): (AppID, AppID)

    /// - Parameters:
    ///   - ledger: tells whether the upload was sent.
    ///   - follow: called once everything is said.
    init(
        folder: DevFolder, ledger: any DeviceFacts, follow: @escaping @Sendable (DevPorts) -> Void
    ) throws(StartupError) {
        guard let photos = AppID("photos"), let cameras = AppID("cameras") else { throw StartupError("no names of apps") }
        (self.folder, self.ledger, self.follow) = (folder, ledger, follow)
        (self.photos, self.cameras) = (photos, cameras)
    }

    /// Returns at graceful shutdown. Throws what the client says, or `StartupError` if the daemon refuses a device.
    func run(at ports: DevPorts) async throws {
        try await cancelWhenGracefulShutdown {
            let client = try AssayClient(address: ports.server)
            do {
                try await prepare(client, ports)
            } catch {
                await client.close()
                // What is under way when the daemon is stopped fails.
                guard !Task.isCancelled else { return }
                throw error
            }
            await client.close()
        }
    }

    private func prepare(_ client: AssayClient, _ ports: DevPorts) async throws {
        try await register(client)
        try await provision(client)
        var upload = try await writeUpload(client)
        try? FileHandle.standardOutput.write(contentsOf: Data(DevText(folder: folder, ports: ports).text.utf8))
        follow(ports)
        while !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(100))
            let counter = try await ledger.device(upload.device)?.counter ?? 0
            // Sent, or soon too old: what is pasted next is a new one.
            guard counter >= upload.counter || upload.written.duration(to: .now) > Self.lifetime / 2 else { continue }
            upload = try await writeUpload(client)
        }
    }

    // MARK: The phone

    private func register(_ client: AssayClient) async throws {
        let key = try folder.phone.readKey()
        let challenge = try await client.issueChallenge(app: photos, purpose: .register).bytes
        let data = try Self.clientData(.register, challenge)
        let attestation = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
        let verdict = try await client.verify(
            VerificationRequest(
                app: photos, purpose: .register, challenge: challenge,
                evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: attestation)]))
        guard verdict.decision == .accepted else {
            throw StartupError("the virtual phone is not registered: \(verdict.reason)")
        }
    }

    /// An upload that lies ready.
    private struct Upload {
        let device: DeviceKey
        /// That of its assertion.
        let counter: UInt32
        let written: ContinuousClock.Instant
    }

    /// Lets the phone sign the photo over a new challenge, and replaces the request in the file.
    private func writeUpload(_ client: AssayClient) async throws -> Upload {
        let challenge = try await client.issueChallenge(app: photos, purpose: .assert, timeToLive: Self.lifetime).bytes
        // Read each time: the phone may sign elsewhere too.
        var key = try folder.phone.readKey()
        let payload = try Array(Data(contentsOf: URL(fileURLWithPath: folder.photo)))
        let data = try Self.clientData(.assert, challenge, payload)
        let assertion = try key.assert(clientDataHash: data.hash)
        try folder.phone.save(key)
        let request = VerificationRequest(
            app: photos, purpose: .assert, challenge: challenge,
            evidence: [Evidence(format: .appAttestAssertion, keyID: key.keyID, body: assertion)],
            binding: .clientData(payloadHash: data.payloadHash))
        try ReplacedFile.write(folder.upload, try request.json())
        return Upload(
            device: DeviceKey(app: photos, keyID: key.keyID), counter: key.counter, written: .now)
    }

    private static func clientData(
        _ purpose: Purpose, _ challenge: [UInt8], _ payload: [UInt8]? = nil
    ) throws(StartupError) -> ClientData {
        let hash = payload.map { ClientData.payloadHash($0) }
        guard let data = ClientData(purpose: purpose, challenge: challenge, payloadHash: hash) else {
            throw StartupError("the daemon's challenge has a wrong length")
        }
        return data
    }

    // MARK: The camera

    /// Puts the camera's serial number on the allow-list, has a certificate issued, and lets the camera sign the photo.
    private func provision(_ client: AssayClient) async throws {
        _ = try await client.addEnrolments(app: cameras, serials: [DevFolder.serial])
        let camera = try folder.camera.read()
        let answer = try await client.provisionDevice(
            FleetDeviceRequest(app: cameras, serial: camera.serial, csr: try camera.certificateRequest()))
        guard !answer.hasRejection else {
            throw StartupError("the virtual camera gets no certificate: \(answer.rejection.reason)")
        }
        let certificate = Array(answer.deviceCertificate)
        try folder.camera.write(certificate: certificate)
        let photo = try Array(Data(contentsOf: URL(fileURLWithPath: folder.photo)))
        let bundle = try camera.bundle(
            imageHash: ClientData.payloadHash(photo), certificate: certificate, at: SystemClock().now())
        try ReplacedFile.write(folder.bundle, bundle)
    }
}
