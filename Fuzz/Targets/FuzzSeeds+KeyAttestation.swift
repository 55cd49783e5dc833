import AssayCore
import AssayEncoding
import AssaySimulator

extension FuzzSeeds {
    /// A key description with a value of each form, and provisioning info.
    static var keyAttestation: [(name: String, bytes: [UInt8])] {
        let null: [UInt8] = [0x05, 0x00]
        let level: [UInt8] = [0x0A, 0x01, 0x01]
        let digest = DERWriter.octetString([UInt8](repeating: 7, count: 32))
        let package = DERWriter.sequence([DERWriter.octetString(Array("com.example.fuzz".utf8)), DERWriter.integer(7)])
        let application = DERWriter.sequence([DERWriter.set([package]), DERWriter.set([digest])])
        let root = DERWriter.sequence([digest, DERWriter.boolean(true), [0x0A, 0x01, 0x00], digest])
        let statements: [(Int, [UInt8])] = [
            (1, DERWriter.set([DERWriter.integer(2), DERWriter.integer(3)])), (2, DERWriter.integer(3)), (503, null),
            (702, DERWriter.integer(0)), (704, root), (706, DERWriter.integer(202_403)), (999, null),
        ]
        let description = DERWriter.sequence([
            DERWriter.integer(300), level, DERWriter.integer(300), level, DERWriter.octetString([1, 2, 3]),
            DERWriter.octetString([]), DERWriter.sequence([DERWriter.context(709, [DERWriter.octetString(application)])]),
            DERWriter.sequence(statements.map { DERWriter.context($0.0, [$0.1]) }),
        ])
        return [
            ("key-attestation/description", description),
            ("key-attestation/provisioning", [0xA2, 0x01, 0x18, 0x40, 0x03, 0x66] + Array("Google".utf8)),
            ("key-attestation/parts", Evidence.join([description, description])),
        ]
    }
}
