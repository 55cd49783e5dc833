import AssayFiles
import AssayFramedRPC
import AssayListening
import Foundation
import Synchronization

/// The certificate that a client presents to a daemon over TLS, and the CAs that it trusts.
public struct ClientCredentials: Sendable {
    let files: CredentialFiles

    /// PEM files: the CAs that must have issued the daemon's certificate, the client's certificate followed by its intermediates, and its
    /// key without a passphrase.
    ///
    /// The files are read now, and again for each connection, so that the next connection uses a renewed certificate. The daemon ends
    /// each connection gracefully when its certificate expires. If a file becomes unusable, its earlier content stays in use.
    ///
    /// - Parameter serverName: the name that the daemon's certificate must have; nil: the host of the address.
    /// - Throws: `invalidArgument`, `bad_credentials`, with the file that cannot be used.
    public init(
        authorities: String, certificate: String, privateKey: String, serverName: String? = nil
    ) throws(AssayError) {
        files = try CredentialFiles(
            authorities: authorities, certificate: certificate, privateKey: privateKey, serverName: serverName)
    }
}

extension ClientCredentials {
    /// A client that shows no certificate, for a daemon that lets callers with API keys in without one.
    ///
    /// - Parameter authorities: a PEM file with the CAs that must have issued the daemon's certificate.
    public init(authorities: String, serverName: String? = nil) throws(AssayError) {
        files = try CredentialFiles(authorities: authorities, certificate: nil, privateKey: nil, serverName: serverName)
    }
}

/// The API key of a caller, which `assay key create` made.
public struct ClientKey: Sendable {
    let text: String

    /// - Parameter text: `assay_` and 43 characters.
    /// - Throws: `invalidArgument`, `bad_credentials`, for another text. The message does not repeat it.
    public init(_ text: String) throws(AssayError) {
        let isKey = text.utf8.starts(with: "assay_".utf8) && text.utf8.count == 49
        guard isKey, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badCredentials("the key is not \"assay_\" and 43 characters")
        }
        self.text = text
    }

    /// Reads a file that holds the key, with or without white space around it.
    public init(file path: String) throws(AssayError) {
        let text = String(decoding: try CredentialFiles.read(path, atMost: 4096), as: UTF8.self)
        do throws(AssayError) { try self.init(text.trimmingCharacters(in: .whitespacesAndNewlines)) } catch {
            throw .badCredentials("\(path): \(error.message)")
        }
    }
}

/// The files of a client's credentials, read again for each connection: certificates are renewed while a client runs.
final class CredentialFiles: Sendable {
    /// The largest file that is read, in bytes.
    private static let sizeLimit = 1 << 20

    private let authorities: String
    private let certificate: String?
    private let privateKey: String?
    private let serverName: String?
    /// The content of the files when they were last usable.
    private let last: Mutex<ClientTLS>

    init(authorities: String, certificate: String?, privateKey: String?, serverName: String?) throws(AssayError) {
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
        _ authorities: String, _ certificate: String?, _ privateKey: String?, _ serverName: String?
    ) throws(AssayError) -> ClientTLS {
        guard let certificate, let privateKey else {
            let trusted = try read(authorities)
            do throws(TLSError) { return try ClientTLS(authorities: trusted, serverName: serverName) } catch {
                throw .badCredentials("\(authorities): \(error)")
            }
        }
        let (chain, key, trusted) = (try read(certificate), try read(privateKey), try read(authorities))
        do throws(TLSError) {
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

    fileprivate static func read(_ path: String, atMost limit: Int = sizeLimit) throws(AssayError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(BoundedFileError) { bytes = try BoundedFile.read(path, atMost: limit) } catch {
            throw .badCredentials("\(path): the file \(error)")
        }
        guard !bytes.isEmpty else { throw .badCredentials("\(path): the file is empty") }
        return bytes
    }
}

extension AssayError {
    fileprivate static func badCredentials(_ message: String) -> AssayError {
        AssayError(.invalidArgument, message, reason: "bad_credentials")
    }
}
