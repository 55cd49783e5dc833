import AssayCore
import AssayEncoding
import Foundation

/// Publishes revocation lists as files, for servers that hand them out: `<name>.crl` (DER, RFC 5280) and `<name>.crl.pem`.
struct RevocationListFiles: Sendable {
    let directory: String

    /// Writes the files of a list, if they are not those already. A reader sees the old file or the new one, never a part.
    func publish(_ name: String, _ list: StoredRevocationList) throws {
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.write(Data(list.der), to: folder.appending(path: "\(name).crl"))
        let pem = PEM.encode(list.der, label: "X509 CRL")
        try Self.write(Data(pem.utf8), to: folder.appending(path: "\(name).crl.pem"))
    }

    private static func write(_ content: Data, to file: URL) throws {
        guard (try? Data(contentsOf: file)) != content else { return }
        try content.write(to: file, options: .atomic)
    }
}
