import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("Checks of a token")
struct CheckTests {
    let sample: SampleToken
    init() throws { sample = try SampleToken() }

    @Test("A test response is refused")
    func testing() throws {
        #expect(try sample.code { $0["testingDetails", "isTestingResponse"] = .boolean(true) } == "testing_response")
        #expect(try sample.code { $0["testingDetails", "isTestingResponse"] = .boolean(false) } == nil)
        #expect(try sample.code { $0["testingDetails"] = .object([]) } == nil)
    }

    @Test("A token must name the app's package in both places, byte for byte")
    func packages() throws {
        for name in ["com.evil.copy", "com.example.shop2", "com.example", "COM.example.shop", ""] {
            #expect(try sample.code { $0["requestDetails", "requestPackageName"] = .text(name) } == "package_mismatch")
            #expect(try sample.code { $0["appIntegrity", "packageName"] = .text(name) } == "package_mismatch")
        }
        #expect(try sample.code { $0["appIntegrity", "packageName"] = nil } == "package_mismatch")
        // Unicode equates U+212A with K; an app with that name is another app.
        let identity = PlayIntegrityIdentity(packages: ["com.example.K"], signers: [sample.signer])
        let strict = PlayIntegrityVerifier(
            identity: identity, keys: [try sample.keySet()], decoding: .local, policy: sample.policy)
        for (name, code) in [("com.example.K", nil), ("com.example.\u{212A}", "package_mismatch")] {
            var payload = sample.standard
            payload["requestDetails", "requestPackageName"] = .text(name)
            payload["appIntegrity", "packageName"] = .text(name)
            let appraisal = strict.appraise(
                sample.evidence(try sample.console.token(payload)),
                in: AppraisalContext(binding: sample.binding, now: sample.now))
            #expect(appraisal.code == code)
        }
    }

    @Test("A nonce binds the client data, with or without padding")
    func nonce() throws {
        func code(_ nonce: String) throws -> String? {
            var payload = sample.classic
            payload["requestDetails", "nonce"] = .text(nonce)
            return try sample.judge(payload).code
        }
        let short = Binding(callerOwned: [1, 2, 3, 4, 5])
        let good = Base64.url.encode(sample.binding.clientData)
        #expect(try code(good) == nil)
        for bad in [String(good.dropLast(4)), good.lowercased(), good + "AAAA", "", "=", good + "=", good + "====", " " + good]
        {
            #expect(try code(bad) == "nonce_mismatch", "\(bad)")
        }
        for (nonce, expected) in [
            ("AQIDBAU", nil), ("AQIDBAU=", nil), ("AQIDBAU==", "nonce_mismatch"), ("AQIDBAV=", "nonce_mismatch"),
        ] {
            var payload = sample.classic
            payload["requestDetails", "nonce"] = .text(nonce)
            let appraisal = try sample.verifier().appraise(
                sample.evidence(try sample.console.token(payload)), in: AppraisalContext(binding: short, now: sample.now))
            #expect(appraisal.code == expected, "\(nonce)")
        }
    }

    @Test("A request hash binds the client data, with or without padding")
    func requestHash() throws {
        let good = Base64.url.encode(sample.binding.clientDataHash)
        for text in [good, good + "="] {
            #expect(try sample.code { $0["requestDetails", "requestHash"] = .text(text) } == nil, "\(text)")
        }
        for bad in [
            good + "==", good + "=A", "=", String(good.dropLast()), good.lowercased(), "",
            Base64.url.encode(sample.binding.clientData),
        ] {
            #expect(try sample.code { $0["requestDetails", "requestHash"] = .text(bad) } == "request_hash_mismatch", "\(bad)")
        }
    }

    @Test("Exactly one of nonce and request hash binds a token, of a kind that the app accepts")
    func kinds() throws {
        #expect(try sample.code { $0["requestDetails", "requestHash"] = nil } == "request_hash_mismatch")
        let nonce = JSONDraft.text(Base64.url.encode(sample.binding.clientData))
        #expect(try sample.code { $0["requestDetails", "nonce"] = nonce } == "request_hash_mismatch")
        var one = sample
        one.policy.kinds = [.standard]
        #expect(try one.judge(sample.classic).code == "request_hash_mismatch")
        #expect(try one.judge(sample.standard).isAccepted)
        one.policy.kinds = [.classic]
        #expect(try one.judge(sample.standard).code == "nonce_mismatch")
        #expect(try one.judge(sample.classic).isAccepted)
    }

    @Test("A token must be of the time that the app allows, by Google's clock")
    func timestamps() throws {
        func code(after milliseconds: Int64) throws -> String? {
            try sample.code {
                $0["requestDetails", "timestampMillis"] = .integer(SampleToken.now.unixMilliseconds - milliseconds)
            }
        }
        for good in [0, 300_000, -60_000] as [Int64] { #expect(try code(after: good) == nil, "\(good)") }
        for bad in [300_001, 660_000, -60_001, -120_000] as [Int64] {
            #expect(try code(after: bad) == "stale_timestamp", "\(bad)")
        }
        #expect(
            try sample.code { $0["requestDetails", "timestampMillis"] = .literal("9223372036854775807") } == "stale_timestamp")
        #expect(try sample.code { $0["requestDetails", "timestampMillis"] = .literal("0") } == "stale_timestamp")
    }

    @Test("The app must be one that Google Play recognises, unless the policy allows others")
    func appVerdict() throws {
        for verdict in ["UNRECOGNIZED_VERSION", "UNEVALUATED", "UNKNOWN", "FUTURE", ""] {
            #expect(try sample.code { $0["appIntegrity", "appRecognitionVerdict"] = .text(verdict) } == "app_verdict")
        }
        #expect(try sample.code { $0["appIntegrity"] = nil } == "app_verdict")
        #expect(
            try sample.code { $0["appIntegrity"] = .object([.init("appRecognitionVerdict", .text("UNEVALUATED"))]) }
                == "app_verdict")
        var lenient = sample
        lenient.policy.appVerdicts = [.playRecognized, .unrecognizedVersion]
        #expect(try lenient.code { $0["appIntegrity", "appRecognitionVerdict"] = .text("UNRECOGNIZED_VERSION") } == nil)
        #expect(try lenient.code { $0["appIntegrity", "appRecognitionVerdict"] = .text("UNEVALUATED") } == "app_verdict")
    }

    @Test("Cleared verdicts are reported")
    func cleared() throws {
        let appraisal = try sample.judge(sample.standard.playCleared)
        #expect(appraisal.code == "app_verdict" && appraisal.notes(at: "app_verdict") == ["verdicts_cleared"])
        #expect(appraisal.failure?.detail.contains("decoded before") == true)
        var bare = sample.standard
        for name in ["appIntegrity", "deviceIntegrity", "accountDetails"] { bare[name] = nil }
        #expect(try sample.judge(bare).notes(at: "app_verdict") == ["verdicts_cleared"])
        var licensed = sample.standard.playCleared
        licensed["accountDetails", "appLicensingVerdict"] = .text("LICENSED")
        #expect(try sample.judge(licensed).notes(at: "app_verdict") == [])
    }

    @Test("The package must be signed by the app's certificate")
    func signers() throws {
        let (good, other) = (Base64.url.encode(sample.signer), Base64.url.encode([UInt8](repeating: 1, count: 32)))
        for digests in [
            [other], [], [good + "="], [Hex.encode(sample.signer)], [Base64.url.encode(sample.signer.dropLast())], [""],
        ] {
            #expect(try sample.code { $0["appIntegrity", "certificateSha256Digest"] = .texts(digests) } == "signer_mismatch")
        }
        #expect(try sample.code { $0["appIntegrity", "certificateSha256Digest"] = nil } == "signer_mismatch")
        #expect(try sample.code { $0["appIntegrity", "certificateSha256Digest"] = .texts([other, good]) } == nil)
    }

    @Test("The app's version must be new enough")
    func version() throws {
        var strict = sample
        strict.policy.minVersionCode = 42
        #expect(try strict.code { _ in } == nil)
        #expect(try strict.code { $0["appIntegrity", "versionCode"] = .text("41") } == "app_version")
        #expect(try strict.code { $0["appIntegrity", "versionCode"] = nil } == "app_version")
        #expect(try sample.code { $0["appIntegrity", "versionCode"] = nil } == nil)
    }

    @Test("The device must have a label that the app requires")
    func labels() throws {
        func code(_ labels: [String]?, _ demanded: Set<PlayVerdict.Device> = [.device]) throws -> String? {
            var sample = sample
            sample.policy.deviceVerdicts = demanded
            return try sample.code { $0["deviceIntegrity", "deviceRecognitionVerdict"] = labels.map { .texts($0) } }
        }
        #expect(try code(["MEETS_DEVICE_INTEGRITY", "MEETS_FUTURE_INTEGRITY"]) == nil)
        for labels in [
            nil, [], ["MEETS_FUTURE_INTEGRITY"], ["UNKNOWN"], ["MEETS_BASIC_INTEGRITY"], ["MEETS_VIRTUAL_INTEGRITY"],
        ] {
            #expect(try code(labels) == "device_verdict")
        }
        #expect(try code(["MEETS_DEVICE_INTEGRITY"], [.strong]) == "device_verdict")
        #expect(try code(["MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY"], [.strong]) == nil)
        #expect(try code(["MEETS_VIRTUAL_INTEGRITY"], [.device, .virtual]) == nil)
        // A text that contains a label's name is not the label.
        #expect(try code(["meets_device_integrity"]) == "device_verdict")
    }

    @Test("The assurance is lower if Google only answered")
    func assurance() throws {
        var weak = sample
        weak.policy.deviceVerdicts = [.basic, .virtual]
        for label in ["MEETS_BASIC_INTEGRITY", "MEETS_VIRTUAL_INTEGRITY"] {
            var payload = sample.standard
            payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts([label])
            #expect(try weak.judge(payload).assurance == .software)
        }
    }

    @Test("The system's API level is checked if the app requires one")
    func sdkVersion() throws {
        var strict = sample
        strict.policy.deviceVerdicts = [.strong]
        strict.policy.minSDKVersion = 33
        func code(_ attributes: JSONDraft?) throws -> String? {
            try strict.code {
                $0["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(["MEETS_STRONG_INTEGRITY"])
                $0["deviceIntegrity", "deviceAttributes"] = attributes
            }
        }
        #expect(try code(.object([.init("sdkVersion", .integer(33))])) == nil)
        #expect(try code(.object([.init("sdkVersion", .integer(31))])) == "os_version")
        #expect(try code(.object([])) == "sdk_version_unevaluated")
        #expect(try code(nil) == "sdk_version_unevaluated")
    }
}
