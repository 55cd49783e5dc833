import AssayCore
import AssayEncoding

/// A COSE_Sign1 (RFC 9052 §4.2), split into its parts and not verified. It has one spelling: tag 18, strict CBOR, and nothing that is not signed but the
/// signature itself.
struct SignedMessage {
    /// Claims, submodules, appraisal, its claims, a list in these; a header has its claims one level deeper.
    static let depthLimit = 8
    /// The head of tag 18.
    static let tag: UInt8 = 0xD2

    let protected: ProtectedHeader
    let payload: ArraySlice<UInt8>
    let signature: [UInt8]
    /// The Sig_structure (RFC 9052 §4.4), over the header as it was received.
    let signedBytes: [UInt8]

    init(parsing message: ArraySlice<UInt8>) throws(Rejection) {
        guard message.first == Self.tag else { throw Rejection(.malformedToken, "no COSE_Sign1 under tag 18") }
        let item = try CBORReader.parse(message.dropFirst(), code: .malformedToken, depth: Self.depthLimit)
        var elements: [CBORItem] = []
        try item.elements("the message") { element throws(Rejection) in elements.append(element) }
        guard elements.count == 4 else { throw Rejection(.malformedToken, "a message of \(elements.count) elements, not 4") }
        let encoded = try elements[0].bytes("the protected header")
        protected = try ProtectedHeader(encoded)
        guard elements[1].kind == .map, elements[1].argument == 0 else {
            throw Rejection(.malformedToken, "an unprotected header that is not empty")
        }
        payload = try elements[2].bytes("the content")
        signature = Array(try elements[3].bytes("the signature"))
        signedBytes = CBORWriter.array([
            CBORWriter.text("Signature1"), CBORWriter.bytes(Array(encoded)), CBORWriter.bytes([]),
            CBORWriter.bytes(Array(payload)),
        ])
    }
}

/// The header that is signed, by labels.
struct ProtectedHeader {
    private var members: [(label: Int64, value: CBORItem)] = []

    init(_ bytes: ArraySlice<UInt8>) throws(Rejection) {
        let map = try CBORReader.parse(bytes, code: .malformedToken, depth: SignedMessage.depthLimit)
        var members: [(label: Int64, value: CBORItem)] = []
        try map.pairs("the protected header") { key, value throws(Rejection) in
            guard let label = key.integer else { throw Rejection(.malformedToken, "a label that is no number") }
            members.append((label, value))
        }
        self.members = members
    }

    var labels: [Int64] { members.map(\.label) }

    subscript(label: Int64) -> CBORItem? { members.first { $0.label == label }?.value }

    func text(_ label: Int64, _ place: String) throws(ResultFault) -> String {
        guard let item = self[label] else { throw ResultFault(.wrongType, place, "is missing") }
        return try ResultFault.wrapping(place) { () throws(Rejection) in try item.text("it") }
    }

    func bytes(_ label: Int64, _ place: String) throws(ResultFault) -> ArraySlice<UInt8> {
        guard let item = self[label] else { throw ResultFault(.wrongType, place, "is missing") }
        return try ResultFault.wrapping(place) { () throws(Rejection) in try item.bytes("it") }
    }
}
