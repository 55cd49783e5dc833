import AssayCommandLine
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayProvisioning
import AssaySchemes
import AssaySimulator
import AssayVirtualDevices
import Foundation

/// The temporary folder of `assayd dev`: the configuration, the ledger, a CA, and virtual devices as `assay simulate` keeps them. Only
/// its owner can look into it.
///
/// SQLite has a form in memory, which the ledger does not: it reads and writes by several connections, and watches its files.
struct DevFolder: Sendable {
    static let appID = "TEAMID1234.com.example.photos"
    static let package = "com.example.photos"
    /// SHA-256 of the certificate that is said to sign the package.
    static let signer = ClientData.payloadHash(Array("the certificate that signs the app".utf8))
    static let serial = "CAM-0001"

    let path: String

    /// Makes the folder, in `TMPDIR` or `/tmp`.
    init() throws(StartupError) {
        var template = Array((NSTemporaryDirectory() + "assay-dev-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StartupError("no folder can be made in \(NSTemporaryDirectory()): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    // MARK: Devices

    /// Registered by the daemon's start; it signs the upload that is pasted.
    var phone: PhoneFolder { PhoneFolder(path: file("phone-1")) }
    /// Not registered.
    var secondPhone: PhoneFolder { PhoneFolder(path: file("phone-2")) }
    /// Not registered.
    var android: AndroidFolder { AndroidFolder(path: file("android")) }
    var camera: CameraFolder { CameraFolder(path: file("camera")) }
    /// What devices sign.
    var photo: String { file("photo.jpg") }
    /// The request with an upload of the first phone, as JSON.
    var upload: String { file("upload.json") }
    /// What the camera signed of the photo.
    var bundle: String { file("camera/bundle.json") }

    /// Makes the devices, the photo and the CA. Throws `CommandFailure`, `SimulatorError` or `CredentialFileError`.
    func fill() async throws {
        try Data("a photo\n".utf8).write(to: URL(fileURLWithPath: photo))
        for phone in [phone, secondPhone] {
            _ = try phone.make { VirtualPhone(authority: $0, appID: Self.appID) }
        }
        _ = try android.make(
            {
                VirtualAndroid(
                    authority: $0, application: AttestedApplicationDraft(Self.package, signer: Self.signer), level: .strongBox)
            }, kind: .p256)
        try camera.save(VirtualCamera(serial: Self.serial))
        let authorities = AuthorityFolder(file("ca"))
        var plan = AuthorityPlan()
        plan.organization = "Example Cameras"
        // The passphrase stands beside the key: more iterations protect nothing.
        _ = try await authorities.initialize(
            plan, root: authorities.files(of: AuthorityFolder.rootName), issuing: authorities.files(of: "issuing-1"),
            at: SystemClock().now(), iterations: 1000)
    }

    // MARK: The configuration

    /// Writes the configuration and reads it.
    ///
    /// - Parameter port: of the command line; `nil`: the usual ones, or free ones if one of them is in use.
    func configuration(at port: UInt16?) throws -> Configuration {
        let configuration = try written(port.map { DevPorts(from: $0) } ?? .usual)
        guard let taken = configuration.machineFindings().first(where: { $0.code == .addressInUse }) else {
            return configuration
        }
        guard port == nil else {
            throw CommandFailure("unavailable", "\(taken.message)", exitStatus: StartupError.unavailable)
        }
        return try written(.free)
    }

    private func written(_ ports: DevPorts) throws -> Configuration {
        let file = file("assayd.yaml")
        try Data(Self.text(ports).utf8).write(to: URL(fileURLWithPath: file))
        return try Configuration.load(file)
    }

    private static func text(_ ports: DevPorts) -> String {
        """
        # Of assayd dev: for trying out, with virtual devices. A configuration for real devices has neither loopback_demo nor
        # test_roots nor accept_simulated.
        listen:
          - tcp: \(DevPorts.host):\(ports.framed)
          - tcp: \(DevPorts.host):\(ports.http)
            protocol: http
        http:
          reflection: true                      # for grpcurl and buf curl
          openapi: true                         # /openapi.json
        store:
          path: ledger.db
        callers:
          loopback_demo: true                   # anyone on this machine may call everything: no key is needed
        provisioning:
          authorities:
            - name: issuing-1
              certificate: ca/issuing-1.pem
              key: ca/issuing-1.key
              passphrase_file: ca/issuing-1.passphrase
        trust:
          test_roots: [phone-1/root.pem, phone-2/root.pem, android/root.pem]
        apps:
          photos:
            accept_simulated: true
            app_attest:
              identities:
                - app_id: \(appID)
            android:
              packages:
                - name: \(package)
                  signers: [\(Hex.encode(signer))]
              revocation: {source: none}        # needs no network; a daemon in production asks for Google's list
          cameras:
            # Cameras, for which their manufacturer vouches.
            provisioning:
              fleet: {manufacturer: Example Cameras}
            certificate_bundle: {}

        """
    }
}
