import AssayCore
import Crypto

/// Google Play's keys for one app: the two keys of its response encryption, and the private key that only Google has. It makes
/// tokens of classic requests, encrypted as Google does.
public struct PlayConsole: Sendable {
    /// The developer's AES-256 key: 32 bytes. Real ones are in the Play Console, as Base64.
    public let decryptionKey: [UInt8]
    /// A key that a real app never sees; tests use it for forgeries.
    public let signingKey: TestSigningKey

    /// New keys.
    public init() {
        decryptionKey = SecureRandom.bytes(32)
        signingKey = TestSigningKey(.p256)
    }

    init(decryptionKey: [UInt8], signingKey: TestSigningKey) {
        (self.decryptionKey, self.signingKey) = (decryptionKey, signingKey)
    }

    /// The keys of a seed: the same on every machine and in every version.
    public init(seed: String) {
        decryptionKey = Array(SHA256.hash(data: Array("assay.simulator.play.v1\n\(seed)".utf8)))
        signingKey = TestSigningKey(.p256, seed: seed, label: "play integrity")
    }

    /// The developer's verification key: a SubjectPublicKeyInfo in DER, 91 bytes.
    public var verificationKey: [UInt8] { signingKey.subjectPublicKeyInfo }

    /// A token with `payload`.
    public func token(_ payload: JSONDraft) throws(SimulatorError) -> String { try seal(sign(payload.bytes)) }

    /// Google's answer to a request to decode a token with `payload`.
    public static func decoded(_ payload: JSONDraft) -> [UInt8] {
        JSONDraft.object([.init("tokenPayloadExternal", payload)]).bytes
    }

    /// The inner token: a compact JWS, by ES256 whatever the header says.
    ///
    /// - Parameter encode: encodes the signature; RFC 7518 requires r ‖ s.
    public func sign(
        _ payload: [UInt8], header: JSONDraft = Self.signedHeader, encode: (SignatureDraft) -> [UInt8] = { $0.raw }
    ) throws(SimulatorError) -> [UInt8] {
        let signed = Base64.url.encode(header.bytes) + "." + Base64.url.encode(payload)
        let signature = try signingKey.sign(Array(signed.utf8), hash: .sha256)
        return Array((signed + "." + Base64.url.encode(encode(signature))).utf8)
    }

    /// The outer token: a compact JWE, by A256KW and A256GCM whatever the header says.
    public func seal(_ plaintext: [UInt8], header: JSONDraft = Self.sealedHeader) throws(SimulatorError) -> String {
        let head = Base64.url.encode(header.bytes)
        let contentKey = SymmetricKey(size: .bits256)
        do {
            let wrapped = try AES.KeyWrap.wrap(contentKey, using: SymmetricKey(data: decryptionKey))
            let box = try AES.GCM.seal(plaintext, using: contentKey, authenticating: Array(head.utf8))
            let parts: [[UInt8]] = [Array(wrapped), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
            return ([head] + parts.map { Base64.url.encode($0) }).joined(separator: ".")
        } catch {
            throw .signing("\(error)")
        }
    }

    public static let sealedHeader = JSONDraft.object([.init("alg", .text("A256KW")), .init("enc", .text("A256GCM"))])
    public static let signedHeader = JSONDraft.object([.init("alg", .text("ES256"))])
}

extension PlayConsole {
    private static let title = "assay play console 1"

    /// The keys as text, for saving them to a file.
    public var saved: String {
        var saved = SavedText(Self.title)
        saved.add("decryption-key", decryptionKey)
        saved.add("signing-key", signingKey.scalar)
        return saved.text
    }

    /// The keys whose `saved` is the text.
    public init(saved text: String) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        let decryptionKey = try saved.bytes("decryption-key")
        guard decryptionKey.count == 32 else {
            throw .unreadable("the decryption key has \(decryptionKey.count) bytes, not 32")
        }
        self.init(
            decryptionKey: decryptionKey, signingKey: try TestSigningKey(.p256, scalar: try saved.bytes("signing-key")))
    }
}
