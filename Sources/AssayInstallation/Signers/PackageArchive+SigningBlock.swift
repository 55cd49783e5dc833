import AssayCore

/// The APK Signing Block before the archive's directory, with signatures of the APK Signature Scheme v2 and later.
///
///     size (8), { length (8), identifier (4), value }…, size (8), "APK Sig Block 42"
extension PackageArchive {
    /// Schemes, by the identifiers of their values.
    enum Scheme: UInt64, CaseIterable {
        case two = 0x7109_871A
        case three = 0xF053_68C0
        case threeOne = 0x1B93_AD61

        var name: String {
            switch self {
            case .two: "APK Signature Scheme v2"
            case .three: "APK Signature Scheme v3"
            case .threeOne: "APK Signature Scheme v3.1"
            }
        }
    }

    private static var place: String { "the APK Signing Block" }
    private static var footerSize: Int { 24 }
    /// Values in the block. Five are usual, padding among them.
    private static var pairLimit: Int { 64 }
    /// Bytes of the value of a scheme. They hold a few certificates and signatures.
    private static var valueLimit: Int { 1 << 20 }
    /// Android takes as many of scheme v2.
    private static var signerLimit: Int { 10 }
    /// Certificates of a signer, and earlier keys in a lineage.
    private static var certificateLimit: Int { 32 }

    /// Who signed by a scheme, the first certificate of each signer; and the earlier ones whose place it took.
    func signingBlockSigners() throws(SignerFileError) -> [(scheme: Scheme, certificate: [UInt8])] {
        guard let values = try schemeValues() else { return [] }
        var signers: [(Scheme, [UInt8])] = []
        for scheme in Scheme.allCases {
            guard let value = values[scheme] else { continue }
            for certificate in try Self.signers(value, scheme) { signers.append((scheme, certificate)) }
        }
        return signers
    }

    /// The values of the schemes; `nil` where there is no block.
    private func schemeValues() throws(SignerFileError) -> [Scheme: [UInt8]]? {
        guard directoryOffset >= Self.footerSize + 8 else { return nil }
        let footer = try source.bytes(at: directoryOffset - Self.footerSize, count: Self.footerSize, of: Self.place)
        guard footer.dropFirst(8).elementsEqual("APK Sig Block 42".utf8) else { return nil }
        var cursor = LittleEndianCursor(footer[...], Self.place)
        let size = try cursor.count(8)
        guard size >= Self.footerSize, size <= directoryOffset - 8 else { throw cursor.failure("a size of \(size) bytes") }
        let start = directoryOffset - 8 - size
        var head = LittleEndianCursor(try source.bytes(at: start, count: 8, of: Self.place)[...], Self.place)
        guard try head.count(8) == size else { throw head.failure("its two sizes differ") }
        var values: [Scheme: [UInt8]] = [:]
        var (position, end, pairs) = (start + 8, directoryOffset - Self.footerSize, 0)
        while position < end {
            pairs += 1
            guard pairs <= Self.pairLimit else { throw cursor.failure("more than \(Self.pairLimit) values") }
            guard end - position >= 12 else { throw cursor.failure("a value that ends outside of it") }
            var pair = LittleEndianCursor(try source.bytes(at: position, count: 12, of: Self.place)[...], Self.place)
            let (length, identifier) = (try pair.count(8), try pair.number(4))
            guard length >= 4, length <= end - position - 8 else { throw pair.failure("a value that ends outside of it") }
            if let scheme = Scheme(rawValue: identifier) {
                guard length - 4 <= Self.valueLimit else { throw pair.failure("a signature of \(length) bytes") }
                guard values[scheme] == nil else { throw pair.failure("two values of the \(scheme.name)") }
                values[scheme] = try source.bytes(at: position + 12, count: length - 4, of: Self.place)
            }
            position += 8 + length
        }
        return values
    }

    private static func signers(_ value: [UInt8], _ scheme: Scheme) throws(SignerFileError) -> [[UInt8]] {
        var outer = LittleEndianCursor(value[...], scheme.name)
        var list = try outer.inner("signers")
        var found: [[UInt8]] = []
        var count = 0
        while !list.isAtEnd {
            count += 1
            guard count <= signerLimit else { throw list.failure("more than \(signerLimit) signers") }
            var signer = try list.inner("a signer")
            var signed = try signer.inner("the signed data")
            // The digests of the contents, which are not compared: nothing is trusted by this.
            _ = try signed.block()
            var certificates = try signed.inner("the certificates")
            guard !certificates.isAtEnd else { throw certificates.failure("there is none") }
            found.append(Array(try certificates.block()))
            guard scheme != .two else { continue }
            // The versions of Android from and up to which the signer counts.
            try signed.skip(8)
            var attributes = try signed.inner("the attributes")
            found += try earlier(&attributes)
        }
        guard !found.isEmpty else { throw list.failure("there is none") }
        return found
    }

    /// The certificates of a lineage (proof of rotation), the oldest first. Devices may attest the oldest after a rotation.
    private static func earlier(_ attributes: inout LittleEndianCursor) throws(SignerFileError) -> [[UInt8]] {
        let proofOfRotation: UInt64 = 0x3BA0_6F8C
        var found: [[UInt8]] = []
        while !attributes.isAtEnd {
            var attribute = try attributes.inner("an attribute")
            guard try attribute.number(4) == proofOfRotation else { continue }
            try attribute.skip(4)
            while !attribute.isAtEnd {
                guard found.count < certificateLimit else { throw attribute.failure("more than \(certificateLimit) keys") }
                var level = try attribute.inner("a key of the lineage")
                var signed = try level.inner("the signed data")
                found.append(Array(try signed.block()))
            }
        }
        return found
    }
}
