import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("Payloads")
struct PayloadTests {
    let sample: SampleToken
    init() throws { sample = try SampleToken() }

    private func code(_ document: [UInt8]) throws -> String? {
        try sample.judge(token: sample.console.seal(sample.console.sign(document))).code
    }

    @Test(
        "A payload is one strict JSON object",
        arguments: [
            "", "[]", "7", "null", "{", #"{"requestDetails":{},"requestDetails":{}}"#, "{}x",
            String(repeating: #"{"a":"#, count: 1000) + "1" + String(repeating: "}", count: 1000),
        ])
    func strict(_ document: String) throws { #expect(try code(Array(document.utf8)) == "malformed_token") }

    @Test("A payload is UTF-8")
    func utf8() throws {
        let document = sample.standard.bytes
        #expect(try code(document.dropLast() + Array(#","x":""#.utf8) + [0xC3] + Array(#""}"#.utf8)) == "malformed_token")
        #expect(try code(document.dropLast() + Array(#","x":"é"}"#.utf8)) == nil)
    }

    @Test("A payload has request details with a package and a time")
    func requestDetails() throws {
        #expect(try sample.code { $0["requestDetails"] = nil } == "malformed_token")
        #expect(try sample.code { $0["requestDetails"] = .array([]) } == "malformed_token")
        #expect(try sample.code { $0["requestDetails", "requestPackageName"] = nil } == "malformed_token")
        #expect(try sample.code { $0["requestDetails", "requestPackageName"] = .integer(1) } == "malformed_token")
        #expect(try sample.code { $0["requestDetails", "timestampMillis"] = nil } == "malformed_token")
        for bad in [
            #""abc""#, "-1", #""-1""#, "1e3", #""1e3""#, "1.5", #""""#, #""+1""#, #""01""#, #"" 1""#, "true", "{}",
            #""9223372036854775808""#,
        ] {
            #expect(try sample.code { $0["requestDetails", "timestampMillis"] = .literal(bad) } == "malformed_token", "\(bad)")
        }
    }

    @Test("64-bit integers are read as texts and as numbers")
    func integers() throws {
        #expect(try sample.code { $0["requestDetails", "timestampMillis"] = .integer(SampleToken.now.unixMilliseconds) } == nil)
        #expect(try sample.code { $0["appIntegrity", "versionCode"] = .integer(7) } == nil)
        #expect(try sample.code { $0["appIntegrity", "versionCode"] = .text("seven") } == "malformed_token")
    }

    @Test("Unknown members and null are allowed")
    func unknown() throws {
        #expect(
            try sample.code {
                $0["future"] = .object([.init("x", .array([.literal("null")]))])
                $0["requestDetails", "future"] = .boolean(true)
                $0["requestDetails", "nonce"] = .literal("null")
                $0["environmentDetails"] = .literal("null")
            } == nil)
    }

    @Test("Members have the types that Google documents")
    func types() throws {
        let paths: [(JSONDraft) -> (inout JSONDraft) -> Void] = [
            { bad in { $0["appIntegrity"] = bad } }, { bad in { $0["appIntegrity", "appRecognitionVerdict"] = bad } },
            { bad in { $0["appIntegrity", "packageName"] = bad } },
            { bad in { $0["appIntegrity", "certificateSha256Digest"] = bad } },
            { bad in { $0["deviceIntegrity", "deviceRecognitionVerdict"] = bad } },
            { bad in { $0["deviceIntegrity", "deviceAttributes"] = bad } },
            { bad in { $0["deviceIntegrity", "deviceAttributes", "sdkVersion"] = bad } },
            { bad in { $0["deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel"] = bad } },
            { bad in { $0["deviceIntegrity", "deviceRecall", "values", "bitFirst"] = bad } },
            { bad in { $0["accountDetails", "appLicensingVerdict"] = bad } },
            { bad in { $0["accountDetails", "accountActivity"] = bad } },
            { bad in { $0["environmentDetails", "appAccessRiskVerdict", "appsDetected"] = bad } },
            { bad in { $0["environmentDetails", "playProtectVerdict"] = bad } },
            { bad in { $0["testingDetails", "isTestingResponse"] = bad } },
            { bad in { $0["requestDetails", "requestHash"] = bad } },
        ]
        for change in paths {
            #expect(try sample.code(change(.literal("1.5"))) == "malformed_token")
            #expect(try sample.code(change(.array([.integer(1)]))) == "malformed_token")
        }
        let many = [String](repeating: "MEETS_DEVICE_INTEGRITY", count: 65)
        #expect(try sample.code { $0["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(many) } == "malformed_token")
    }

    @Test("The whole payload is claimed, unknown values as texts")
    func claims() throws {
        var payload = sample.standard
        payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(["MEETS_FUTURE_INTEGRITY", "MEETS_DEVICE_INTEGRITY"])
        payload["deviceIntegrity", "legacyDeviceRecognitionVerdict"] = .texts(["MEETS_STRONG_INTEGRITY"])
        payload["deviceIntegrity", "deviceAttributes", "sdkVersion"] = .integer(34)
        payload["deviceIntegrity", "recentDeviceActivity", "deviceActivityLevel"] = .text("LEVEL_9")
        payload["deviceIntegrity", "deviceRecall", "values", "bitSecond"] = .boolean(true)
        payload["deviceIntegrity", "deviceRecall", "writeDates", "yyyymmSecond"] = .integer(202_505)
        payload["accountDetails", "accountActivity", "activityLevel"] = .text("TYPICAL_STRONG")
        payload["environmentDetails", "appAccessRiskVerdict", "appsDetected"] = .texts([])
        payload["environmentDetails", "playProtectVerdict"] = .text("NO_ISSUES")
        let appraisal = try sample.judge(payload)
        #expect(appraisal.isAccepted, "\(appraisal.findings)")
        let claims = appraisal.claims
        #expect(
            claims.text("request_package_name") == SampleToken.package && claims.text("package_name") == SampleToken.package)
        #expect(claims.text("request_hash") == Base64.url.encode(sample.binding.clientDataHash) && claims["nonce"] == nil)
        #expect(claims.integer("timestamp_millis") == SampleToken.now.unixMilliseconds)
        #expect(claims.text("app_recognition_verdict") == "PLAY_RECOGNIZED" && claims.integer("version_code") == 42)
        #expect(claims["certificate_sha256_digest"] == .texts([Base64.url.encode(sample.signer)]))
        #expect(claims["device_recognition_verdict"] == .texts(["MEETS_FUTURE_INTEGRITY", "MEETS_DEVICE_INTEGRITY"]))
        #expect(claims["legacy_device_recognition_verdict"] == .texts(["MEETS_STRONG_INTEGRITY"]))
        #expect(claims.integer("sdk_version") == 34 && claims.text("device_activity_level") == "LEVEL_9")
        #expect(claims["device_recall_first"] == .boolean(false) && claims["device_recall_second"] == .boolean(true))
        #expect(claims.integer("device_recall_second_written") == 202_505 && claims["device_recall_first_written"] == nil)
        #expect(claims.text("app_licensing_verdict") == "LICENSED" && claims.text("account_activity_level") == "TYPICAL_STRONG")
        #expect(claims["apps_detected"] == .texts([]) && claims.text("play_protect_verdict") == "NO_ISSUES")
        // An unknown level is a note, and never counts as good.
        #expect(appraisal.notes(at: "device_activity") == ["other"])
    }

    @Test("Claims stay when a check of the payload fails")
    func refused() throws {
        var payload = sample.standard
        payload["deviceIntegrity"] = nil
        let appraisal = try sample.judge(payload)
        #expect(appraisal.code == "device_verdict" && appraisal.assurance == .none)
        #expect(appraisal.claims["device_recognition_verdict"] == .texts([]))
    }
}
