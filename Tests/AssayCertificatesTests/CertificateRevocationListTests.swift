import AssayCore
import AssayEncoding
import AssaySimulator
import Foundation
import Testing

@testable import AssayCertificates

@Suite("Certificate revocation lists")
struct CertificateRevocationListTests {
    private static let now = Timestamp(unixSeconds: 1_772_366_400)
    private let authority: CameraAuthority
    private let anchor: TrustAnchor

    init() throws {
        authority = try CameraAuthority(seed: "lists", from: Self.now)
        anchor = try TrustAnchor(name: "issuing", pem: authority.issuingPEM, simulated: false)
    }

    private func list(_ change: (inout RevocationListBuilder) -> Void = { _ in }) throws -> [UInt8] {
        var builder = RevocationListBuilder(
            of: authority, at: Self.now,
            entries: [
                .init([1], at: Self.now), .init([0x80, 2], at: Self.now, reason: 1), .init([3], at: Self.now, reason: 6),
            ])
        change(&builder)
        return try builder.signed(by: authority.issuingKey)
    }

    @Test("A list is read in DER and PEM, with its times, number and entries")
    func reads() throws {
        let der = try list()
        for file in [der, Array(PEM.encode(der, label: "X509 CRL").utf8)] {
            let list = try CertificateRevocationList(file: file)
            try list.verify(by: anchor)
            #expect(list.thisUpdate == Self.now && list.nextUpdate == Self.now.adding(milliseconds: 7 * 86_400_000))
            #expect(list.number == [1])
            let snapshot = list.snapshot(named: "crl")
            #expect(snapshot.count == 3 && snapshot.feed.asOf == Self.now)
            #expect(snapshot[[0x80, 2]]?.reason == "keyCompromise" && snapshot[[1]]?.status == .revoked)
            #expect(snapshot[[3]]?.status == .suspended && snapshot[[4]] == nil)
        }
        let empty = try CertificateRevocationList(file: try list { $0.entries = [] })
        #expect(empty.snapshot(named: "crl").count == 0)
    }

    @Test("A list of another CA, or with another signature, is not taken")
    func signature() throws {
        let other = try CameraAuthority(seed: "other", from: Self.now)
        let forged = try RevocationListBuilder(of: authority, at: Self.now).signed(by: other.issuingKey)
        #expect(throws: Rejection(.badSignature, "")) { try CertificateRevocationList(file: forged).verify(by: anchor) }
        let root = try TrustAnchor(name: "root", pem: authority.rootPEM, simulated: false)
        #expect(throws: Rejection(.untrustedRoot, "")) { try CertificateRevocationList(file: try list()).verify(by: root) }
    }

    @Test("Lists that are not complete, not of version 2, or not strict are refused", arguments: 0..<11)
    func refused(_ index: Int) throws {
        let now = Self.now
        let changes: [(inout RevocationListBuilder) -> Void] = [
            { $0.version = nil }, { $0.version = 0 }, { $0.nextUpdate = nil },
            // The extension of a delta list, and that of a list of one part (RFC 5280 §5.2.4, §5.2.5).
            { $0.extensions = [.init("2.5.29.27", critical: true, DERWriter.integer(1))] },
            { $0.extensions = [.init("2.5.29.28", critical: true, DERWriter.sequence([]))] },
            { $0.extensions = [.init("2.5.29.20", DERWriter.integer(2))] },
            { $0.entries.append(.init([1], at: now)) }, { $0.entries.append(.init([5], at: now, reason: 8)) },
            { $0.entries.append(.init([5], at: now, reason: 7)) },
            { list in
                var entry = RevocationListBuilder.Entry([5], at: now)
                // The extension of lists of several issuers (§5.3.3).
                entry.extensions = [.init("2.5.29.29", critical: true, DERWriter.sequence([]))]
                list.entries.append(entry)
            },
            { $0.entries.append(.init([UInt8](repeating: 0x7F, count: 22), at: now)) },
        ]
        #expect(throws: Rejection(.malformed, "")) { try CertificateRevocationList(file: try list(changes[index])) }
    }

    @Test("Every strict prefix of a list, and a list with a byte more, is refused")
    func prefixes() throws {
        let der = try list()
        for length in 0..<der.count {
            #expect(throws: Rejection.self) { try CertificateRevocationList(file: Array(der.prefix(length))) }
        }
        #expect(throws: Rejection.self) { try CertificateRevocationList(file: der + [0]) }
        let two = PEM.encode(der, label: "X509 CRL") + PEM.encode(der, label: "X509 CRL")
        #expect(throws: Rejection(.malformed, "")) { try CertificateRevocationList(file: Array(two.utf8)) }
        #expect(throws: Rejection(.malformed, "")) { try CertificateRevocationList(file: Array(authority.rootPEM.utf8)) }
    }
}
