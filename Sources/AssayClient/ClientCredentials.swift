import AssayFiles
import AssayFramedRPC
import AssayHTTPClient
import AssayListening
import Foundation
import Synchronization

/// The certificate that a client presents to a daemon over TLS or HTTPS, and the CAs that it trusts.
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
            authorities: authorities, identity: (certificate, privateKey), serverName: serverName)
    }
}

extension ClientCredentials {
    /// A client that shows no certificate, for a daemon that lets callers with API keys in without one.
    ///
    /// - Parameter authorities: a PEM file with the CAs that must have issued the daemon's certificate.
    public init(authorities: String, serverName: String? = nil) throws(AssayError) {
        files = try CredentialFiles(authorities: authorities, identity: nil, serverName: serverName)
    }

    /// A client that trusts the CAs that the machine trusts, for an address that begins with `https:`.
    ///
    /// - Parameter identity: PEM files: the certificate that the client shows, followed by its intermediates, and its key without a
    ///   passphrase; `nil`: it shows none.
    /// - Throws: `invalidArgument`, `bad_credentials`, with the file that cannot be used.
    public static func trustingTheMachine(
        identity: (certificate: String, privateKey: String)? = nil, serverName: String? = nil
    ) throws(AssayError) -> ClientCredentials {
        ClientCredentials(
            files: try CredentialFiles(authorities: nil, identity: identity, serverName: serverName))
    }

    private init(files: CredentialFiles) { self.files = files }
}

extension ClientTLS {
    /// An address with framed TLS names the CAs.
    init(_ content: CredentialFiles.Content) throws(TLSError) {
        let authorities = content.authorities ?? []
        guard let identity = content.identity else {
            try self.init(authorities: authorities, serverName: content.serverName)
            return
        }
        let credentials = try TLSCredentials(
            certificates: identity.certificates, privateKey: identity.privateKey, authorities: authorities)
        try self.init(credentials, serverName: content.serverName)
    }
}

extension HTTPClientTLS {
    init(_ content: CredentialFiles.Content) throws(TLSError) {
        try self.init(authorities: content.authorities, identity: content.identity, serverName: content.serverName)
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

    /// What the files hold, PEM.
    struct Content: Sendable {
        /// `nil`: the CAs that the machine trusts.
        let authorities: [UInt8]?
        /// `nil`: no certificate is shown.
        let identity: (certificates: [UInt8], privateKey: [UInt8])?
        let serverName: String?
    }

    private let authorities: String?
    private let identity: (certificate: String, privateKey: String)?
    private let serverName: String?
    /// The content of the files when they were last usable.
    private let last: Mutex<Content>

    init(
        authorities: String?, identity: (certificate: String, privateKey: String)?, serverName: String?
    ) throws(AssayError) {
        (self.authorities, self.identity, self.serverName) = (authorities, identity, serverName)
        let content = try Self.read(authorities, identity, serverName)
        last = Mutex(content)
        do throws(TLSError) {
            if authorities == nil { _ = try HTTPClientTLS(content) } else { _ = try ClientTLS(content) }
        } catch {
            let file =
                switch error.part {
                case .certificates: identity?.certificate
                case .privateKey: identity?.privateKey
                case .authorities: authorities
                }
            throw .badCredentials((file.map { "\($0): " } ?? "") + "\(error)")
        }
    }

    /// Whether the CAs are named that the daemon's certificate must come from.
    var namesAuthorities: Bool { authorities != nil }

    /// One side of TLS by the content of the files; while they are unusable, for example while they are written, by their last usable
    /// content.
    func current<TLS>(_ make: (Content) throws(TLSError) -> TLS) throws(TLSError) -> TLS {
        if let new = try? Self.read(authorities, identity, serverName), let tls = try? make(new) {
            last.withLock { $0 = new }
            return tls
        }
        return try make(last.withLock { $0 })
    }

    private static func read(
        _ authorities: String?, _ identity: (certificate: String, privateKey: String)?, _ serverName: String?
    ) throws(AssayError) -> Content {
        let shown: (certificates: [UInt8], privateKey: [UInt8])? =
            if let identity { (try read(identity.certificate), try read(identity.privateKey)) } else { nil }
        let trusted: [UInt8]? = if let authorities { try read(authorities) } else { nil }
        return Content(authorities: trusted, identity: shown, serverName: serverName)
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
