import AssayCore
import AssayEncoding
import AssaySimulator

@testable import AndroidKeyAttestation

/// Makes key descriptions that are valid unless a test changes them.
struct SampleDescription {
    typealias Statement = (tag: Int, value: [UInt8])

    var attestationVersion = DERWriter.integer(300)
    var attestationLevel = SampleDescription.enumerated(1)
    var keyMintVersion = DERWriter.integer(300)
    var keyMintLevel = SampleDescription.enumerated(1)
    var challenge = DERWriter.octetString(Array("challenge".utf8))
    var uniqueID = DERWriter.octetString([])
    var software: [Statement] = [
        (701, DERWriter.integer(1_700_000_000_000)), (709, SampleDescription.application(["com.example.photos"])),
    ]
    var hardware: [Statement] = [
        (1, DERWriter.set([DERWriter.integer(2), DERWriter.integer(3)])), (2, DERWriter.integer(3)),
        (3, DERWriter.integer(256)), (10, DERWriter.integer(1)), (503, null), (702, DERWriter.integer(0)),
        (704, SampleDescription.rootOfTrust()), (705, DERWriter.integer(140_000)), (706, DERWriter.integer(202_403)),
        (718, DERWriter.integer(20_240_305)), (719, DERWriter.integer(20_240_305)),
    ]
    var extra: [[UInt8]] = []

    static let null: [UInt8] = [0x05, 0x00]
    static let signer = [UInt8](repeating: 0x33, count: 32)
    static let bootKey = [UInt8](repeating: 0x11, count: 32)

    static func enumerated(_ value: UInt8) -> [UInt8] { [0x0A, 0x01, value] }

    static func application(
        _ packages: [String], version: UInt64 = 7, signers: [[UInt8]] = [SampleDescription.signer]
    ) -> [UInt8] {
        let list = packages.map {
            DERWriter.sequence([DERWriter.octetString(Array($0.utf8)), DERWriter.integer(version)])
        }
        return DERWriter.octetString(
            DERWriter.sequence([DERWriter.set(list), DERWriter.set(signers.map { DERWriter.octetString($0) })]))
    }

    static func rootOfTrust(
        locked: [UInt8] = [0x01, 0x01, 0xFF], state: UInt8 = 0, key: [UInt8] = bootKey, hash: [UInt8]? = bootKey
    ) -> [UInt8] {
        DERWriter.sequence(
            [DERWriter.octetString(key), locked, enumerated(state)] + (hash.map { [DERWriter.octetString($0)] } ?? []))
    }

    static func list(_ statements: [Statement]) -> [UInt8] {
        DERWriter.sequence(statements.map { DERWriter.context($0.tag, [$0.value]) })
    }

    var der: [UInt8] {
        DERWriter.sequence(
            [
                attestationVersion, attestationLevel, keyMintVersion, keyMintLevel, challenge, uniqueID, Self.list(software),
                Self.list(hardware),
            ] + extra)
    }

    /// Sets a value of the hardware-enforced list, or inserts it in order.
    mutating func setHardware(_ tag: Int, _ value: [UInt8]?) { Self.set(&hardware, tag, value) }
    mutating func setSoftware(_ tag: Int, _ value: [UInt8]?) { Self.set(&software, tag, value) }

    private static func set(_ list: inout [Statement], _ tag: Int, _ value: [UInt8]?) {
        list.removeAll { $0.tag == tag }
        guard let value else { return }
        list.append((tag, value))
        list.sort { $0.tag < $1.tag }
    }

    func read() throws(Rejection) -> KeyDescription { try KeyDescription(parsing: der[...]) }

    /// The facts of a key with a chain of this class.
    func facts(
        _ provisioning: ChainClass = .factory, kind: KeyKind? = .p256, count: UInt64? = nil, softwareRoot: Bool = false
    ) throws -> KeyFacts {
        KeyFacts(try read(), kind: kind, softwareRoot: softwareRoot, provisioning: provisioning, provisioningCount: count)
    }
}
