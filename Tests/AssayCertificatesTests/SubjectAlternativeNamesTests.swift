import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@Suite("Subject alternative names")
struct SubjectAlternativeNamesTests {
    private func read(_ value: [UInt8]) throws(Rejection) -> SubjectAlternativeNames {
        try SubjectAlternativeNames(value[...])
    }

    private func write(_ names: [SubjectAlternativeName]) -> [UInt8] {
        CertificateBuilder.Extension.subjectAlternativeNames(names).value
    }

    @Test("Names are read unchanged and in order, and other kinds are skipped")
    func names() throws {
        let names = try read(
            write([
                .uri("spiffe://example.org/a"), .ipAddress([127, 0, 0, 1]), .dns("*.Example.org"), .uri("urn:b"), .dns("b"),
            ]))
        #expect(names.uris == ["spiffe://example.org/a", "urn:b"])
        #expect(names.dnsNames == ["*.Example.org", "b"], "nothing is normalised")
    }

    @Test("A certificate without the extension has no names")
    func absent() throws {
        let authority = try TestTLSAuthority()
        let text = try authority.issue(.client, names: []).certificate
        let with = try authority.issue(.client, names: [.uri("urn:a")]).certificate
        #expect(try certificate(text).subjectAlternativeNames() == nil)
        #expect(try certificate(with).subjectAlternativeNames()?.uris == ["urn:a"])
    }

    private func certificate(_ pem: String) throws -> Certificate {
        let body = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return try Certificate(der: try #require(Base64.standard.decode(body))[...])
    }

    @Test(
        "Names that could be confused, or fill the memory, are refused",
        arguments: [
            [], [.uri("")], [.dns("a b")], [.dns("a\u{0}b")], [.dns("a\n")], [.uri("urn:é")],
            [.uri(String(repeating: "a", count: 2049))],
            Array(repeating: SubjectAlternativeName.ipAddress([127, 0, 0, 1]), count: 33),
        ])
    func refused(_ names: [SubjectAlternativeName]) {
        #expect(throws: Rejection(.malformedCertificate, "")) { try read(write(names)) }
    }

    @Test("Missing and surplus bytes are refused")
    func prefixes() throws {
        let whole = write([.uri("spiffe://example.org/a"), .dns("b")])
        #expect(try read(whole).uris.count == 1)
        for length in 0..<whole.count {
            #expect(throws: Rejection(.malformedCertificate, "")) { try read(Array(whole.prefix(length))) }
        }
        #expect(throws: Rejection(.malformedCertificate, "")) { try read(whole + [0]) }
    }

    @Test("Names up to the limits of length and number are accepted")
    func limits() throws {
        let long = String(repeating: "a", count: SubjectAlternativeNames.nameLimit)
        #expect(try read(write([.uri(long)])).uris == [long])
        let many = (0..<SubjectAlternativeNames.limit).map { SubjectAlternativeName.dns("\($0)") }
        #expect(try read(write(many)).dnsNames.count == many.count)
    }
}
