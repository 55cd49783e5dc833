package import AssayCore
import Crypto

/// Names files in the ledger's index and seals what stands under each name, by keys that are made of a secret of the ledger and of the file's hash.
///
/// So the index tells nothing to one who has the ledger without its secret, nor to one who has both without the file. Two apps have different
/// names for one file.
package struct PayloadKeys: Sendable {
    /// The bytes that sealing adds: a nonce of 12 and a tag of 16.
    static let sealLength = 28
    private let secret: SymmetricKey

    /// - Parameter secret: the ledger's, 32 bytes. It is never rotated: a file must keep its name.
    package init(secret: [UInt8]) { self.secret = SymmetricKey(data: secret) }

    /// The name of a file, 32 bytes.
    ///
    /// - Parameter hash: SHA-256, 32 bytes.
    package func name(of hash: [UInt8], in app: AppID) -> [UInt8] { Array(code("assay.lookup.name.v1", hash, app)) }

    /// AES-GCM under a key of the file alone.
    func seal(_ content: [UInt8], under hash: [UInt8], in app: AppID) throws -> [UInt8] {
        let box = try AES.GCM.seal(content, using: sealingKey(hash, app))
        guard let sealed = box.combined else { throw VaultError.cannotWrap }
        return Array(sealed)
    }

    /// `nil` unless `seal` made the bytes for this file.
    func open(_ sealed: [UInt8], under hash: [UInt8], in app: AppID) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let content = try? AES.GCM.open(box, using: sealingKey(hash, app))
        else { return nil }
        return Array(content)
    }

    private func sealingKey(_ hash: [UInt8], _ app: AppID) -> SymmetricKey {
        SymmetricKey(data: code("assay.lookup.content.v1", hash, app))
    }

    /// HMAC-SHA256 over a tag, the app and the hash, each with its length.
    private func code(_ tag: String, _ hash: [UInt8], _ app: AppID) -> HMAC<SHA256>.MAC {
        var fields = FieldDigest(tag)
        fields.append(app.text)
        fields.append(hash)
        return HMAC<SHA256>.authenticationCode(for: fields.finalize(), using: secret)
    }
}
