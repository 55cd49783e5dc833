import AssayConfiguration
import AssayCore
import AssaySchemes
import AssayService
import AssayVendors
import Foundation
import Testing

@testable import AssayDaemon
@testable import DaemonTesting

@Suite("The section webhooks")
struct WebhookConfigurationTests {
    private let home: TestHome

    init() throws {
        home = try TestHome()
        try secret("whsec_" + Data(repeating: 1, count: 32).base64EncodedString() + "\n")
    }

    private func secret(_ text: String, mode: Int = 0o600) throws {
        let path = try home.folder.write(text, to: "pager.secret")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func load(_ webhook: String, name: String = "pager") throws -> Configuration {
        let text = home.folder.text("assayd.yaml").split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("webhooks:") }.joined(separator: "\n")
        try home.folder.write(text + "\nwebhooks: {\(name): {\(webhook)}}\n", to: "assayd.yaml")
        return try Configuration.load(home.configuration)
    }

    private static let good = "url: https://hooks.example.com/assay, secret: pager.secret, events: [verdict.rejected, device]"

    @Test("a webhook is read, with its secret, its filter and its file beside the ledger")
    func read() throws {
        let configuration = try load(Self.good + ", apps: [camera], codes: [nonce_mismatch], timeout: 3s")
        let rule = try #require(configuration.live.webhookRules(beside: "/var/lib/assay/ledger.db").first)
        #expect(rule.name == "pager" && rule.secrets == [[UInt8](repeating: 1, count: 32)])
        #expect(rule.filter.kinds == ["verdict.rejected", "device"] && rule.filter.codes == ["nonce_mismatch"])
        #expect(rule.settings.totalMilliseconds == 3000)
        #expect(rule.deadLetters == "/var/lib/assay/ledger.db-webhook-pager.jsonl")
        #expect(configuration.summary.contains { $0.contains("to the webhook pager at https://hooks.example.com") })
        let dump = String(reflecting: configuration.live.webhooks)
        #expect(!dump.contains("[1, 1"), "no dump shows the secret")
    }

    @Test(
        "what cannot be a webhook is refused, with the reason",
        arguments: [
            ("url: http://hooks.example.com/a, secret: pager.secret, events: [device]", "want https://"),
            ("url: 'https://user@hooks.example.com/a', secret: pager.secret, events: [device]", "want https://"),
            ("url: 'https://hooks.example.com/a?token=1', secret: pager.secret, events: [device]", "want https://"),
            ("url: https://hooks.example.com/a, events: [device]", "secret"),
            ("url: https://hooks.example.com/a, secret: pager.secret, events: []", "without events nothing is sent"),
            ("url: https://hooks.example.com/a, secret: pager.secret, events: [verdict.refused]", "want a kind of events"),
            ("url: https://hooks.example.com/a, secret: missing.secret, events: [device]", "is missing"),
            (Self.good + ", apps: [unknown]", "there is no app \"unknown\""),
            ("url: https://hooks.example.com/a, secret: pager.secret, events: [change], codes: [a]", "changes have no code"),
            (
                "url: https://hooks.example.com/a, secret: pager.secret, events: [verdict.rejectd]",
                "did you mean \"verdict.rejected\"?"
            ),
            (Self.good + ", apps: [camra]", "there is no app \"camra\"; did you mean \"camera\"?"),
            (Self.good + ", codes: [devce_blocked]", "no reason is called \"devce_blocked\"; did you mean \"device_blocked\"?"),
            (Self.good + ", callers: [no-such-caller]", "there is no caller \"no-such-caller\""),
        ])
    func refused(_ webhook: String, _ words: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try load(webhook) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("codes of plugins and callers with an API key may be named though the configuration does not know them")
    func foreignNames() throws {
        let webhook = try #require(
            try load(Self.good + ", codes: [glare_in_frame], callers: [\"key:uploads\"]").live.webhooks.first)
        #expect(webhook.codes == ["glare_in_frame"] && webhook.callers == ["key:uploads"])
    }

    @Test("a secret file that is open to others, or has no secret, is refused, and its content is not repeated")
    func secrets() throws {
        try secret("whsec_" + Data(repeating: 1, count: 32).base64EncodedString(), mode: 0o644)
        #expect(throws: ConfigurationError.self) { try load(Self.good) }
        for text in ["hunter2-hunter2-hunter2-hunter2", "whsec_c2hvcnQ=", "whsec_%%%", ""] {
            try secret(text)
            let error = #expect(throws: ConfigurationError.self) { try load(Self.good) }
            #expect(error?.description.contains("has no secret") == true && error?.description.contains("hunter2") == false)
        }
    }

    @Test("a name that metrics and files cannot have is refused")
    func names() throws {
        #expect(throws: ConfigurationError.self) { try load(Self.good, name: "Pager") }
        #expect(throws: ConfigurationError.self) { try load(Self.good, name: String(repeating: "a", count: 41)) }
    }

    @Test("check-config says that a webhook gets every verdict, and that its events go over plain HTTP")
    func findings() throws {
        _ = try load("url: http://127.0.0.1:9999/a, secret: pager.secret, events: [verdict]")
        let codes = ConfigurationCheck(home.configuration).findings.map(\.code)
        #expect(codes.contains(.webhookPlain) && codes.contains(.webhookEveryVerdict))
        _ = try load(Self.good)
        let none = ConfigurationCheck(home.configuration).findings.map(\.code)
        #expect(!none.contains(.webhookPlain) && !none.contains(.webhookEveryVerdict))
    }
}
