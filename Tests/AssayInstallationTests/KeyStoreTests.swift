import AssayCore
import AssayEncoding
import Testing

@testable import AssayInstallation

@Suite("Keystores and certificates of signers")
struct KeyStoreTests {
    private let upload = MadeCertificate.der("Upload")
    private let root = MadeCertificate.der("Root")

    private func number(_ value: Int, _ width: Int) -> [UInt8] { MadePackage.number(value, width).reversed() }
    private func text(_ text: String) -> [UInt8] { number(text.utf8.count, 2) + text.utf8 }

    /// A keystore with keys by their names, each with a chain, and a trusted certificate.
    private func store(_ keys: [(String, [[UInt8]])], version: Int = 2) -> [UInt8] {
        func certificate(_ der: [UInt8]) -> [UInt8] {
            (version == 2 ? text("X.509") : []) + number(der.count, 4) + der
        }
        var bytes = [0xFE, 0xED, 0xFE, 0xED] + number(version, 4) + number(keys.count + 1, 4)
        bytes += number(2, 4) + text("trusted") + number(0, 8) + certificate(root)
        for (name, chain) in keys {
            bytes += number(1, 4) + text(name) + number(1_700_000_000, 8) + number(5, 4) + [1, 2, 3, 4, 5]
            bytes += number(chain.count, 4) + chain.flatMap(certificate)
        }
        return bytes + [UInt8](repeating: 7, count: 20)
    }

    private func read(_ bytes: [UInt8], key: String? = nil) throws -> SignerFile {
        try SignerFile(MemorySource(bytes), key: key)
    }

    @Test("A JKS keystore tells the certificate of its key without a password", arguments: [1, 2])
    func jks(_ version: Int) throws {
        let file = try read(store([("upload", [upload, root])], version: version))
        #expect(file.signers.map(\.certificate.der) == [upload])
        #expect(file.signers.first?.origin == "the key upload" && file.packageName == nil)
    }

    @Test("Of several keys one is chosen by its name, in any case")
    func several() throws {
        let bytes = store([("upload", [upload]), ("other", [root])])
        #expect(throws: SignerFileError.severalKeys(["upload", "other"])) { try read(bytes) }
        #expect(throws: SignerFileError.unknownKey("none", ["upload", "other"])) { try read(bytes, key: "none") }
        #expect(try read(bytes, key: "UPLOAD").signers.first?.certificate.der == upload)
        #expect(throws: SignerFileError.self) { try read(store([])) }
    }

    @Test("A certificate is read in DER and in PEM, and its digest is that of its bytes")
    func certificates() throws {
        for bytes in [upload, Array(PEM.encode(upload).utf8)] {
            let signer = try #require(try read(bytes).signers.first)
            #expect(signer.certificate.der == upload && signer.certificate.subject == "CN=Upload")
            #expect(signer.certificate.digest.count == 32)
        }
    }

    @Test("Keystores whose certificates are encrypted are told from broken ones")
    func encrypted() throws {
        let exchange = DERWriter.sequence([DERWriter.integer(3), DERWriter.sequence([])])
        #expect(throws: SignerFileError.encrypted("PKCS #12")) { try read(exchange) }
        #expect(throws: SignerFileError.encrypted("JCEKS")) { try read([0xCE, 0xCE, 0xCE, 0xCE, 0, 0, 0, 2]) }
        #expect(throws: SignerFileError.unknownKind) { try read(Array("a text".utf8)) }
        #expect(throws: SignerFileError.unknownKind) { try read([]) }
    }

    @Test("Every strict prefix of a keystore and of a certificate is refused, and no changed byte traps")
    func broken() throws {
        // Its checksum takes the password: a keystore ends where its entries do.
        let keystore = Array(store([("upload", [upload])]).dropLast(20))
        for whole in [keystore, upload] {
            for count in whole.indices {
                #expect(throws: SignerFileError.self) { try read(Array(whole.prefix(count))) }
            }
            for place in whole.indices {
                for byte in [0, 0x7F, 0xFF] as [UInt8] {
                    var bytes = whole
                    bytes[place] = byte
                    _ = try? read(bytes)
                }
            }
        }
    }
}
