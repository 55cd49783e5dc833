import AssaySimulator

extension FuzzSeeds {
    /// An APK with a signature of scheme v3 and a manifest, a JKS keystore, and a certificate.
    static var signers: [(name: String, bytes: [UInt8])] {
        let certificate = TestAuthority(seed: "fuzz").rootCertificate
        return [
            ("signers/package", package(certificate)), ("signers/keystore", keystore(certificate)),
            ("signers/certificate", certificate),
        ]
    }

    private static func number(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func block(_ content: [UInt8]) -> [UInt8] { number(content.count, 4) + content }

    private static func package(_ certificate: [UInt8]) -> [UInt8] {
        let name = Array("AndroidManifest.xml".utf8)
        let manifest = manifest
        let sizes =
            [UInt8](repeating: 0, count: 8) + number(manifest.count, 4) + number(manifest.count, 4) + number(name.count, 2)
        let file = number(0x0403_4B50, 4) + number(20, 2) + number(0, 4) + sizes + number(0, 2) + name + manifest
        let signed = block([]) + block(block(certificate)) + number(28, 4) + number(99, 4) + block([])
        let value = block(block(block(signed) + number(28, 4) + number(99, 4) + block([]) + block([])))
        let pair = number(value.count + 4, 8) + number(0xF053_68C0, 4) + value
        let size = number(pair.count + 24, 8)
        let signature = size + pair + size + "APK Sig Block 42".utf8
        let directory = number(0x0201_4B50, 4) + number(20, 2) + number(20, 2) + number(0, 4) + sizes + number(0, 16) + name
        let end = number(0x0605_4B50, 4) + number(0, 4) + number(1, 2) + number(1, 2) + number(directory.count, 4)
        return file + signature + directory + end + number(file.count + signature.count, 4) + number(0, 2)
    }

    /// Compiled XML: the element `manifest` with its `package`.
    private static var manifest: [UInt8] {
        let texts = ["manifest", "package", "com.example.fuzz"]
        var (strings, offsets): ([UInt8], [UInt8]) = ([], [])
        for text in texts {
            offsets += number(strings.count, 4)
            strings += [UInt8(text.utf8.count), UInt8(text.utf8.count)] + text.utf8 + [0]
        }
        let start = 28 + offsets.count
        let pool =
            number(1, 2) + number(28, 2) + number(start + strings.count, 4) + number(texts.count, 4) + number(0, 4)
            + number(0x100, 4) + number(start, 4) + number(0, 4) + offsets + strings
        let nothing = number(0xFFFF_FFFF, 4)
        let attribute = nothing + number(1, 4) + number(2, 4) + number(8, 2) + [0, 3] + number(2, 4)
        let body = nothing + number(0, 4) + number(20, 2) + number(20, 2) + number(1, 2) + number(0, 6) + attribute
        let element = number(0x102, 2) + number(16, 2) + number(16 + body.count, 4) + number(1, 4) + nothing + body
        return number(3, 2) + number(8, 2) + number(8 + pool.count + element.count, 4) + pool + element
    }

    private static func keystore(_ certificate: [UInt8]) -> [UInt8] {
        func big(_ value: Int, _ width: Int) -> [UInt8] { number(value, width).reversed() }
        func text(_ text: String) -> [UInt8] { big(text.utf8.count, 2) + text.utf8 }
        let key = big(1, 4) + text("upload") + big(0, 8) + big(3, 4) + [1, 2, 3]
        let chain = big(1, 4) + text("X.509") + big(certificate.count, 4) + certificate
        return [0xFE, 0xED, 0xFE, 0xED] + big(2, 4) + big(1, 4) + key + chain + [UInt8](repeating: 0, count: 20)
    }
}
