import AssayCore
import AssayEncoding
import AssayInstallation
import Testing

/// A certificate of the form that apps are signed with. Its key and its signature are made up: nothing that reads it verifies them.
enum MadeCertificate {
    /// - Parameter isFirstVersion: of version 1, as old build tools made them.
    static func der(_ name: String, serial: UInt64 = 7, isFirstVersion: Bool = false) -> [UInt8] {
        let algorithm = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.2")])
        let time = DERWriter.time(Timestamp(unixSeconds: 1_795_000_000))
        let key = DERWriter.sequence([algorithm, DERWriter.bitString([4] + [UInt8](repeating: 9, count: 64))])
        let body =
            (isFirstVersion ? [] : [DERWriter.context(0, [DERWriter.integer(2)])])
            + [
                DERWriter.integer(serial), algorithm, self.name(name), DERWriter.sequence([time, time]), self.name(name), key,
            ]
        return DERWriter.sequence([DERWriter.sequence(body), algorithm, DERWriter.bitString([1, 2, 3])])
    }

    static func name(_ text: String) -> [UInt8] {
        let attribute = DERWriter.sequence([DERWriter.objectIdentifier("2.5.4.3"), DERWriter.utf8String(text)])
        return DERWriter.sequence([DERWriter.set([attribute])])
    }

    /// The signature block of JAR signing with these certificates, whose signer is the one of this name and number.
    static func signatureBlock(_ certificates: [[UInt8]], signer: String, serial: UInt64 = 7) -> [UInt8] {
        let digest = DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.2.1")])
        let info = DERWriter.sequence([
            DERWriter.integer(1), DERWriter.sequence([name(signer), DERWriter.integer(serial)]), digest, digest,
            DERWriter.octetString([1]),
        ])
        let data = DERWriter.sequence([
            DERWriter.integer(1), DERWriter.set([digest]),
            DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.7.1")]), DERWriter.context(0, certificates),
            DERWriter.set([info]),
        ])
        return DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.7.2"), DERWriter.context(0, [data])])
    }
}

/// Bytes in memory, as a file.
struct MemorySource: ByteSource {
    let bytes: [UInt8]
    var count: Int { bytes.count }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(_ range: Range<Int>) throws(SignerFileError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
            Issue.record("a reader asks for \(range) of \(bytes.count) bytes")
            throw .unreadable("there is no such place")
        }
        return Array(bytes[range])
    }
}
