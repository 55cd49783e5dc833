import AssayCore
import Crypto
import Testing

@Suite("Slips with client data")
struct ClientDataSlipTests {
    private let data = Array("app data ?>?>".utf8) + [0xFB, 0xFF]

    @Test("No slip gives the expected bytes, so that a slip never explains good evidence")
    func distinct() throws {
        let challenge = [UInt8](repeating: 0xFB, count: Challenge.length)
        let own = try #require(ClientData(purpose: .assert, challenge: challenge, payload: [1, 2]))
        for binding in [Binding(embedded: data), Binding(own), Binding(callerOwned: SHA256.bytes(of: data)), .inEvidence] {
            #expect(!binding.slipsOfHash.contains { $0.bytes == binding.clientDataHash } || binding.mode == .inEvidence)
            #expect(!binding.slipsOfData.contains { $0.bytes == binding.clientData } || binding.mode == .inEvidence)
            for slips in [binding.slipsOfHash, binding.slipsOfData] {
                let seen = Dictionary(grouping: slips, by: \.bytes).filter { $0.value.count > 1 }
                #expect(seen.isEmpty, "\(seen.values.map { $0.map(\.sentence) })")
            }
        }
        #expect(Binding.inEvidence.slipsOfHash.isEmpty && Binding.inEvidence.slipsOfData.isEmpty)
    }

    @Test("The five usual slips are among those that are tried on signatures")
    func usual() {
        let first = Binding(embedded: data).slipsOfHash.prefix(ClientDataSlip.signatureLimit).map(\.bytes)
        let hash = SHA256.bytes(of: data)
        for text in [Base64.standard.encode(data), Base64.url.encode(data), Hex.encode(data)] {
            #expect(first.contains(SHA256.bytes(of: Array(text.utf8))))
        }
        #expect(first.contains(data) && first.contains(SHA256.bytes(of: hash)))
    }

    @Test("Client data of 93 bytes are read as they are written, and no other bytes are")
    func parsing() throws {
        let challenge = (0..<54).map { UInt8($0) }
        for payload in [nil, [UInt8]([1])] {
            let data = try #require(
                payload.map { ClientData(purpose: .renew, challenge: challenge, payload: $0) }
                    ?? ClientData(purpose: .renew, challenge: challenge))
            #expect(ClientData(parsing: data.bytes) == data)
            #expect(ClientData(parsing: Array(data.bytes.dropLast())) == nil && ClientData(parsing: data.bytes + [0]) == nil)
            var other = data.bytes
            other[0] ^= 1
            #expect(ClientData(parsing: other) == nil)
            other = data.bytes
            other[6] = 0
            #expect(ClientData(parsing: other) == nil)
        }
    }
}
