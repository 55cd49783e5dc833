import AssayInstallation

extension FuzzTarget {
    static func signers(_ bytes: [UInt8]) {
        guard let file = try? SignerFile(MemorySource(bytes: bytes)) else { return }
        precondition(file.signers.allSatisfy { $0.certificate.digest.count == 32 }, "a signer has no digest")
    }

    /// Bytes in memory, as a file. A reader that asks for more than there is traps.
    private struct MemorySource: ByteSource {
        let bytes: [UInt8]
        var count: Int { bytes.count }

        func read(_ range: Range<Int>) throws(SignerFileError) -> [UInt8] { Array(bytes[range]) }
    }
}
