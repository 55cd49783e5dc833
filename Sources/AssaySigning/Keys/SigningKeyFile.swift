import AssayCore
import AssayEncoding
import AssayFiles

/// The file with a private key: PEM of mode 0600, which `openssl pkey -passin` reads too.
package enum SigningKeyFile {
    /// In bytes. A P-384 key has below 1 KiB.
    static let sizeLimit = 16 * 1024

    /// Reads an encrypted PKCS#8 key or, only if allowed, a plain one (PKCS#8 or SEC1).
    ///
    /// - Parameters:
    ///   - passphrase: `nil` for a plain key.
    ///   - kinds: those that the use allows.
    package static func read(
        _ path: String, passphrase: Passphrase?, allowsPlain: Bool = false,
        of kinds: [SigningAlgorithm] = SigningAlgorithm.allCases
    ) throws(CredentialFileError) -> SigningKey {
        let bytes: [UInt8]
        do throws(ProtectedFileError) {
            bytes = try ProtectedFile.read(path, atMost: sizeLimit + 1)
        } catch {
            throw CredentialFileError(path, error.description)
        }
        guard bytes.count <= sizeLimit, let text = String(validating: bytes, as: UTF8.self) else {
            throw CredentialFileError(path, "is no private key in PEM")
        }
        do throws(SigningKeyError) {
            let key = try key(pem: text, passphrase: passphrase, allowsPlain: allowsPlain)
            guard kinds.contains(key.algorithm) else { throw .wrongKind(kinds) }
            return key
        } catch {
            if case .wrongKind = error { throw CredentialFileError(path, SigningKeyError.wrongKind(kinds).description) }
            throw CredentialFileError(path, error.description)
        }
    }

    /// The key in a PEM text.
    package static func key(
        pem text: String, passphrase: Passphrase?, allowsPlain: Bool
    ) throws(SigningKeyError) -> SigningKey {
        let kind = try kind(of: text)
        if kind == .encrypted {
            guard let passphrase else { throw .encrypted }
            let plain = try PasswordEncryption.open(try block(text, kind), passphrase: passphrase.bytes)
            do throws(SigningKeyError) {
                return try SigningKey(pkcs8: plain)
            } catch {
                // One wrong passphrase of 256 leaves a padding that looks right.
                if case .malformed = error { throw .wrongPassphrase }
                throw error
            }
        }
        guard allowsPlain else { throw .notEncrypted }
        let der = try block(text, kind)
        return kind == .plain ? try SigningKey(pkcs8: der) : try SigningKey(sec1: der)
    }

    /// The PEM text of a key, encrypted under a passphrase.
    package static func text(
        _ key: SigningKey, passphrase: Passphrase, iterations: Int = PasswordEncryption.iterations
    ) throws(SigningKeyError) -> String {
        PEM.encode(
            try PasswordEncryption.seal(key.pkcs8, passphrase: passphrase.bytes, iterations: iterations),
            label: Kind.encrypted.rawValue)
    }

    // MARK: PEM

    /// The labels of private keys (RFC 7468 §10 and §11, RFC 5915 §4).
    private enum Kind: String, CaseIterable {
        case encrypted = "ENCRYPTED PRIVATE KEY"
        case plain = "PRIVATE KEY"
        case sec1 = "EC PRIVATE KEY"
    }

    private static func kind(of text: String) throws(SigningKeyError) -> Kind {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
        let found = Kind.allCases.filter { kind in
            let begin = Array("-----BEGIN \(kind.rawValue)-----".utf8)
            return lines.contains { $0.starts(with: begin) }
        }
        guard let kind = found.first, found.count == 1 else { throw .malformed("want one private key in PEM") }
        if lines.contains(where: { $0.starts(with: Array("Proc-Type:".utf8)) }) {
            throw .unsupportedEncryption("its encryption is that of RFC 1421; 'openssl pkcs8 -topk8' converts it")
        }
        return kind
    }

    private static func block(_ text: String, _ kind: Kind) throws(SigningKeyError) -> [UInt8] {
        var text = text
        // `openssl ecparam -genkey` writes the name of the curve before the key, which names it again.
        if kind == .sec1, let end = text.end(ofBytes: "-----END EC PARAMETERS-----") { text = String(text[end...]) }
        do throws(Rejection) {
            let blocks = try PEM.decode(text, label: kind.rawValue, code: .unsupportedKey)
            guard let block = blocks.first, blocks.count == 1 else { throw Rejection(.unsupportedKey, "more than one key") }
            return block
        } catch {
            throw .malformed(error.detail)
        }
    }
}

extension String {
    /// The index behind the first occurrence of `mark`.
    fileprivate func end(ofBytes mark: String) -> String.Index? {
        let mark = Array(mark.utf8)
        return utf8.indices.first { utf8[$0...].starts(with: mark) }.flatMap { utf8.index($0, offsetBy: mark.count) }
    }
}
