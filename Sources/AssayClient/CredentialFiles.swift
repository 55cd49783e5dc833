import AssayFramedRPC
import Foundation
import Synchronization

/// The files of a client's credentials, read again for each connection: certificates are renewed while a client runs.
final class CredentialFiles: Sendable {
    /// The largest file that is read, in bytes.
    private static let sizeLimit = 1 << 20

    private let authorities: String
    private let certificate: String
    private let privateKey: String
    private let serverName: String?
    /// The content of the files when they were last usable.
    private let last: Mutex<ClientTLS>

    init(authorities: String, certificate: String, privateKey: String, serverName: String?) throws(AssayError) {
        (self.authorities, self.certificate) = (authorities, certificate)
        (self.privateKey, self.serverName) = (privateKey, serverName)
        last = Mutex(try Self.read(authorities, certificate, privateKey, serverName))
    }

    /// The content of the files; while they are unusable, for example while they are written, their last usable content.
    func current() -> ClientTLS {
        guard let new = try? Self.read(authorities, certificate, privateKey, serverName) else { return last.withLock { $0 } }
        last.withLock { $0 = new }
        return new
    }

    private static func read(
        _ authorities: String, _ certificate: String, _ privateKey: String, _ serverName: String?
    ) throws(AssayError) -> ClientTLS {
        let (chain, key, trusted) = (try read(certificate), try read(privateKey), try read(authorities))
        do throws(TLSProblem) {
            return try ClientTLS(
                TLSCredentials(certificates: chain, privateKey: key, authorities: trusted), serverName: serverName)
        } catch {
            let file =
                switch error.part {
                case .certificates: certificate
                case .privateKey: privateKey
                case .authorities: authorities
                }
            throw .badCredentials("\(file): \(error)")
        }
    }

    private static func read(_ path: String) throws(AssayError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else { throw .badCredentials("\(path): the file cannot be read") }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: sizeLimit + 1), data.count <= sizeLimit else {
            throw .badCredentials("\(path): the file cannot be read, is empty, or is no PEM file")
        }
        return Array(data)
    }
}

extension AssayError {
    fileprivate static func badCredentials(_ message: String) -> AssayError {
        AssayError(.invalidArgument, message, reason: "bad_credentials")
    }
}
