import AssayCore
import AssayService
import AssaySimulator
import AssayVendors
import Crypto
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// Rules between sections: how long uses are kept, and how requests to vendors are shared.
@Suite("Configuration of uses of evidence and of shares")
struct EvidenceUseLimitConfigurationTests {
    private static let signers = "signers: [\"\(String(repeating: "ab", count: 32))\"]"
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let console = PlayConsole(seed: "memory")
        for (name, text) in [
            ("AuthKey.p8", P256.Signing.PrivateKey().pemRepresentation),
            ("account.json", String(decoding: try CloudAccount().file, as: UTF8.self)),
            ("decryption.key", Base64.standard.encode(console.decryptionKey)),
            ("verification.key", Base64.standard.encode(console.verificationKey)),
        ] {
            try folder.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name))
        }
    }

    private func parse(_ apps: [String], vendors: String = "{}") throws -> Configuration {
        try Configuration.parse(
            """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apple: {teams: [{team_id: ABCDE12345, key_id: 2X9R4HXF34, private_key: AuthKey.p8}]}
            vendors: \(vendors)
            apps:
            \(apps.enumerated().map { "  app\($0): {\($1)}" }.joined(separator: "\n"))
            """, file: "assayd.yaml", folder: folder.path)
    }

    private func problem(_ apps: [String], vendors: String = "{}") -> String? {
        do {
            _ = try parse(apps, vendors: vendors)
            return nil
        } catch { return "\(error)" }
    }

    private static let appAttest = "app_attest: {identities: [{app_id: ABCDE12345.com.example}]"
    private static let android = "android: {packages: [{name: com.example, \(signers)}], revocation: {source: none}"
    private static let play = """
        play_integrity: {packages: [com.example], \(signers), \
        keys: [{decryption_key_file: decryption.key, verification_key_file: verification.key}]
        """
    private static let google = """
        play_integrity: {packages: [com.example], \(signers), mode: google, google: {service_account: account.json}}
        """

    @Test(
        "A use must be kept as long as the same evidence can be accepted, and the error names the least time",
        arguments: [
            ("device_check: {}", "23h", "1d", "device_check.spend_token_for"),
            ("device_check: {spend_token_for: 30d}", "29d", "30d", "device_check.spend_token_for"),
            ("\(play)}", "359s", "6m", "play_integrity.max_age, and 60 s of skew"),
            ("\(play), max_age: 1h}", "1h", "61m", "play_integrity.max_age, and 60 s of skew"),
            ("\(play), max_age: 1500ms}", "61s", "61500ms", "play_integrity.max_age, and 60 s of skew"),
            ("\(appAttest), receipt: {mode: require, max_age: 2d}}", "2d", "2885m", "app_attest.receipt.max_age"),
            ("\(android), creation_window: 1h}", "1h", "2h", "android.creation_window"),
            ("device_check: {}, \(play), max_age: 1h}", "2h", "1d", "device_check.spend_token_for"),
        ])
    func memory(_ sections: String, _ tooShort: String, _ least: String, _ why: String) throws {
        func app(_ duration: String) -> [String] {
            ["binding: {caller_owned: {spend_evidence_for: \(duration)}}, \(sections)"]
        }
        let found = try #require(problem(app(tooShort)))
        #expect(
            found.contains("assayd.yaml:7: apps.app0.binding.caller_owned.spend_evidence_for: want at least \(least): "),
            "\(found)")
        #expect(found.contains(why), "\(found)")
        #expect(try parse(app(least)).apps.first?.binding.callerOwned?.spendEvidenceFor != nil)
        #expect(try parse(["binding: {caller_owned: {}}, \(sections)"]).apps.count == 1)
    }

    @Test("If the age of evidence is not checked, only the rule counts")
    func noAge() throws {
        for section in ["\(Self.appAttest)}", "\(Self.android)}", "\(Self.appAttest), receipt: {max_age: 2d}}"] {
            #expect(problem(["binding: {caller_owned: {spend_evidence_for: 1s}}, \(section)"]) == nil)
        }
    }

    @Test("The time is read up to a year, and refused beyond", arguments: [50, 366] as [Int64])
    func months(_ days: Int64) throws {
        let app = "binding: {caller_owned: {spend_evidence_for: \(days)d}}, \(Self.appAttest)}"
        #expect(try parse([app]).apps.first?.binding.callerOwned?.spendEvidenceFor == days * 86_400_000)
        let beyond = problem(["binding: {caller_owned: {spend_evidence_for: 367d}}, \(Self.appAttest)}"])
        #expect(beyond?.contains("to 366d, have \"367d\"") == true)
    }

    @Test("Each app that asks vendors gets a share of the calls, and there must be enough of them")
    func shares() throws {
        let asking = ["device_check: {}", Self.google, "device_check: {}, \(Self.google)"], still = "\(Self.appAttest)}"
        #expect(try parse([still]).live.inquiryShare == InquiryShare(questions: 32, answers: 16_384))
        #expect(
            try parse([asking[0], still, "\(Self.play)}"]).live.inquiryShare == InquiryShare(questions: 32, answers: 16_384))
        #expect(try parse(asking).live.inquiryShare == InquiryShare(questions: 16, answers: 5461))
        #expect(try parse(asking, vendors: "{max_calls: 4}").live.inquiryShare.questions == 1)
        let found = try #require(problem(asking, vendors: "{max_calls: 3}"))
        #expect(found.contains("assayd.yaml:5: vendors.max_calls: want at least 4: one for each app"), "\(found)")
        #expect(try parse([still], vendors: "{max_calls: 1}").vendors.callLimit == 1)
        // The default is always enough.
        let many = try parse(Array(repeating: "device_check: {}", count: 100))
        #expect(many.vendors.callLimit == 101 && many.live.inquiryShare == InquiryShare(questions: 1, answers: 163))
        let one = try parse([asking[0]])
        #expect(one.vendors == VendorSettings(), "nothing is changed that need not be")
    }
}
