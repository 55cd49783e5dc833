import AssayAPI
import AssayClient
package import AssayCore
package import AssaySimulator
import Synchronization

/// The virtual devices of a load, which are registered before it, and its operations.
package final class LoadDevices: Sendable {
    /// A step of the preparation, with how many devices are through with it.
    package typealias Progress = @Sendable (_ step: String, _ done: Int, _ total: Int) -> Void

    /// Who makes the devices' evidence, and for which app.
    package struct Makers: Sendable {
        package var app: AppID
        package var phone: VirtualPhone?
        package var android: VirtualAndroid?
        /// The app of the cameras.
        package var cameraApp: AppID

        package init(app: AppID, phone: VirtualPhone?, android: VirtualAndroid?, cameraApp: AppID) {
            (self.app, self.phone, self.android, self.cameraApp) = (app, phone, android, cameraApp)
        }
    }

    /// Devices that are registered at a time.
    private static let atOnce = 32
    /// Serial numbers of one request.
    private static let enrolledAtOnce = 500

    private let makers: Makers
    private let clients: LoadClients
    private let progress: Progress
    package let challenges = PreparedChallenges()
    /// Registered before the load.
    private let registered = Mutex<[DeviceID]>([])
    /// Tell what the load itself registered.
    private let registering = Mutex<[@Sendable () -> [DeviceID]]>([])

    package init(_ makers: Makers, _ clients: LoadClients, progress: @escaping Progress) {
        (self.makers, self.clients, self.progress) = (makers, clients, progress)
    }

    /// The operations of a mix, ready to run. Registers devices, and lets each make its first request.
    ///
    /// - Parameter count: devices of each kind.
    package func operations(_ kinds: [LoadKind], devices count: Int) async throws(LoadError) -> [any LoadOperation] {
        do {
            var operations: [any LoadOperation] = []
            for kind in kinds { operations.append(try await operation(kind, count)) }
            challenges.reset()
            return operations
        } catch {
            throw LoadError(error)
        }
    }

    private func operation(_ kind: LoadKind, _ count: Int) async throws -> any LoadOperation {
        switch kind {
        case .challenge: return ChallengeOperation(app: makers.app, clients: clients)
        case .assertion:
            let phones = try await register(kind, (0..<count).map { _ in RegisteringPhone(phone: try phone) })
            return try await filled(kind, phones.compactMap { $0.key.map(UploadingPhone.init) })
        case .attestation: return try await filled(kind, (0..<count).map { _ in RegisteringPhone(phone: try phone) })
        case .keySignature:
            let androids = try await register(kind, (0..<count).map { _ in RegisteringAndroid(device: try android) })
            return try await filled(kind, androids.compactMap { $0.key.map(UploadingAndroid.init) })
        case .keyAttestation: return try await filled(kind, (0..<count).map { _ in RegisteringAndroid(device: try android) })
        case .bundle: return try await filled(kind, try await provision(count))
        }
    }

    private var phone: VirtualPhone {
        get throws(LoadError) {
            guard let phone = makers.phone else { throw .device("there is no virtual phone") }
            return phone
        }
    }

    private var android: VirtualAndroid {
        get throws(LoadError) {
            guard let android = makers.android else { throw .device("there is no virtual Android device") }
            return android
        }
    }

    private func filled<Device: LoadDevice>(_ kind: LoadKind, _ devices: [Device]) async throws -> any LoadOperation {
        let app = kind.maker == .camera ? makers.cameraApp : makers.app
        let operation = VerifyOperation<Device>(kind, app: app, clients: clients, challenges: challenges)
        try await operation.fill(devices) { progress("\(kind.rawValue): first requests made", $0, devices.count) }
        if Device.purpose == .register { registering.withLock { $0.append { operation.registered } } }
        return operation
    }

    // MARK: Before the load

    /// Registers devices. The first that is refused ends it.
    private func register<Device: LoadDevice>(_ kind: LoadKind, _ devices: [Device]) async throws -> [Device] {
        let (app, clients) = (makers.app, clients)
        // One alone first: what is refused of it is refused of all.
        var results = try await Concurrently.map(Array(devices.prefix(1)), atOnce: 1) {
            try await Self.register($0, app, clients)
        }
        results += try await Concurrently.map(
            Array(devices.dropFirst()), atOnce: Self.atOnce,
            progress: { progress("\(kind.rawValue): devices registered", $0 + 1, devices.count) },
            { try await Self.register($0, app, clients) })
        let ids = results.compactMap(\.id)
        registered.withLock { $0 += ids }
        return results.map(\.device)
    }

    private static func register<Device: LoadDevice>(
        _ device: Device, _ app: AppID, _ clients: LoadClients
    ) async throws -> (device: Device, id: DeviceID?) {
        var device = device
        let client = clients.next
        let challenge = try await client.issueChallenge(app: app, purpose: .register, timeout: clients.timeout).bytes
        let request = try device.request(app: app, challenge: challenge)
        let verdict = try await client.verify(request, timeout: clients.timeout)
        guard verdict.decision == .accepted else {
            throw LoadError.refused(app: app, reason: verdict.reason, detail: verdict.detail)
        }
        return (device, DeviceID(bytes: Array(verdict.deviceID)))
    }

    /// Puts cameras on the allow-list of their app, and has certificates issued.
    private func provision(_ total: Int) async throws -> [SigningCamera] {
        let run = Hex.encode(SecureRandom.bytes(6))
        let cameras = (1...total).map { VirtualCamera(serial: "LOAD-\(run)-\($0)") }
        let (app, clients) = (makers.cameraApp, clients)
        for start in stride(from: 0, to: total, by: Self.enrolledAtOnce) {
            let serials = cameras[start..<min(start + Self.enrolledAtOnce, total)].map(\.serial)
            _ = try await clients.next.addEnrolments(app: app, serials: serials, timeout: clients.timeout)
        }
        return try await Concurrently.map(
            cameras, atOnce: Self.atOnce, progress: { progress("bundle: cameras provisioned", $0, total) }
        ) { camera in
            let request = FleetDeviceRequest(app: app, serial: camera.serial, csr: try camera.certificateRequest())
            let answer = try await clients.next.provisionDevice(request, timeout: clients.timeout)
            guard !answer.hasRejection else {
                throw LoadError.refused(app: app, reason: answer.rejection.reason, detail: answer.rejection.detail)
            }
            return SigningCamera(camera: camera, certificate: Array(answer.deviceCertificate))
        }
    }

    // MARK: After the load

    /// Removes the records of the phones and Android devices that were registered for the load and by it.
    package func forget() async throws(LoadError) {
        let ids = registered.withLock { $0 } + registering.withLock { $0 }.flatMap { $0() }
        let (app, clients) = (makers.app, clients)
        do {
            _ = try await Concurrently.map(
                ids, atOnce: Self.atOnce, progress: { progress("devices forgotten", $0, ids.count) }
            ) { id in
                try await clients.next.forget(id, app: app, reason: "a load test has ended", timeout: clients.timeout)
            }
        } catch {
            throw LoadError(error)
        }
    }
}
