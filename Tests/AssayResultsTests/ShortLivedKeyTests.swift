import AssayCore
import AssayEncoding
import AssaySigning
import AssaySimulator
import Testing

@testable import AssayResults

/// Results that a key in memory signed, which a published key certified.
@Suite("Results by keys in memory")
struct ShortLivedKeyTests {
    private let issuer: CertifyingIssuer

    init() throws { issuer = try CertifyingIssuer() }

    private func fault(
        _ token: [UInt8], _ shape: ResultShape, _ keys: JSONWebKeySet? = nil, tolerance: Int64 = 0
    ) throws -> ResultFault? {
        var expected = Sample.expectation(shape)
        expected.tolerance = tolerance
        let reader = ResultReader(keys: try keys ?? issuer.keySet())
        do throws(ResultFault) {
            _ = try reader.read(token, expecting: expected)
            return nil
        } catch {
            return error
        }
    }

    /// The certificate in the header is refused in both forms of a token.
    private func expect(
        _ key: ResultKey, _ code: ResultFault.Code, _ keys: JSONWebKeySet? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for shape in [ResultShape.earJWT, .earCWT, .walletInstance] {
            let place = shape.isBinary ? "header.x5chain" : "header.x5c"
            let fault = try fault(try await Sample.token(shape, by: key), shape, keys)
            #expect(
                fault?.code == code && fault?.place == place, "\(shape.rawValue): \(fault?.description ?? "accepted")",
                sourceLocation: location)
        }
    }

    // MARK: What is written and read

    @Test("Every shape has the certificates in its header in place of kid, and is read back", arguments: ResultShape.allCases)
    func readBack(_ shape: ResultShape) async throws {
        let key = try issuer.shortLived()
        let token = try await Sample.token(shape, by: key, status: Sample.place)
        let result = try ResultReader(keys: try issuer.keySet()).read(token, expecting: Sample.expectation(shape))
        #expect(result.shape == shape && result.keyIdentifier == key.identifier && result.certifiedBy == issuer.key.identifier)
        #expect(try ResultReader.statedShape(of: token) == shape)
        let chain = [try found(key.certificates.first, "a certificate"), issuer.certificate]
        if shape.isBinary {
            let header = try ForeignMessage(token).protected
            var members: [Int64: [UInt8]] = [:]
            try header.pairs("a header") { name, value throws(Rejection) in members[name.integer ?? 0] = Array(value.encoded) }
            #expect(members[33] == CBORWriter.array(chain.map { CBORWriter.bytes($0) }) && members[4] == nil)
        } else {
            let header = try ForeignJWS(token).header
            #expect(header["x5c"] as? [String] == chain.map { Base64.standard.encode($0) })
            #expect(Set(header.keys) == ["alg", "typ", "x5c"])
        }
    }

    @Test(
        "A key in memory may be of another kind than the key that certified it", arguments: TestSigningKey.Curve.allCases,
        SigningAlgorithm.allCases)
    func kinds(_ curve: TestSigningKey.Curve, _ algorithm: SigningAlgorithm) async throws {
        let issuer = try CertifyingIssuer(curve: curve)
        let key = try issuer.shortLived(algorithm)
        for shape in [ResultShape.earJWT, .earCWT] {
            let token = try await Sample.token(shape, by: key)
            let result = try ResultReader(keys: try issuer.keySet()).read(token, expecting: Sample.expectation(shape))
            #expect(result.keyIdentifier == key.identifier && result.certifiedBy == issuer.key.identifier)
        }
        let other = try await Sample.token(.earJWT, by: try issuer.shortLived(algorithm, by: TestSigningKey(curve)))
        #expect(try fault(other, .earJWT, try issuer.keySet())?.code == .unknownKey)
    }

    @Test("The answer to a look-up has them too", arguments: [ResultShape.plainJWS, .plainCOSE])
    func lookup(_ shape: ResultShape) async throws {
        let facts = LookupFacts(
            answeredAt: Sample.decidedAt, simulated: false, message: [8, 1], json: { Array("{\"found\":true}".utf8) })
        let key = try issuer.shortLived()
        let draft = try Sample.composer().draft(
            ResultRequest(shape: shape, audience: Sample.audience), facts, under: key, at: Sample.now)
        let token = draft.token(signature: try await key.signer.signRaw(draft.toBeSigned))
        var expected = Sample.expectation(shape)
        expected.content = .lookup
        let result = try ResultReader(keys: try issuer.keySet()).read(token, expecting: expected)
        #expect(result.certifiedBy == issuer.key.identifier)
    }

    @Test("The published key itself is read as before, by kid and by its own certificate")
    func published() async throws {
        for shape in ResultShape.allCases {
            let token = try await Sample.token(shape, by: issuer.key)
            let result = try ResultReader(keys: try issuer.keySet()).read(token, expecting: Sample.expectation(shape))
            #expect(result.keyIdentifier == issuer.key.identifier && result.certifiedBy == nil)
        }
    }

    @Test("Client and wallet attestations are told apart by their claims, where both have certificates")
    func clients() async throws {
        let key = try issuer.shortLived()
        let client = try await Sample.token(.clientAttestation, by: key)
        let wallet = try await Sample.token(.walletInstance, by: key)
        #expect(try fault(client, .walletInstance)?.place == "wallet_name")
        #expect(try fault(wallet, .clientAttestation)?.place == "aud")
    }

    // MARK: What is refused

    @Test("A certificate is good from its beginning to its end, give or take what clocks may differ")
    func validity() async throws {
        let ended = try issuer.shortLived { $0.notAfter = Sample.now.adding(milliseconds: -1000) }
        try await expect(ended, .expired)
        let early = try issuer.shortLived { $0.notBefore = Sample.now.adding(milliseconds: 1000) }
        try await expect(early, .notYetValid)
        for key in [ended, early] {
            for shape in [ResultShape.earJWT, .earCWT] {
                #expect(try fault(try await Sample.token(shape, by: key), shape, tolerance: 2000) == nil)
            }
        }
    }

    @Test("A result of a verdict that was given before the certificate is good: it may have been signed again")
    func verdictBeforeCertificate() async throws {
        let key = try issuer.shortLived { $0.notBefore = Sample.now }
        #expect(try fault(try await Sample.token(.earJWT, by: key), .earJWT) == nil)
    }

    @Test("A certificate that is no key's of the set, by name or by signature, certifies nothing")
    func otherIssuers() async throws {
        try await expect(try issuer.shortLived { $0.issuer = CertificateBuilder.Name(commonName: "Another") }, .unknownKey)
        try await expect(try issuer.shortLived(by: TestSigningKey(.p256)), .unknownKey)
        // Of another issuer, under this one's name or its own.
        let other = try CertifyingIssuer()
        try await expect(try other.shortLived(), .unknownKey)
        try await expect(try issuer.shortLived(), .unknownKey, try other.keySet())
    }

    @Test("A certified key certifies no other: there is one step")
    func leafByLeaf() async throws {
        let middle = TestSigningKey(.p256)
        for usage in [KeyUsageBits.digitalSignature, [.digitalSignature, .keyCertSign]] {
            let between = try issuer.shortLived {
                $0.subjectPublicKeyInfo = middle.subjectPublicKeyInfo
                $0[ExtensionName.keyUsage] = .keyUsage(usage)
            }
            // Under the name of the key between, and under that of the published key.
            for name in [CertificateBuilder.Name(commonName: Sample.issuer), CertifyingIssuer.name] {
                let leaf = try issuer.shortLived(by: middle) { $0.issuer = name }
                let key = try found(
                    ResultKey(leaf.signer, of: between, by: try found(leaf.certificate, "a certificate")), "a key")
                #expect(key.certificates.count == 3)
                try await expect(key, .unknownKey)
            }
        }
    }

    @Test("A certificate is that of a key for digital signatures, and critical in nothing that is not understood")
    func uses() async throws {
        try await expect(
            try issuer.shortLived { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: true) }, .wrongCertificate)
        try await expect(try issuer.shortLived { $0[ExtensionName.keyUsage] = nil }, .wrongCertificate)
        try await expect(
            try issuer.shortLived { $0[ExtensionName.keyUsage] = .keyUsage(.keyEncipherment) }, .wrongCertificate)
        try await expect(
            try issuer.shortLived { $0[ExtensionName.keyUsage] = .keyUsage([.digitalSignature, .keyCertSign]) },
            .wrongCertificate)
        func withExtension(critical: Bool) throws -> ResultKey {
            try issuer.shortLived { $0.extensions.append(.init("1.3.6.1.4.1.99999.1", critical: critical, [5, 0])) }
        }
        try await expect(try withExtension(critical: true), .wrongCertificate)
        let plain = try withExtension(critical: false)
        #expect(try fault(try await Sample.token(.earJWT, by: plain), .earJWT) == nil)
    }

    @Test("A certificate is in the name of the issuer and for no other purpose: what else its CA certifies signs no results")
    func otherSubjects() async throws {
        let names: [CertificateBuilder.Name] = [
            .init(), .init(commonName: "device 7"), .init(commonName: Sample.issuer + "/"),
            .init(commonName: Sample.simulatedIssuer), .init(organization: Sample.issuer),
            .init([.init("2.5.4.3", Sample.issuer), .init("2.5.4.3", Sample.issuer)]),
        ]
        for name in names { try await expect(try issuer.shortLived { $0.subject = name }, .wrongCertificate) }
        let client = DERWriter.sequence([DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.2")])
        try await expect(
            try issuer.shortLived { $0.extensions.append(.init(ExtensionName.extendedKeyUsage, client)) }, .wrongCertificate)
    }

    @Test("A key of the set certifies others only if its own certificate there makes a CA of it")
    func keySets() async throws {
        let key = try issuer.shortLived()
        func expectNone(_ chain: [[UInt8]], _ location: SourceLocation = #_sourceLocation) async throws {
            try await expect(key, .unknownKey, try issuer.keySet(chain), location)
        }
        try await expectNone([])
        try await expectNone([[1, 2, 3]])
        // Of another key.
        try await expectNone([try CertifyingIssuer().certificate])
        // Not the first.
        try await expectNone([try CertifyingIssuer().certificate, issuer.certificate])
        for change in [
            { $0[ExtensionName.basicConstraints] = nil },
            { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: false) },
            { $0[ExtensionName.keyUsage] = nil }, { $0[ExtensionName.keyUsage] = .keyUsage(.digitalSignature) },
            { $0.extensions.append(.init("1.3.6.1.4.1.99999.1", critical: true, [5, 0])) },
        ] as [(inout CertificateBuilder) -> Void] {
            let other = try CertifyingIssuer(change)
            try await expect(try other.shortLived(), .unknownKey, try other.keySet())
        }
        // What is signed by the key itself does not depend on it.
        let keys = try issuer.keySet([[1, 2, 3]])
        #expect(try fault(try await Sample.token(.earJWT, by: issuer.key), .earJWT, keys) == nil)
    }

    @Test("A header of a JWT has either kid or x5c, of bytes that are certificates, and not too many")
    func headers() async throws {
        let key = try issuer.shortLived()
        let chain = key.certificates.map { "\"\(Base64.standard.encode($0))\"" }
        let kid = Base64.url.encode(issuer.key.identifier)
        func expect(
            _ members: String, _ code: ResultFault.Code?, _ place: String = "header.x5c",
            _ location: SourceLocation = #_sourceLocation
        ) async throws {
            let body = String(decoding: try Sample.draft(.earJWT, by: key).toBeSigned, as: UTF8.self).split(separator: ".")[1]
            let header = Base64.url.encode(Array("{\"alg\":\"ES256\",\(members),\"typ\":\"eat+jwt\"}".utf8))
            let input = Array("\(header).\(body)".utf8)
            let signature = Base64.url.encode(try await key.signer.signRaw(input))
            let fault = try fault(input + Array(".\(signature)".utf8), .earJWT)
            #expect(
                fault?.code == code && (fault.map { $0.place == place } ?? true), "\(fault?.description ?? "accepted")",
                sourceLocation: location)
        }
        let good = "\"x5c\":[\(chain.joined(separator: ","))]"
        try await expect(good, nil)
        try await expect("\(good),\"kid\":\"\(kid)\"", .unknownHeader)
        try await expect("\(good),\"x5t\":\"\(kid)\"", .unknownHeader, "header.x5t")
        try await expect("\(good),\"crit\":[\"exp\"]", .unknownHeader, "header.crit")
        try await expect("\"x5c\":[]", .malformed)
        try await expect("\"x5c\":\(chain[0])", .malformed)
        try await expect("\"x5c\":[1]", .malformed)
        try await expect("\"x5c\":[\"AAAA\"]", .malformed)
        try await expect("\"x5c\":[\(Array(repeating: chain[0], count: 10).joined(separator: ","))]", .tooLarge)
        // The published key's own certificate stands for it in the wallet's shapes alone.
        try await expect("\"x5c\":[\(chain[1])]", .wrongCertificate)
        try await expect("\"x\":1", .unknownHeader, "header.x")
    }

    @Test("A header of COSE has either kid or x5chain, which is a list of certificates, and not too many")
    func headersOfCOSE() async throws {
        let key = try issuer.shortLived()
        let content = Array(try ForeignMessage(try await Sample.token(.earCWT, by: key)).payload)
        func expect(
            _ members: [(key: Int64, value: [UInt8])], _ code: ResultFault.Code?, _ place: String = "header.x5chain",
            _ location: SourceLocation = #_sourceLocation
        ) async throws {
            let writer = COSEWriter(
                protected: [(1, CBORWriter.integer(-7)), (16, CBORWriter.text("application/eat+cwt"))] + members)
            let token = writer.message(content, signature: try await key.signer.signRaw(writer.toBeSigned(content)))
            let fault = try fault(token, .earCWT)
            #expect(
                fault?.code == code && (fault.map { $0.place == place } ?? true), "\(fault?.description ?? "accepted")",
                sourceLocation: location)
        }
        let chain = key.certificates.map { CBORWriter.bytes($0) }
        try await expect([(33, CBORWriter.array(chain))], nil)
        try await expect(
            [(33, CBORWriter.array(chain)), (4, CBORWriter.bytes(issuer.key.identifier))], .unknownHeader, "header.33")
        try await expect([(33, CBORWriter.array(chain)), (34, CBORWriter.bytes([1]))], .unknownHeader, "header.34")
        try await expect([(33, chain[0])], .malformed)
        try await expect([(33, CBORWriter.array([chain[0]]))], .malformed)
        try await expect([(33, CBORWriter.array([]))], .malformed)
        try await expect([(33, CBORWriter.array([CBORWriter.bytes([0]), chain[1]]))], .malformed)
        try await expect([(33, CBORWriter.array(Array(repeating: chain[0], count: 10)))], .tooLarge)
        try await expect([], .wrongType, "header.kid")
    }

    @Test("Another key's signature under a good certificate is none", arguments: [ResultShape.earJWT, .earCWT])
    func signatures(_ shape: ResultShape) async throws {
        let draft = try Sample.draft(shape, by: try issuer.shortLived())
        for signer in [issuer.key.signer, FileSigner(SigningKey.random(.p256))] as [any Signer] {
            let fault = try fault(draft.token(signature: try await signer.signRaw(draft.toBeSigned)), shape)
            #expect(fault?.code == .badSignature && fault?.place == "signature")
        }
    }

    @Test("Status lists are signed by a published key: one in memory signs none")
    func statusLists() async throws {
        let claims = StatusListClaims(
            uri: "https://assay.example.com/v1/status/3", issuedAt: Sample.now,
            expiry: Sample.now.adding(milliseconds: 3_600_000), timeToLive: 15, width: .two,
            compressed: try found(StatusList(.two, count: 8).compressed, "a list"))
        let reader = StatusListReader(keys: try issuer.keySet())
        for form in StatusListForm.allCases {
            let good = try await StatusListSigner(issuer.key).sign(claims, as: form)
            #expect(try reader.read(good, of: claims.uri, at: Sample.now).keyIdentifier == issuer.key.identifier)
            let other = try await StatusListSigner(issuer.shortLived()).sign(claims, as: form)
            #expect(throws: ResultFault.self) { try reader.read(other, of: claims.uri, at: Sample.now) }
        }
    }

    // MARK: The keys

    @Test("No result is signed that outlives its key's certificate")
    func outlived() throws {
        let signer = FileSigner(SigningKey.random(.p256))
        // An EAR of the sample ends 5 minutes after its verdict, to the millisecond.
        let end = Sample.decidedAt.adding(milliseconds: 300_000)
        let facts = try Sample.facts()
        let cases: [(Timestamp, ResultProblem?)] = [(end, nil), (end.adding(milliseconds: -1), .unavailable)]
        for (notAfter, problem) in cases {
            let certificate = ShortLivedCertificate(
                der: [1], issuedAt: Sample.now, notBefore: Sample.now, notAfter: notAfter)
            let key = try found(ResultKey(signer, of: issuer.key, by: certificate), "a key")
            do throws(ResultProblem) {
                _ = try Sample.composer().draft(
                    ResultRequest(shape: .earJWT, audience: Sample.audience), facts, under: key, at: Sample.now)
                #expect(problem == nil)
            } catch {
                #expect(error == problem)
            }
        }
    }

    @Test("A key in memory is exchanged at half of its certificate's life, or if it is not as it would be made now")
    func due() throws {
        let key = try issuer.shortLived()
        let half: Int64 = 43_200_000
        #expect(!key.isDue(under: issuer.key, at: Sample.now))
        #expect(!key.isDue(under: issuer.key, at: Sample.now.adding(milliseconds: half - 1)))
        #expect(key.isDue(under: issuer.key, at: Sample.now.adding(milliseconds: half)))
        // The clock was set back: it would be good for longer than it may.
        #expect(key.isDue(under: issuer.key, at: Sample.now.adding(milliseconds: -1)))
        // Under another certificate of the same key.
        #expect(key.isDue(under: try CertifyingIssuer().key, at: Sample.now))
    }

    @Test("Who signs is told the key in memory for results, and the published key for lists, as long as both are good")
    func ring() throws {
        let ring = ResultKeyRing()
        let (start, end) = (Sample.now.adding(milliseconds: -300_000), Sample.now.adding(milliseconds: 86_400_000))
        let opening = start.adding(milliseconds: -1000)
        let published = PublishedResultKey(issuer.key.published, publishedAt: opening, signsFrom: opening)
        func learn(_ keys: ResultKey...) { ring.learn(own: keys, published: [published], ResultKeyRule()) }
        learn(issuer.key)
        #expect(throws: ResultProblem.unavailable) { try ring.resultSigner(.devices, at: Sample.now) }
        #expect(throws: ResultProblem.simulated) { try ring.resultSigner(.simulatedDevices, at: Sample.now) }
        #expect(ring.certifying(at: Sample.now).map(\.identifier) == [issuer.key.identifier])
        #expect(ring.problem(of: issuer.key, at: Sample.now) == nil, "nothing was tried yet")
        ring.note("the token is gone", of: issuer.key)
        #expect(ring.problem(of: issuer.key, at: Sample.now)?.hasSuffix(": the token is gone") == true)
        let shortLived = try issuer.shortLived()
        ring.use(shortLived, under: issuer.key)
        #expect(try ring.resultSigner(.devices, at: Sample.now).identifier == shortLived.identifier)
        #expect(try ring.signer(.devices, at: Sample.now).identifier == issuer.key.identifier)
        #expect(ring.problem(of: issuer.key, at: Sample.now) == nil)
        #expect(ring.renewalProblem(of: issuer.key, at: Sample.now) == nil)
        // What the ledger says next changes nothing of it.
        learn(issuer.key)
        ring.note("the token is gone", of: issuer.key)
        #expect(try ring.resultSigner(.devices, at: Sample.now).identifier == shortLived.identifier)
        #expect(ring.renewalProblem(of: issuer.key, at: Sample.now)?.hasSuffix(": the token is gone") == true)
        #expect(try ring.resultSigner(.devices, at: start).identifier == shortLived.identifier)
        #expect(throws: ResultProblem.unavailable) { try ring.resultSigner(.devices, at: start.adding(milliseconds: -1)) }
        #expect(try ring.resultSigner(.devices, at: end).identifier == shortLived.identifier)
        #expect(throws: ResultProblem.unavailable) { try ring.resultSigner(.devices, at: end.adding(milliseconds: 1)) }
        #expect(ring.renewalProblem(of: issuer.key, at: end.adding(milliseconds: 1)) == nil)
        #expect(ring.problem(of: issuer.key, at: end.adding(milliseconds: 1)) != nil)
        // A reload after which it signs itself, and one after which it certifies again.
        let plain = try found(
            ResultKey(issuer.key.signer, issuer: issuer.key.issuer, certificates: [issuer.certificate]), "a key")
        learn(plain)
        #expect(try ring.resultSigner(.devices, at: Sample.now).identifier == issuer.key.identifier)
        #expect(ring.certifying(at: Sample.now).isEmpty)
        ring.use(shortLived, under: issuer.key)
        learn(issuer.key)
        #expect(throws: ResultProblem.unavailable) { try ring.resultSigner(.devices, at: Sample.now) }
    }

    @Test("A key that signs no more certifies no others")
    func past() throws {
        let ring = ResultKeyRing()
        let next = try Sample.key()
        let later = Sample.now.adding(milliseconds: 1000)
        ring.learn(
            own: [issuer.key, next],
            published: [
                PublishedResultKey(issuer.key.published, publishedAt: Sample.now, signsFrom: Sample.now),
                PublishedResultKey(next.published, publishedAt: Sample.now, signsFrom: later),
            ], ResultKeyRule())
        #expect(ring.certifying(at: Sample.now).map(\.identifier) == [issuer.key.identifier])
        #expect(ring.certifying(at: later).isEmpty)
    }

    @Test("The shortest life of a certificate lets every result end within its second half")
    func shortestLifetime() {
        #expect(ResultKeyCertification.shortestLifetime(for: 300_000) == 1_200_000)
        #expect(ResultKeyCertification.shortestLifetime(for: 86_400_000) == 173_400_000)
    }
}
