import AssayCore
import AssayEncoding
import Testing

@testable import AssayInstallation

@Suite("Android packages")
struct PackageTests {
    private let upload = MadeCertificate.der("Release")
    private let older = MadeCertificate.der("First key", serial: 1)

    private func package(_ signatures: [(UInt64, [UInt8])] = [], _ more: [(String, [UInt8])] = []) -> MadePackage {
        var package = MadePackage()
        package.signatures = signatures
        package.entries = [("classes.dex", [UInt8](repeating: 1, count: 5000))] + more
        package.entries.append(("AndroidManifest.xml", MadePackage.manifest("com.example.photos")))
        return package
    }

    private func read(_ package: MadePackage) throws -> SignerFile { try SignerFile(MemorySource(package.bytes())) }

    private func signers(_ file: SignerFile) -> [String] { file.signers.map { "\($0.certificate.subject) by \($0.origin)" } }

    @Test("tell their name and their signer by each scheme of the signing block")
    func schemes() throws {
        for (identifier, lineage, name) in [
            (MadePackage.two, nil, "v2"), (MadePackage.three, [], "v3"), (MadePackage.threeOne, [], "v3.1"),
        ] as [(UInt64, [[UInt8]]?, String)] {
            let file = try read(package([(identifier, MadePackage.value([upload], lineage: lineage))]))
            #expect(file.packageName == "com.example.photos")
            #expect(signers(file) == ["CN=Release by APK Signature Scheme \(name)"])
            #expect(file.signers.first?.certificate.der == upload)
        }
    }

    @Test("name a certificate once, whatever schemes have it, and the earlier ones of a lineage")
    func several() throws {
        let file = try read(
            package([
                (0x4272_6577, [0, 0, 0]), (MadePackage.three, MadePackage.value([upload], lineage: [older, upload])),
                (MadePackage.two, MadePackage.value([older], lineage: nil)),
            ]))
        #expect(signers(file) == ["CN=First key by APK Signature Scheme v2", "CN=Release by APK Signature Scheme v3"])
    }

    @Test("without a signing block are read by the signature of the archive, with the signer's certificate among others")
    func jar() throws {
        let block = MadeCertificate.signatureBlock([older, upload], signer: "Release")
        for method in [0, 8] as [UInt64] {
            var archive = package([], [("META-INF/CERT.RSA", block), ("META-INF/services/x.RSA", [1])])
            (archive.method, archive.comment) = (method, Array("PK\u{5}\u{6} is in the comment".utf8))
            #expect(signers(try read(archive)) == ["CN=Release by JAR signing"])
        }
        #expect(throws: SignerFileError.unsigned) { try read(package()) }
    }

    @Test("have names in UTF-8 and in UTF-16")
    func manifests() throws {
        for isUTF8 in [true, false] {
            let manifest = MadePackage.manifest("org.example.app_1", isUTF8: isUTF8)
            #expect(try PackageManifest.packageName(in: manifest) == "org.example.app_1")
        }
        for manifest in [
            MadePackage.manifest("one"), MadePackage.manifest("com.example.x", element: "application"), [], [3, 0, 8, 0],
        ] {
            #expect(throws: SignerFileError.self) { try PackageManifest.packageName(in: manifest) }
        }
    }

    @Test("of debug builds are told, and certificates of version 1 are read")
    func debug() throws {
        let der = MadeCertificate.der("Android Debug", isFirstVersion: true)
        let file = try read(package([(MadePackage.two, MadePackage.value([der], lineage: nil))]))
        #expect(file.signers.first?.certificate.isOfDebugBuilds == true)
        #expect(try SignerCertificate(der: upload).isOfDebugBuilds == false)
    }

    @Test("whose every strict prefix is cut off are refused, and none traps")
    func prefixes() throws {
        let whole = try package([(MadePackage.three, MadePackage.value([upload], lineage: [older]))]).bytes()
        for count in stride(from: 0, to: whole.count, by: whole.count > 4000 ? 7 : 1) {
            #expect(throws: SignerFileError.self) { try SignerFile(MemorySource(Array(whole.prefix(count)))) }
        }
    }

    @Test("with any byte changed are read or refused, and none traps")
    func changed() throws {
        let value = MadePackage.value([upload], lineage: [older])
        let block = MadeCertificate.signatureBlock([upload], signer: "Release")
        for whole in [
            try package([(MadePackage.three, value)]).bytes(), try package([], [("META-INF/A.EC", block)]).bytes(),
            MadePackage.manifest("com.example.photos"),
        ] {
            for place in whole.indices {
                for byte in [0, 0xFF, whole[place] ^ 1] as [UInt8] {
                    var bytes = whole
                    bytes[place] = byte
                    _ = try? SignerFile(MemorySource(bytes))
                    _ = try? PackageManifest.packageName(in: bytes)
                }
            }
        }
    }

    @Test("with sizes beyond their bounds are refused before anything is read for them")
    func bounds() throws {
        let many = [[UInt8]](repeating: upload, count: 11)
        let values = (0..<70).map { (UInt64($0 + 1), [UInt8]()) }
        for (package, words) in [
            (package([(MadePackage.two, MadePackage.value(many, lineage: nil))]), "more than 10 signers"),
            (
                package([(MadePackage.three, MadePackage.value([upload], lineage: [[UInt8]](repeating: older, count: 33)))]
                ), "more than 32 keys"
            ),
            (package(values), "more than 64 values"),
            (package([(MadePackage.two, [UInt8](repeating: 0, count: 2 << 20))]), "a signature of"),
            (package([], (0..<18).map { ("META-INF/\($0).RSA", [1]) }), "more than 16 signatures"),
            (package([], [("META-INF/A.RSA", [1]), ("META-INF/A.RSA", [1])]), "two entries"),
            (package([], [("META-INF/A.RSA", [UInt8](repeating: 0, count: 9 << 20))]), "more than 8388608 bytes"),
        ] {
            do {
                _ = try read(package)
                Issue.record("\(words): it was read")
            } catch let error as SignerFileError {
                #expect(error.description.contains(words), "\(error)")
            }
        }
    }
}
