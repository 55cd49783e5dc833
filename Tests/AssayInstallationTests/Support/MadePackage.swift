import AssayCompression
import AssayCore
import Testing

/// An Android package: a ZIP archive, perhaps with an APK Signing Block before its directory.
struct MadePackage {
    /// By their identifiers.
    var signatures: [(identifier: UInt64, value: [UInt8])] = []
    var entries: [(name: String, content: [UInt8])] = []
    /// Behind the record of the end.
    var comment: [UInt8] = []
    /// Of each entry; 8 is deflated.
    var method: UInt64 = 8

    static let (two, three, threeOne): (UInt64, UInt64, UInt64) = (0x7109_871A, 0xF053_68C0, 0x1B93_AD61)

    static func number(_ value: some BinaryInteger, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Bytes behind their length.
    static func block(_ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap(\.self)
        return number(content.count, 4) + content
    }

    /// The value of a scheme with signers, each of one certificate.
    ///
    /// - Parameter lineage: earlier certificates of each signer; `nil`: of scheme v2, which has none.
    static func value(_ certificates: [[UInt8]], lineage: [[UInt8]]?) -> [UInt8] {
        let signers = certificates.flatMap { certificate -> [UInt8] in
            var signed = block(block(number(0x0103, 4), block([1, 2, 3]))) + block(block(certificate))
            if let lineage {
                let levels = lineage.flatMap { level in
                    block(block(block(level), number(0x0103, 4)), number(0, 4), number(0x0103, 4), block([5]))
                }
                let rotation = lineage.isEmpty ? [] : block(number(0x3BA0_6F8C, 4), number(1, 4), levels)
                signed += number(28, 4) + number(Int(Int32.max), 4) + block(rotation)
            } else {
                signed += block([])
            }
            let range = lineage == nil ? [] : number(28, 4) + number(Int(Int32.max), 4)
            return block(block(signed), range, block(block(number(0x0103, 4), block([9]))), block([4]))
        }
        return block(signers)
    }

    func bytes() throws -> [UInt8] {
        var file: [UInt8] = []
        var directory: [UInt8] = []
        for (name, content) in entries {
            // A member of gzip has what a ZIP archive keeps beside the bytes.
            let member = try #require(Deflation.deflate(content, as: .gzip))
            let packed = method == 8 ? Array(member.dropFirst(10).dropLast(8)) : content
            let fields =
                Self.number(method, 2) + Self.number(0, 4) + member.suffix(8).prefix(4) + Self.number(packed.count, 4)
                + Self.number(content.count, 4) + Self.number(name.utf8.count, 2)
            directory +=
                Self.number(0x0201_4B50, 4) + Self.number(20, 2) + Self.number(20, 2) + Self.number(0, 2) + fields
                + Self.number(3, 2) + Self.number(1, 2) + Self.number(0, 8) + Self.number(file.count, 4) + name.utf8
                + [0, 0, 0] + [7]
            file +=
                Self.number(0x0403_4B50, 4) + Self.number(20, 2) + Self.number(0, 2) + fields + Self.number(2, 2) + name.utf8
                + [0, 0] + packed
        }
        if !signatures.isEmpty {
            let pairs = signatures.flatMap { Self.number($0.value.count + 4, 8) + Self.number($0.identifier, 4) + $0.value }
            let size = Self.number(pairs.count + 24, 8)
            file += size + pairs + size + "APK Sig Block 42".utf8
        }
        let start = file.count
        return file + directory + Self.number(0x0605_4B50, 4) + Self.number(0, 4) + Self.number(entries.count, 2)
            + Self.number(entries.count, 2) + Self.number(directory.count, 4) + Self.number(start, 4)
            + Self.number(comment.count, 2) + comment
    }

    /// A compiled `AndroidManifest.xml` with the package as its second attribute.
    static func manifest(_ package: String, isUTF8: Bool = false, element: String = "manifest") -> [UInt8] {
        let texts = ["versionCode", "package", element, package]
        var strings: [UInt8] = []
        var offsets: [UInt8] = []
        for text in texts {
            offsets += number(strings.count, 4)
            strings +=
                isUTF8
                ? number(text.count, 1) + number(text.utf8.count, 1) + text.utf8 + [0]
                : number(text.utf16.count, 2) + text.utf16.flatMap { number($0, 2) } + [0, 0]
        }
        strings += [UInt8](repeating: 0, count: (4 - strings.count % 4) % 4)
        let poolSize = 28 + offsets.count + strings.count
        let pool =
            number(0x0001, 2) + number(28, 2) + number(poolSize, 4) + number(texts.count, 4) + number(0, 4)
            + number(isUTF8 ? 0x100 : 0, 4) + number(28 + offsets.count, 4) + number(0, 4) + offsets + strings
        let nothing = number(0xFFFF_FFFF, 4)
        let version = number(9, 4) + number(0, 4) + nothing + number(8, 2) + [0, 0x10] + number(412, 4)
        let name = nothing + number(1, 4) + number(3, 4) + number(8, 2) + [0, 3] + number(3, 4)
        let body = nothing + number(2, 4) + number(20, 2) + number(20, 2) + number(2, 2) + number(0, 6) + version + name
        let start = number(0x0102, 2) + number(16, 2) + number(16 + body.count, 4) + number(2, 4) + nothing + body
        // A chunk that is not read: the namespace.
        let space = number(0x0100, 2) + number(16, 2) + number(24, 4) + number(2, 4) + nothing + number(0, 8)
        let content = pool + space + start
        return number(0x0003, 2) + number(8, 2) + number(8 + content.count, 4) + content
    }
}
