import AssayCommandLine
import AssayCore
import AssayEncoding
package import AssaySimulator
import Crypto
import Foundation

/// The folder of a virtual camera: `serial` and `key.pem`, of mode 0600; and, after it was provisioned, `certificate.pem`.
package struct CameraFolder {
    private let files: DeviceFolder

    package init(path: String) { files = DeviceFolder(path: path, maker: "assay simulate camera make") }

    private static let key = "key.pem"
    private static let serial = "serial"
    private static let certificate = "certificate.pem"

    package func save(_ camera: VirtualCamera) throws {
        try files.make()
        try files.write(camera.serial + "\n", Self.serial)
        // The form that 'openssl' and 'assay provision renew' read.
        try files.write(camera.key.pem, Self.key)
    }

    package func read() throws -> VirtualCamera {
        let serial = try files.read(Self.serial).trimmingCharacters(in: .newlines)
        let text = try files.read(Self.key)
        do {
            let key = try P256.Signing.PrivateKey(pemRepresentation: text)
            return try VirtualCamera(serial: serial, scalar: Array(key.rawRepresentation))
        } catch {
            throw CommandFailure.unreadable("\(files.path)/\(Self.key) is not a P-256 key in PEM")
        }
    }

    /// Writes the certificate (DER) that the camera was provisioned with.
    package func write(certificate: [UInt8]) throws {
        try files.write(PEM.encode(certificate), Self.certificate, mode: 0o644)
    }

    /// The camera's certificate, as DER.
    package func readCertificate() throws -> [UInt8] {
        guard files.has(Self.certificate) else {
            throw CommandFailure.unreadable(
                "there is no \(Self.certificate) in \(files.path): provision the camera, or name its certificate")
        }
        let text = try files.read(Self.certificate)
        do throws(Rejection) {
            return try PEM.decode(text).first ?? []
        } catch {
            throw CommandFailure.unreadable("\(files.path)/\(Self.certificate): \(error.detail)")
        }
    }
}
