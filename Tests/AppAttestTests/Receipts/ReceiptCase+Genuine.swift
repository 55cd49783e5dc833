import AppAttest
import AssayCore
import AssaySimulator

extension ReceiptCase {
    static let genuine: [Self] = [
        .init(0, "genuine", nil),
        .init(0, "of the exchange", nil) { $0.kind = .receipt },
        .init(0, "around the bare public key", nil) { $0.holdsCertificate = false },
        .init(0, "in DER from one end to the other", nil, .genuine.message { $0.length = .shortest }),
        .init(0, "with lengths in more octets than needed", nil, .genuine.message { $0.length = .octets(4) }),
        .init(0, "with its content in one piece", nil, .genuine.message { $0.pieceLength = nil }),
        .init(0, "with its content in pieces of 32 bytes", nil, .genuine.message { $0.pieceLength = 32 }),
        .init(0, "with its certificates in another order", nil, .genuine.message { $0.certificates.reverse() }),
        .init(0, "without the root", nil, .genuine.message { $0.certificates.removeLast() }),
        .init(0, "with signed attributes", nil, .genuine.signedAttributes()),
        .init(0, "with its fields in another order", nil, .genuine.fields { $0.fields.reverse() }),
        .init(0, "with a field of an unknown type", nil, .genuine.fields { $0.fields.append(.init(99, "new")) }),
        .init(0, "without the environment, which is undocumented", nil, .genuine.fields { $0[7] = nil }),
        .init(0, "of the exchange, with a hash that was damaged on the way", nil, .genuine.fields { $0.set(4, "\u{FFFD}") }) {
            $0.kind = .receipt
        },
        .init(0, "held against nothing but the app", nil, .genuine.fields { $0.set(7, "sandbox") }) {
            $0.expect = { $0 = ReceiptExpectation(rpIDHash: $0.rpIDHash) }
        },
    ]
}
