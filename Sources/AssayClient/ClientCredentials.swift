import AssayRPC
import Foundation

/// What a client shows a daemon that listens with TLS, and which daemon it believes.
public struct ClientCredentials: Sendable {
    /// A file larger than this is none of ours, in bytes.
    static let sizeLimit = 1 << 20

    let tls: ClientTLS

    /// PEM files: the CAs that the daemon's certificate must come from, the client's certificate with the intermediates behind
    /// it, and its key without a passphrase.
    ///
    /// - Parameter serverName: the name that the daemon's certificate must have; nil: the host of the address.
    /// - Throws: `invalidArgument`, `bad_credentials`, with the file that cannot be used.
    public init(
        authorities: String, certificate: String, privateKey: String, serverName: String? = nil
    ) throws(AssayError) {
        let credentials = (
            try Self.read(certificate), try Self.read(privateKey), try Self.read(authorities)
        )
        do throws(TLSProblem) {
            tls = try ClientTLS(
                TLSCredentials(certificates: credentials.0, privateKey: credentials.1, authorities: credentials.2),
                serverName: serverName)
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
