import AssayPlugin

/// A package as a client sends it: JSON with exactly these members, all of them in one object, or in the objects of the nested form, which
/// states its version.
struct Capture {
    enum UserKeyType: String, CaseIterable {
        case ed25519, secp256k1
    }

    static let saltSizes = 32...64
    /// Of the nested form. What the signatures cover is the same in both.
    static let version = "1"
    /// To the end of the year 9999, so that milliseconds fit.
    private static let timestamps: ClosedRange<Int64> = 0...253_402_300_799

    /// Of any length: a wrong one is a fault of its own.
    let salt: [UInt8]
    let deviceID: String
    let sessionID: String
    /// Seconds since 1970.
    let timestamp: Int64
    let saltBinding: [UInt8]
    let payloadHash: [UInt8]
    let clientID: String
    let clientSignature: [UInt8]
    let userKeyType: UserKeyType
    let userPublicKey: [UInt8]
    let userSignature: [UInt8]

    init(parsing body: [UInt8]) throws {
        let members = try Members(parsing: body)
        let form = try members.has("protocol_version") ? Form(nested: members) : Form(flat: members)
        salt = try form.binding.hex("salt")
        deviceID = try form.binding.text("device_id")
        sessionID = try form.binding.text("session_id")
        timestamp = try form.binding.integer("timestamp", in: Self.timestamps)
        saltBinding = try form.binding.hex(form.bindingHash, sizes: 32...32)
        payloadHash = try members.hex("payload_hash", sizes: 32...32)
        clientID = try form.proof.text("client_id")
        clientSignature = try form.proof.hex("client_signature", sizes: 64...64)
        userKeyType = try form.proof.word("user_key_type")
        userPublicKey = try form.proof.hex("user_public_key", sizes: 32...65)
        userSignature = try form.proof.hex("user_signature", sizes: 64...64)
        try form.requireCounts()
        guard Self.fits(userPublicKey, userKeyType) else {
            throw Refusal(
                .malformed,
                "expected \(form.proof.place("user_public_key")) as a key of \(userKeyType.rawValue); its "
                    + "\(userPublicKey.count) bytes are not one")
        }
    }

    /// Whether a key has the form of its type: 32 bytes, or a compressed or uncompressed point.
    private static func fits(_ key: [UInt8], _ type: UserKeyType) -> Bool {
        switch (type, key.count) {
        case (.ed25519, 32): true
        case (.secp256k1, 33): key.first == 2 || key.first == 3
        case (.secp256k1, 65): key.first == 4
        default: false
        }
    }

    /// What the salt's binding is the SHA-256 of.
    var bound: [UInt8] {
        salt + Array(deviceID.utf8) + Array(sessionID.utf8)
            + (0..<8).map { UInt8(truncatingIfNeeded: timestamp >> (56 - 8 * $0)) }
    }

    var signedByClient: [UInt8] { salt + payloadHash }

    var signedByUser: [UInt8] { salt + payloadHash + clientSignature }
}

/// Where the members of a package stand.
private struct Form {
    /// The object with salt, device, session and time, and the name of the hash over them there.
    let binding: Members
    let bindingHash: String
    /// The object with the signatures.
    let proof: Members
    /// Each object, and how many members it has.
    private let counts: [(Members, Int)]

    init(flat members: Members) {
        binding = members
        bindingHash = "salt_binding"
        proof = members
        counts = [(members, 11)]
    }

    init(nested members: Members) throws {
        try members.requireVersion("protocol_version", Capture.version)
        binding = try members.object("salt_binding")
        bindingHash = "binding_hash"
        proof = try members.object("signature_proof")
        counts = [(members, 4), (binding, 5), (proof, 5)]
    }

    /// All members were asked for: an object with more has one that is not known.
    func requireCounts() throws {
        for (members, count) in counts {
            try members.requireCount(count)
        }
    }
}

/// The members of an object of the body.
private struct Members {
    let object: JSON
    /// The name of the object that has them; `nil` for the body.
    let name: String?

    init(parsing body: [UInt8]) throws {
        do throws(JSON.Failure) {
            object = try JSON(parsing: body, depth: 2, count: 64)
        } catch {
            throw Refusal(.malformed, "the body is not JSON: at byte \(error.offset): \(error.reason)")
        }
        name = nil
        guard object.members != nil else { throw Refusal(.malformed, "expected a JSON object, found \(object.kindName)") }
    }

    private init(_ object: JSON, name: String) throws {
        self.object = object
        self.name = name
        guard object.members != nil else {
            throw Refusal(.malformed, "expected \(name) as an object, found \(object.kindName)")
        }
    }

    func has(_ name: String) -> Bool { object[name] != nil }

    /// The member's place in the body, such as `salt_binding.salt`.
    func place(_ member: String) -> String {
        name.map { "\($0).\(member)" } ?? member
    }

    func object(_ name: String) throws -> Members {
        try Members(member(name), name: name)
    }

    /// All others were asked for.
    func requireCount(_ count: Int) throws {
        guard let members = object.members, members.count == count else {
            throw Refusal(
                .malformed,
                "expected the \(count) members of \(name ?? "a package") and no more, found \(object.members?.count ?? 0)")
        }
    }

    func requireVersion(_ name: String, _ version: String) throws {
        guard case .number(let found) = try member(name) else {
            throw Refusal(.malformed, "expected \(place(name)) as a number")
        }
        guard found == version else {
            throw Refusal("unsupported_version", "expected \(place(name)) \(version), found \(found.prefix(20))")
        }
    }

    private func member(_ name: String) throws -> JSON {
        guard let value = object[name] else { throw Refusal(.malformed, "the member \(place(name)) is missing") }
        return value
    }

    /// 1 to 128 bytes without control characters.
    func text(_ name: String) throws -> String {
        guard let text = try member(name).text, (1...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else { throw Refusal(.malformed, "expected \(place(name)) as text of 1 to 128 bytes without control characters") }
        return text
    }

    func hex(_ name: String, sizes: ClosedRange<Int> = 0...1024) throws -> [UInt8] {
        guard let text = try member(name).text, let bytes = Bytes.hex(text), sizes.contains(bytes.count) else {
            let size = sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
            throw Refusal(.malformed, "expected \(place(name)) as \(size) bytes in hex")
        }
        return bytes
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let integer = try member(name).integer, range.contains(integer) else {
            throw Refusal(.malformed, "expected \(place(name)) as seconds since 1970, up to \(range.upperBound)")
        }
        return integer
    }

    func word(_ name: String) throws -> Capture.UserKeyType {
        let value = try member(name)
        guard let found = Capture.UserKeyType.allCases.first(where: { value.spells($0.rawValue) }) else {
            throw Refusal(.malformed, "expected \(place(name)) as ed25519 or secp256k1")
        }
        return found
    }
}
