import AssayCore
import AssayResults
import AssaySigning

extension FuzzSeeds {
    /// A token of each shape, and the claims of those that are text; status lists.
    static var results: [(name: String, bytes: [UInt8])] {
        get throws {
            guard let app = AppID("fuzz"),
                let key = ResultKey(
                    FileSigner(FuzzTarget.resultKey), issuer: FuzzTarget.resultIssuer, certificates: [[0x30, 0x00]])
            else { return [] }
            var rule = ResultRule(shapes: Set(ResultShape.allCases), audiences: ["fuzz"])
            (rule.clientID, rule.wallet) = ("client", ResultRule.Wallet(name: "w", version: "1", certification: "c"))
            let composer = ResultComposer(rule, secret: [UInt8](repeating: 7, count: 32))
            let place = ResultStatusReference(uri: "https://fuzz.example/v1/status/1", index: 7)
            var seeds: [(name: String, bytes: [UInt8])] = []
            for shape in ResultShape.allCases {
                let request = ResultRequest(shape: shape, audience: "fuzz", nonce: Array("nonce of the audience".utf8))
                let draft = try composer.draft(request, facts(of: app), under: key, status: place, at: FuzzTarget.now)
                let signature = try FuzzTarget.resultKey.signRaw(draft.toBeSigned)
                seeds.append(("results/\(shape.rawValue)", draft.token(signature: signature)))
                let parts = draft.toBeSigned.split(separator: UInt8(ascii: "."))
                if !shape.isBinary, parts.count == 2, let claims = Base64.url.decode(utf8: Array(parts[1])) {
                    seeds.append(("results/\(shape.rawValue)-claims", claims))
                }
            }
            return seeds + (try statusLists(signed: key))
        }
    }

    /// A list in ZLIB, claims that have it, and a token.
    private static func statusLists(signed key: ResultKey) throws -> [(name: String, bytes: [UInt8])] {
        var list = StatusList(.two, count: 64)
        list[7] = 2
        guard let compressed = list.compressed else { return [] }
        let text = """
            {"sub":"\(FuzzTarget.statusListURI)","iat":\(FuzzTarget.now.unixMilliseconds / 1000),"ttl":15,\
            "status_list":{"bits":2,"lst":"\(Base64.url.encode(compressed))"}}
            """
        let claims = Array(text.utf8)
        return [
            ("results/status-list-zlib", compressed), ("results/status-list-claims", claims),
            ("results/status-list", FuzzTarget.signedText(claims, "statuslist+jwt")),
        ]
    }

    private static func facts(of app: AppID) -> ResultFacts {
        ResultFacts(
            app: app, purpose: .assert, formats: [.keySignature], assurance: .hardware, device: DeviceID(bytes: Array(0..<16)),
            deviceKey: FuzzTarget.resultKey.publicKey, payloadHash: [UInt8](repeating: 1, count: 32),
            challenge: [UInt8](repeating: 2, count: 54), policyDigest: [UInt8](repeating: 3, count: 32),
            requestID: [UInt8](repeating: 4, count: 16), decidedAt: FuzzTarget.now, simulated: false, confidence: .high,
            limits: VerdictLimit.allCases, json: { Array("{\"decision\":\"ACCEPTED\"}".utf8) }, message: { [8, 1] })
    }
}
