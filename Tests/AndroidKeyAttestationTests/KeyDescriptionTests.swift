import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("Key description")
struct KeyDescriptionTests {
    static func refuses(_ why: Comment, _ change: (inout SampleDescription) -> Void) {
        var sample = SampleDescription()
        change(&sample)
        #expect(throws: Rejection(.malformedExtension, ""), why) { try sample.read() }
    }

    @Test("A key description is read to its last field")
    func reads() throws {
        let description = try SampleDescription().read()
        #expect(description.attestationVersion == 300 && description.keyMintVersion == 300)
        #expect(description.attestationLevel == .trustedEnvironment && description.keyMintLevel == .trustedEnvironment)
        #expect(description.challenge == Array("challenge".utf8) && description.uniqueID.isEmpty)
        #expect(description.quirks.isEmpty)
        let hardware = description.hardwareEnforced
        #expect(hardware.numbers(.purpose) == [2, 3] && hardware.number(.osPatchLevel) == 202_403)
        #expect(hardware.has(.noAuthRequired) && !hardware.has(.allApplications))
        let root = try #require(hardware.rootOfTrust)
        #expect(root.isLocked && root.state == .verified && root.bootKey == SampleDescription.bootKey)
        let application = try #require(description.softwareEnforced.application)
        #expect(application.packages == [.init(name: "com.example.photos", version: 7)])
        #expect(application.signers == [SampleDescription.signer])
    }

    @Test("Strict prefixes and trailing bytes of a key description are refused, and no bit flip traps")
    func mutations() throws {
        let der = SampleDescription().der
        for length in der.indices {
            #expect(throws: Rejection(.malformedExtension, "")) { try KeyDescription(parsing: der.prefix(length)) }
        }
        #expect(throws: Rejection(.malformedExtension, "")) { try KeyDescription(parsing: (der + [0])[...]) }
        for index in der.indices {
            for bit in 0..<8 {
                var bytes = der
                bytes[index] ^= 1 << UInt8(bit)
                _ = try? KeyDescription(parsing: bytes[...])
            }
        }
    }

    @Test("A key description of another structure is refused")
    func shapes() {
        Self.refuses("nine fields") { $0.extra = [DERWriter.integer(1)] }
        Self.refuses("level 3") { $0.attestationLevel = SampleDescription.enumerated(3) }
        Self.refuses("level as INTEGER") { $0.keyMintLevel = DERWriter.integer(1) }
        Self.refuses("level of two octets") { $0.keyMintLevel = [0x0A, 0x02, 0x00, 0x01] }
        Self.refuses("negative version") { $0.attestationVersion = [0x02, 0x01, 0xFF] }
        Self.refuses("version not in its shortest form") { $0.attestationVersion = [0x02, 0x02, 0x00, 0x01] }
        Self.refuses("challenge as text") { $0.challenge = DERWriter.utf8String("challenge") }
        #expect(throws: Rejection(.malformedExtension, "")) { try KeyDescription(parsing: []) }
        let der = SampleDescription().der
        #expect(throws: Rejection(.malformedExtension, "")) {
            try KeyDescription(parsing: ([0x30, 0x80] + der.dropFirst(4) + [0, 0])[...])
        }
    }

    @Test("Unknown later versions of a key description are read")
    func versions() throws {
        for version: UInt64 in [1, 2, 3, 4, 100, 200, 400, 500, 100_000] {
            var sample = SampleDescription()
            sample.attestationVersion = DERWriter.integer(version)
            #expect(try sample.read().attestationVersion == Int(version))
        }
    }

    // MARK: Lists

    @Test("A tag that occurs twice is refused, known or not")
    func twice() {
        Self.refuses("twice") { $0.hardware.append((706, DERWriter.integer(202_405))) }
        Self.refuses("unknown, twice") {
            $0.hardware += [(999, SampleDescription.null), (999, SampleDescription.null)]
        }
    }

    @Test("Unknown tags are kept with their content")
    func unknown() throws {
        var sample = SampleDescription()
        sample.hardware.append((999, DERWriter.integer(5)))
        let description = try sample.read()
        #expect(description.hardwareEnforced.unknown == [.init(number: 999, content: [0x02, 0x01, 0x05])])
        #expect(description.quirks.isEmpty)
    }

    @Test("Known tags with another type, and authorizations without a tag, are refused")
    func types() {
        Self.refuses("text for a number") { $0.setHardware(706, DERWriter.octetString([1])) }
        Self.refuses("negative") { $0.setHardware(706, [0x02, 0x01, 0x80]) }
        Self.refuses("number for a set") { $0.setHardware(1, DERWriter.integer(2)) }
        Self.refuses("enumerations in a set") { $0.setHardware(1, DERWriter.set([SampleDescription.enumerated(2)])) }
        Self.refuses("a number for a flag") { $0.setHardware(503, DERWriter.integer(1)) }
        Self.refuses("NULL with content") { $0.setHardware(503, [0x05, 0x01, 0x00]) }
        Self.refuses("a set without end") {
            $0.setHardware(1, DERWriter.set((0...UInt64(DescriptionReader.setLimit)).map { DERWriter.integer($0) }))
        }
        Self.refuses("two values in a tag") { $0.setHardware(706, DERWriter.integer(1) + DERWriter.integer(1)) }
        Self.refuses("too many statements") {
            $0.hardware = (2000...2000 + AuthorizationList.limit).map { ($0, SampleDescription.null) }
        }
        var sample = SampleDescription()
        sample.extra = []
        let list = DERWriter.sequence([DERWriter.integer(1)])
        let der = DERWriter.sequence([
            sample.attestationVersion, sample.attestationLevel, sample.keyMintVersion, sample.keyMintLevel, sample.challenge,
            sample.uniqueID, list, SampleDescription.list([]),
        ])
        #expect(throws: Rejection(.malformedExtension, "")) { try KeyDescription(parsing: der[...]) }
    }

    @Test("Numbers of 64 bits are kept as numbers, and longer ones as bytes")
    func numbers() throws {
        var sample = SampleDescription()
        sample.setHardware(504, DERWriter.integer(0xFFFF_FFFF))
        sample.setHardware(502, DERWriter.integer(.max))
        sample.setHardware(200, DERWriter.integer(unsigned: [1] + [UInt8](repeating: 0, count: 8)))
        let list = try sample.read().hardwareEnforced
        #expect(list.number(.userAuthType) == 0xFFFF_FFFF && list.number(.userSecureID) == .max)
        #expect(list.number(.rsaPublicExponent) == nil)
        #expect(list[.rsaPublicExponent] == .wide([1, 0, 0, 0, 0, 0, 0, 0, 0]))
    }

    // MARK: Known errors of devices

    @Test("Tags out of order, unsorted sets and 01 for TRUE are accepted and reported")
    func quirks() throws {
        var sample = SampleDescription()
        sample.hardware.swapAt(0, 1)
        #expect(try sample.read().quirks == [.tagsNotAscending])
        sample = SampleDescription()
        sample.setHardware(5, DERWriter.set([DERWriter.integer(4), DERWriter.integer(0)]))
        #expect(try sample.read().quirks == [.setNotSorted])
        sample = SampleDescription()
        sample.setHardware(704, SampleDescription.rootOfTrust(locked: [0x01, 0x01, 0x01]))
        let description = try sample.read()
        #expect(description.quirks == [.booleanNotDER] && description.hardwareEnforced.rootOfTrust?.isLocked == true)
    }

    @Test("A BOOLEAN of another length and an unknown boot state are refused")
    func rootOfTrust() throws {
        Self.refuses("two octets") { $0.setHardware(704, SampleDescription.rootOfTrust(locked: [0x01, 0x02, 0xFF, 0xFF])) }
        Self.refuses("no octet") { $0.setHardware(704, SampleDescription.rootOfTrust(locked: [0x01, 0x00])) }
        Self.refuses("state 4") { $0.setHardware(704, SampleDescription.rootOfTrust(state: 4)) }
        var sample = SampleDescription()
        sample.setHardware(704, SampleDescription.rootOfTrust(hash: nil))
        #expect(try sample.read().hardwareEnforced.rootOfTrust?.bootHash == nil)
    }

    @Test("An application id of another structure is refused")
    func application() throws {
        Self.refuses("plain text") { $0.setSoftware(709, DERWriter.octetString(Array("com.example".utf8))) }
        Self.refuses("a digest of 20 bytes") {
            $0.setSoftware(709, SampleDescription.application(["a"], signers: [[UInt8](repeating: 1, count: 20)]))
        }
        Self.refuses("a version of 64 bits") { $0.setSoftware(709, SampleDescription.application(["a"], version: .max)) }
        Self.refuses("longer than Android makes them") {
            $0.setSoftware(709, SampleDescription.application([String(repeating: "a", count: 1024)]))
        }
        Self.refuses("not UTF-8") {
            let package = DERWriter.sequence([DERWriter.octetString([0xFF]), DERWriter.integer(1)])
            $0.setSoftware(709, DERWriter.octetString(DERWriter.sequence([DERWriter.set([package]), DERWriter.set([])])))
        }
        Self.refuses("bytes behind it") {
            $0.setSoftware(709, DERWriter.octetString(DERWriter.sequence([DERWriter.set([]), DERWriter.set([])]) + [0]))
        }
        var sample = SampleDescription()
        sample.setSoftware(709, SampleDescription.application(["UnknownPackage"], version: 0, signers: []))
        #expect(try sample.read().softwareEnforced.application?.isPlaceholder == true)
    }

    @Test("Facts restored from claims equal the original facts")
    func claims() throws {
        var sample = SampleDescription()
        for tag in AuthorizationTag.allCases {
            switch tag.shape {
            case .number, .time: sample.setHardware(Int(tag.rawValue), DERWriter.integer(UInt64(tag.rawValue)))
            case .numbers: sample.setHardware(Int(tag.rawValue), DERWriter.set([DERWriter.integer(1), DERWriter.integer(9)]))
            case .flag: sample.setHardware(Int(tag.rawValue), SampleDescription.null)
            case .bytes: sample.setHardware(Int(tag.rawValue), DERWriter.octetString([1, 2]))
            case .text: sample.setHardware(Int(tag.rawValue), DERWriter.octetString(Array("text".utf8)))
            case .origin: sample.setHardware(Int(tag.rawValue), DERWriter.integer(9))
            case .rootOfTrust: sample.setHardware(Int(tag.rawValue), SampleDescription.rootOfTrust(state: 1))
            case .application: sample.setHardware(Int(tag.rawValue), SampleDescription.application(["a", "b"]))
            }
        }
        sample.setHardware(Int(AuthorizationTag.userSecureID.rawValue), DERWriter.integer(.max))
        sample.setHardware(Int(AuthorizationTag.serial.rawValue), DERWriter.octetString([0xFF]))
        let facts = try sample.facts(.remote, count: 12)
        #expect(facts.hardwareEnforced.statements.count == AuthorizationTag.allCases.count)
        var claims = Claims()
        facts.add(to: &claims)
        let stored = try #require(Claims(decoding: claims.encoded()))
        #expect(KeyFacts(stored) == facts)
        #expect(Set(claims.all.map(\.name)).count == claims.all.count, "each name once")
    }

    @Test("Facts are not restored from claims of another kind")
    func otherClaims() throws {
        #expect(KeyFacts(Claims()) == nil)
        var claims = Claims()
        try SampleDescription().facts(.remote, count: 3).add(to: &claims)
        for (index, claim) in claims.all.enumerated() {
            var changed = claims.all
            changed[index] = .init(name: claim.name, value: .time(Timestamp(unixMilliseconds: 0)))
            let isTime = claim.name == "software_enforced.creation_datetime"
            #expect((KeyFacts(Claims(changed)) == nil) != isTime, "\(claim.name)")
        }
    }
}
