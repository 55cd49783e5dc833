import AssayCore
import AssayEncoding
import AssaySigning
import Foundation
import Testing

@testable import AssayResults

@Suite("Status list tokens")
struct StatusListTokenTests {
    private static let uri = StatusListAddress.uri(of: 3, from: ResultIssuer(.devices, address: Sample.issuer))
    private static let place = ResultStatusReference(uri: uri, index: 70_001)

    private static func claims(_ change: (inout StatusListClaims) -> Void = { _ in }) throws -> StatusListClaims {
        var list = StatusList(.two, count: 131_072)
        list[70_001] = 2
        var claims = StatusListClaims(
            uri: uri, issuedAt: Sample.now, expiry: Sample.now.adding(milliseconds: 3_600_000), timeToLive: 15, width: .two,
            compressed: try found(list.compressed, "a list"))
        change(&claims)
        return claims
    }

    private static func sign(
        _ claims: StatusListClaims, _ form: StatusListForm, by key: ResultKey
    ) async throws -> [UInt8] {
        try await StatusListSigner(key).sign(claims, as: form)
    }

    private static func reader(_ keys: ResultKey...) throws -> StatusListReader {
        StatusListReader(keys: try keySet(keys))
    }

    private static func keySet(_ keys: [ResultKey]) throws -> JSONWebKeySet {
        let members = keys.map { key in
            #"{"alg":"\#(key.webKey.curve.algorithm)","kid":"\#(Base64.url.encode(key.identifier))","use":"sig","#
                + String(decoding: key.webKey.text.dropFirst(), as: UTF8.self)
        }
        return try JSONWebKeySet(parsing: Array(#"{"keys":[\#(members.joined(separator: ","))]}"#.utf8))
    }

    @Test(
        "a list that was signed is read, in each form and with each kind of key", arguments: StatusListForm.allCases,
        SigningAlgorithm.allCases)
    func roundTrip(_ form: StatusListForm, _ algorithm: SigningAlgorithm) async throws {
        let key = try Sample.key(algorithm)
        let token = try await Self.sign(try Self.claims(), form, by: key)
        let read = try Self.reader(key).read(token, of: Self.uri, at: Sample.now)
        #expect(read.uri == Self.uri && read.keyIdentifier == key.identifier && read.timeToLive == 15)
        #expect(read.issuedAt.unixMilliseconds == Sample.now.unixMilliseconds / 1000 * 1000)
        #expect(read.list.count == 131_072)
        #expect(try read.status(of: Self.place) == .suspended)
        #expect(try read.status(of: ResultStatusReference(uri: Self.uri, index: 0)) == .valid)
    }

    @Test("the JWT is what the draft says, read by Foundation alone")
    func foreignJWT() async throws {
        let key = try Sample.key()
        let token = try ForeignJWS(try await Self.sign(try Self.claims(), .jwt, by: key))
        #expect(try token.isSigned(by: key.published.publicKey))
        let kid = Base64.url.encode(key.identifier)
        #expect(try canonical(token.header) == #"{"alg":"ES256","kid":"\#(kid)","typ":"statuslist+jwt"}"#)
        let list = try #require(token.claims["status_list"] as? [String: Any])
        #expect(list["bits"] as? Int == 2 && list.count == 2 && token.claims.count == 5)
        let compressed = Array(try ForeignJWS.decoded(Substring(try #require(list["lst"] as? String))))
        #expect(try StatusList(.two, compressed: compressed, limit: 32_768)[70_001] == 2)
        #expect(token.claims["sub"] as? String == Self.uri && token.claims["ttl"] as? Int == 15)
        let issuedAt = try #require(token.claims["iat"] as? Int)
        #expect(issuedAt == 1_790_000_001 && token.claims["exp"] as? Int == issuedAt + 3600)
    }

    @Test("the CWT is what the draft says, a COSE_Sign1 under tag 18 with the media type in its header")
    func foreignCWT() async throws {
        let key = try Sample.key()
        let message = try ForeignMessage(try await Self.sign(try Self.claims { $0.compressed = [0x78, 0xDA] }, .cwt, by: key))
        #expect(try message.isSigned(by: key.published.publicKey))
        #expect(
            try diagnostic(message.protected)
                == #"{1: -7, 4: h'\#(Hex.encode(key.identifier))', 16: "application/statuslist+cwt"}"#)
        let claims = try CBORReader.parse(message.payload, code: .malformedToken)
        #expect(
            try diagnostic(claims)
                == #"{2: "\#(Self.uri)", 4: 1790003601, 6: 1790000001, 65533: {"lst": h'78da', "bits": 2}, 65534: 15}"#)
    }

    @Test("another address, an early reader and a late one are refused", arguments: StatusListForm.allCases)
    func terms(_ form: StatusListForm) async throws {
        let key = try Sample.key()
        let token = try await Self.sign(try Self.claims(), form, by: key)
        let reader = try Self.reader(key)
        func code(_ uri: String = Self.uri, at seconds: Int64 = 0) -> ResultFault.Code? {
            fault { () throws(ResultFault) in
                _ = try reader.read(token, of: uri, at: Sample.now.adding(milliseconds: seconds * 1000))
            }
        }
        #expect(code() == nil && code(at: 3598) == nil)
        #expect(code(at: 3600) == .expired && code(at: -2) == .notYetValid)
        for other in [Self.uri + "/", Self.uri + "0", "http" + Self.uri.dropFirst(5), ""] {
            #expect(code(other) == .wrongClaim)
        }
    }

    @Test("an index behind the end, and a result of another list, have no status")
    func bounds() async throws {
        let key = try Sample.key()
        let read = try Self.reader(key).read(
            try await Self.sign(try Self.claims(), .jwt, by: key), of: Self.uri, at: Sample.now)
        for reference in [
            ResultStatusReference(uri: Self.uri, index: 131_072), ResultStatusReference(uri: Self.uri, index: .max),
            ResultStatusReference(uri: Self.uri + "1", index: 0),
        ] {
            #expect(fault { () throws(ResultFault) in _ = try read.status(of: reference) } == .wrongClaim)
        }
    }

    @Test(
        "a list that inflates to more than the limit, one that is no ZLIB, and a time to live of nothing are refused",
        arguments: StatusListForm.allCases)
    func contents(_ form: StatusListForm) async throws {
        let key = try Sample.key()
        let bomb = try #require(StatusList(.eight, count: StatusListReader.listLimit + 1).compressed)
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let cases: [(ResultFault.Code, StatusListClaims)] = [
            (.tooLarge, try Self.claims { $0.compressed = bomb }), (.malformed, try Self.claims { $0.compressed = gzip }),
            (.malformed, try Self.claims { $0.compressed = [] }), (.wrongClaim, try Self.claims { $0.timeToLive = 0 }),
        ]
        for (code, claims) in cases {
            let token = try await Self.sign(claims, form, by: key)
            let reader = try Self.reader(key)
            let found = fault { () throws(ResultFault) in _ = try reader.read(token, of: Self.uri, at: Sample.now) }
            #expect(found == code)
        }
    }

    @Test("a key that is not in the set, a result's token, and a list where a result is asked for are refused")
    func confusions() async throws {
        let (key, other) = (try Sample.key(), try Sample.key())
        let reader = try Self.reader(other)
        for form in StatusListForm.allCases {
            let token = try await Self.sign(try Self.claims(), form, by: key)
            let unknown = fault { () throws(ResultFault) in _ = try reader.read(token, of: Self.uri, at: Sample.now) }
            #expect(unknown == .unknownKey)
            let stated = fault { () throws(ResultFault) in _ = try ResultReader.statedShape(of: token) }
            #expect(stated == .wrongType)
        }
        let header = JSONObject([
            .init(name: Array("alg".utf8), value: .string(Array("ES256".utf8))),
            .init(name: Array("kid".utf8), value: .string(Array(Base64.url.encode(key.identifier).utf8))),
            .init(name: Array("typ".utf8), value: .string(Array("assay-session+jwt".utf8))),
        ])
        let input = JOSEWriter(header: header).signingInput(try Self.claims().json)
        let session = JOSEWriter.token(input, signature: try await key.signer.signRaw(input))
        let own = try Self.reader(key)
        #expect(fault { () throws(ResultFault) in _ = try own.read(session, of: Self.uri, at: Sample.now) } == .wrongType)
    }

    @Test(
        "none of a list's mutations verifies: each bit of the small one, and each strict prefix",
        arguments: StatusListForm.allCases)
    func mutations(_ form: StatusListForm) async throws {
        let key = try Sample.key()
        let reader = try Self.reader(key)
        let token = try await Self.sign(try Self.claims(), form, by: key)
        for place in token.indices {
            for bit in 0..<8 {
                var other = token
                other[place] ^= 1 << bit
                #expect(fault { () throws(ResultFault) in _ = try reader.read(other, of: Self.uri, at: Sample.now) } != nil)
            }
            let prefix = Array(token.prefix(place))
            #expect(fault { () throws(ResultFault) in _ = try reader.read(prefix, of: Self.uri, at: Sample.now) } != nil)
        }
    }

    @Test("an address is that of its issuer and a number in one spelling")
    func addresses() {
        let simulated = ResultIssuer(.simulatedDevices, address: Sample.simulatedIssuer)
        #expect(StatusListAddress.uri(of: 0, from: simulated) == "https://assay.example.com/simulated/v1/status/0")
        for (path, list, issuer) in [
            ("/v1/status/0", 0 as UInt32, ResultPublicKey.Issuer.devices), ("/v1/status/4294967295", .max, .devices),
            ("/simulated/v1/status/12", 12, .simulatedDevices),
        ] {
            let parsed = StatusListAddress.parse(path)
            #expect(parsed?.list == list && parsed?.issuer == issuer)
        }
        for path in [
            "/v1/status/", "/v1/status/00", "/v1/status/+1", "/v1/status/-1", "/v1/status/4294967296", "/v1/status/1/",
            "/v1/status/1.jwt", "/v1/status", "/simulated/simulated/v1/status/1", "v1/status/1", "/v1/status/\u{661}",
        ] {
            #expect(StatusListAddress.parse(path) == nil)
        }
    }

    /// The code of the fault that a reading throws; `nil`: none.
    private func fault(_ body: () throws(ResultFault) -> Void) -> ResultFault.Code? {
        do throws(ResultFault) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}
