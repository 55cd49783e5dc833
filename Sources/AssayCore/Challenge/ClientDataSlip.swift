import Crypto

/// A mistake that apps make with the client data, recognised by what it gives: other bytes are hashed, signed or sent than those
/// that both sides agreed on.
///
/// A slip is looked for only after a comparison has failed, and changes nothing in its outcome.
package struct ClientDataSlip: Hashable, Sendable {
    /// What the device signed or carried.
    package let bytes: [UInt8]
    /// For people: "the app hashed the Base64 text of the client data".
    package let sentence: String

    init(_ bytes: [UInt8], _ sentence: String) { (self.bytes, self.sentence) = (bytes, sentence) }

    /// The most that are tried where each costs the verification of a signature.
    package static let signatureLimit = 8
}

extension [ClientDataSlip] {
    /// The sentence of the first slip that explains what was found, after a separator; empty if none does.
    package func explanation(where matches: ([UInt8]) -> Bool) -> String {
        first { matches($0.bytes) }.map { ": " + $0.sentence } ?? ""
    }
}

extension Binding {
    /// The slips of an app that passes a hash to its platform, the most frequent first.
    package var slipsOfHash: [ClientDataSlip] {
        guard mode != .inEvidence else { return [] }
        guard mode != .callerOwned else {
            return [ClientDataSlip(SHA256.bytes(of: clientDataHash), "the app hashed the expected hash once more")]
                + Self.texts(of: clientDataHash, "the expected hash").flatMap(Self.passedAndHashed) + Self.nothing
        }
        let texts = Self.texts(of: clientData, "the client data")
        var slips = texts.map { ClientDataSlip(SHA256.bytes(of: $0.bytes), "the app hashed \($0.name)") }
        // Of hexadecimal in capitals, which is rare, later.
        let capitals = slips.popLast()
        slips += [
            ClientDataSlip(clientData, "the app passed the client data without hashing it"),
            ClientDataSlip(SHA256.bytes(of: clientDataHash), "the app hashed the client data twice"),
        ]
        slips += otherData.flatMap { other in
            [
                ClientDataSlip(SHA256.bytes(of: other.bytes), "the app hashed \(other.name)"),
                ClientDataSlip(other.bytes, "the app passed \(other.name), without hashing it"),
            ]
        }
        slips += [capitals].compactMap { $0 }
        slips += texts.map { ClientDataSlip($0.bytes, "the app passed \($0.name), without hashing it") }
        slips += Self.texts(of: clientDataHash, "the hash of the client data").flatMap(Self.passedAndHashed)
        return slips + Self.nothing
    }

    /// The slips of an app whose platform carries or signs the client data as it is, the most frequent first.
    package var slipsOfData: [ClientDataSlip] {
        guard mode != .inEvidence else { return [] }
        let name = mode == .callerOwned ? "the expected bytes" : "the client data"
        let hash = SHA256.bytes(of: clientData)
        var slips = [ClientDataSlip(hash, "the app passed the hash of \(name), not \(name)")]
        slips += Self.texts(of: clientData, name).map { ClientDataSlip($0.bytes, "the app passed \($0.name)") }
        slips += otherData.flatMap { other in
            [
                ClientDataSlip(other.bytes, "the app passed \(other.name)"),
                ClientDataSlip(SHA256.bytes(of: other.bytes), "the app passed the hash of \(other.name)"),
            ]
        }
        slips += Self.texts(of: clientData, name).map {
            ClientDataSlip(SHA256.bytes(of: $0.bytes), "the app passed the hash of \($0.name)")
        }
        slips += Self.texts(of: hash, "the hash of \(name)").map { ClientDataSlip($0.bytes, "the app passed \($0.name)") }
        slips.append(ClientDataSlip(SHA256.bytes(of: hash), "the app passed the hash of the hash of \(name)"))
        return slips
    }

    /// What apps take for the client data: parts of it, or more than it.
    private var otherData: [(bytes: [UInt8], name: String)] {
        guard mode != .callerOwned else { return [] }
        var others: [(bytes: [UInt8], name: String)] = []
        if let challenge, challenge != clientData {
            others.append((challenge, "the challenge alone"))
            if let data = ClientData(parsing: clientData) {
                if data.payloadHash != nil, let bare = ClientData(purpose: data.purpose, challenge: data.challenge) {
                    others.append((bare.bytes, "client data that bind no payload"))
                }
                for purpose in Purpose.allCases where purpose != data.purpose {
                    let other = ClientData(purpose: purpose, challenge: data.challenge, payloadHash: data.payloadHash)
                    if let other { others.append((other.bytes, "client data of the purpose \(purpose.name)")) }
                }
            }
            others += Self.texts(of: challenge, "the challenge alone")
        }
        others.append((clientData + [UInt8(ascii: "\n")], "the client data with a line feed after it"))
        return others
    }

    /// The texts in which bytes are written, hexadecimal in capitals last.
    private static func texts(of bytes: [UInt8], _ name: String) -> [(bytes: [UInt8], name: String)] {
        let hexadecimal = Hex.encode(bytes)
        return [
            (Array(Base64.standard.encode(bytes).utf8), "the Base64 text of \(name)"),
            (Array(Base64.url.encode(bytes).utf8), "the base64url text of \(name)"),
            (Array(hexadecimal.utf8), "the hexadecimal text of \(name)"),
            (Array(hexadecimal.uppercased().utf8), "the hexadecimal text of \(name), in capitals"),
        ]
    }

    private static func passedAndHashed(_ text: (bytes: [UInt8], name: String)) -> [ClientDataSlip] {
        [
            ClientDataSlip(text.bytes, "the app passed \(text.name)"),
            ClientDataSlip(SHA256.bytes(of: text.bytes), "the app hashed \(text.name)"),
        ]
    }

    private static var nothing: [ClientDataSlip] {
        [
            ClientDataSlip(SHA256.bytes(of: []), "the app hashed nothing"), ClientDataSlip([], "the app passed no bytes"),
        ]
    }
}
