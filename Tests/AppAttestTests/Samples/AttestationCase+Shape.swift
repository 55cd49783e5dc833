import AssayCore
import AssayEncoding
import AssaySimulator

extension AttestationCase {
    /// Rows 1 to 9 and 52: the object.
    static let shapes: [AttestationCase] = [
        .init(1, "no bytes", .malformedCBOR, .genuine.bytes { $0 = [] }),
        .init(1, "one byte", .malformedCBOR, .genuine.bytes { $0 = [0xA3] }),
        .init(1, "random bytes", .malformedCBOR, .genuine.bytes { $0 = Mutator(seed: 1).randomBytes(500) }),
        .init(1, "a byte more than 32 KiB", .evidenceTooLarge, .genuine.bytes { $0 = [UInt8](repeating: 0, count: 32_769) }),
        .init(2, "a byte behind the object", .malformedCBOR, .genuine.bytes { $0.append(0) }),
        .init(2, "an item behind the object", .malformedCBOR, .genuine.bytes { $0.append(0xA0) }),
        .init(3, "an outer map of indefinite length", .malformedCBOR, .genuine.object { $0.indefinite = true }),
        .init(3, "a statement of indefinite length", .malformedCBOR, .genuine.statement { $0.indefinite = true }),
        .init(
            3, "authenticator data in chunks", .malformedCBOR,
            .genuine.object { $0["authData"] = CBORWriter.indefiniteBytes([[1], [2]]) }),
        .init(
            3, "certificates in an array of indefinite length", .malformedCBOR,
            .genuine.statement { $0["x5c"] = CBORWriter.indefiniteArray([CBORWriter.bytes([0x30])]) }),
        .init(
            4, "authData twice", .malformedCBOR, .genuine.object { $0.append("authData", $0["authData"] ?? []) }),
        .init(4, "x5c twice", .malformedCBOR, .genuine.statement { $0.append("x5c", $0["x5c"] ?? []) }),
        .init(5, "authData as text", .malformedCBOR, .genuine.object { $0["authData"] = CBORWriter.text("data") }),
        .init(5, "fmt as bytes", .malformedCBOR, .genuine.object { $0["fmt"] = CBORWriter.bytes(Array("apple".utf8)) }),
        .init(5, "attStmt as an array", .malformedCBOR, .genuine.object { $0["attStmt"] = CBORWriter.array([]) }),
        .init(5, "x5c as a map", .malformedCBOR, .genuine.statement { $0["x5c"] = CBORMap().bytes }),
        .init(
            5, "a certificate as text", .malformedCBOR,
            .genuine.statement { $0["x5c"] = CBORWriter.array([CBORWriter.text("a"), CBORWriter.text("b")]) }),
        .init(5, "the receipt as text", .malformedCBOR, .genuine.statement { $0["receipt"] = CBORWriter.text("receipt") }),
        .init(5, "no authData", .malformedCBOR, .genuine.object { $0["authData"] = nil }),
        .init(5, "no fmt", .malformedCBOR, .genuine.object { $0["fmt"] = nil }),
        .init(5, "no attStmt", .malformedCBOR, .genuine.object { $0["attStmt"] = nil }),
        .init(5, "a number as a member's name", .malformedCBOR, .genuine.object { $0.append(1, CBORWriter.integer(1)) }),
        .init(5, "an array around the object", .malformedCBOR, .genuine.bytes { $0 = CBORWriter.array([$0]) }),
        .init(
            5, "a tag", .malformedCBOR,
            .genuine.object { $0["authData"] = CBORWriter.tagged(24, $0["authData"] ?? []) }),
        .init(
            5, "a head longer than it needs to be", .malformedCBOR,
            .genuine.object { $0["fmt"] = CBORWriter.text("apple-appattest", width: .two) }),
        .init(6, "a length of 2^63", .malformedCBOR, .genuine.object { $0["authData"] = CBORWriter.head(2, 1 << 63) }),
        .init(6, "a length of 2^64 - 1", .malformedCBOR, .genuine.statement { $0["receipt"] = CBORWriter.head(2, .max) }),
        .init(6, "an array of 2^40", .malformedCBOR, .genuine.statement { $0["x5c"] = CBORWriter.head(4, 1 << 40) }),
        .init(
            7, "a thousand levels", .malformedCBOR,
            .genuine.object { $0.append("x", [UInt8](repeating: 0x81, count: 1000) + [0]) }),
        .init(8, "fmt apple", .wrongFormat, .genuine.object { $0["fmt"] = CBORWriter.text("apple") }),
        .init(8, "fmt packed", .wrongFormat, .genuine.object { $0["fmt"] = CBORWriter.text("packed") }),
        .init(
            8, "fmt none without a statement", .wrongFormat,
            .genuine.object {
                $0["fmt"] = CBORWriter.text("none"); $0["attStmt"] = CBORMap().bytes
            }),
        .init(8, "fmt in another case", .wrongFormat, .genuine.object { $0["fmt"] = CBORWriter.text("Apple-AppAttest") }),
        .init(8, "an empty fmt", .wrongFormat, .genuine.object { $0["fmt"] = CBORWriter.text("") }),
        .init(8, "fmt with a zero byte", .wrongFormat, .genuine.object { $0["fmt"] = CBORWriter.text("apple-appattest\0") }),
        .init(9, "no certificate", .badChain, .genuine.chain { $0 = [] }),
        .init(9, "no x5c", .badChain, .genuine.statement { $0["x5c"] = nil }),
        .init(9, "the leaf alone", .badChain, .genuine.chain { $0.removeLast() }),
        .init(9, "five certificates", .badChain, .genuine.chain { $0 += [$0[1], $0[1], $0[1]] }),
        .init(9, "33 certificates", .malformedCBOR, .genuine.chain { $0 = [[UInt8]](repeating: [0x30, 0], count: 33) }),
        .init(9, "no receipt", .receiptMissing, .genuine.statement { $0["receipt"] = nil }),
        .init(9, "an empty receipt", .receiptMissing, .genuine.statement { $0["receipt"] = CBORWriter.bytes([]) }),
        .init(
            52, "an assertion in its place", .malformedCBOR,
            .genuine.object {
                $0 = CBORMap()
                $0.append("signature", CBORWriter.bytes([0x30, 0]))
                $0.append("authenticatorData", CBORWriter.bytes([UInt8](repeating: 0, count: 37)))
            }),
    ]
}
