import AssayPlugin

/// A package as a client sends it: JSON with exactly these members.
struct Capture {
    enum UserKeyType: String, CaseIterable {
        case ed25519, secp256k1
    }

    static let saltSizes = 32...64
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
        salt = try members.hex("salt")
        deviceID = try members.text("device_id")
        sessionID = try members.text("session_id")
        timestamp = try members.integer("timestamp", in: Self.timestamps)
        saltBinding = try members.hex("salt_binding", sizes: 32...32)
        payloadHash = try members.hex("payload_hash", sizes: 32...32)
        clientID = try members.text("client_id")
        clientSignature = try members.hex("client_signature", sizes: 64...64)
        userKeyType = try members.word("user_key_type")
        userPublicKey = try members.hex("user_public_key", sizes: 32...65)
        userSignature = try members.hex("user_signature", sizes: 64...64)
        try members.requireCount(11)
        guard Self.fits(userPublicKey, userKeyType) else {
            throw Refusal(
                .malformed,
                "expected user_public_key as a key of \(userKeyType.rawValue); its \(userPublicKey.count) bytes are not one")
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

/// The members of the object that a body holds.
private struct Members {
    let object: JSON

    init(parsing body: [UInt8]) throws {
        do throws(JSON.Failure) {
            object = try JSON(parsing: body, depth: 1, count: 64)
        } catch {
            throw Refusal(.malformed, "the body is not JSON: at byte \(error.offset): \(error.reason)")
        }
        guard object.members != nil else { throw Refusal(.malformed, "expected a JSON object, found \(object.kindName)") }
    }

    /// All others were asked for.
    func requireCount(_ count: Int) throws {
        guard let members = object.members, members.count == count else {
            throw Refusal(
                .malformed, "expected the \(count) members of a package and no more, found \(object.members?.count ?? 0)")
        }
    }

    private func member(_ name: String) throws -> JSON {
        guard let value = object[name] else { throw Refusal(.malformed, "the member \(name) is missing") }
        return value
    }

    /// 1 to 128 bytes without control characters.
    func text(_ name: String) throws -> String {
        guard let text = try member(name).text, (1...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
        else { throw Refusal(.malformed, "expected \(name) as text of 1 to 128 bytes without control characters") }
        return text
    }

    func hex(_ name: String, sizes: ClosedRange<Int> = 0...1024) throws -> [UInt8] {
        guard let text = try member(name).text, let bytes = Bytes.hex(text), sizes.contains(bytes.count) else {
            let size = sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
            throw Refusal(.malformed, "expected \(name) as \(size) bytes in hex")
        }
        return bytes
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64 {
        guard let integer = try member(name).integer, range.contains(integer) else {
            throw Refusal(.malformed, "expected \(name) as seconds since 1970, up to \(range.upperBound)")
        }
        return integer
    }

    func word(_ name: String) throws -> Capture.UserKeyType {
        let value = try member(name)
        guard let found = Capture.UserKeyType.allCases.first(where: { value.spells($0.rawValue) }) else {
            throw Refusal(.malformed, "expected \(name) as ed25519 or secp256k1")
        }
        return found
    }
}
