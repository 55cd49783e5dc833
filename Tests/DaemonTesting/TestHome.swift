import AssayCore
import AssaySimulator
import Foundation
import Testing

/// The folder of a daemon: configuration, ledger, and the root of its phones' authority.
final class TestHome: Sendable {
    static let appID = "ABCDE12345.com.example.camera"
    let folder: TemporaryFolder
    let authority: TestAuthority
    /// The authority of trusted Android devices; `nil`: none.
    let android: AndroidAuthority?
    let app: AppID

    /// Listens on loopback, accepts every caller, trusts the authority.
    convenience init() throws {
        try self.init(listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}")
    }

    /// Trusts the Android devices of an authority too, software roots included.
    convenience init(android: AndroidAuthority) throws {
        try self.init(listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", android: android)
    }

    /// - Parameter more: other sections, one per line.
    init(
        listen: [String], callers: String, more: String = "", android: AndroidAuthority? = nil,
        authority: TestAuthority = TestAuthority(), store: String = "{path: ledger.sqlite}",
        in folder: TemporaryFolder? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.android = android
        self.authority = authority
        app = try #require(AppID("camera"))
        try self.folder.write(authority.rootPEM, to: "root.pem")
        var roots = ["root.pem"]
        for root in android == nil ? [] : AndroidAuthority.Root.allCases {
            try self.folder.write(try android?.pem(root) ?? "", to: "android-\(root.rawValue).pem")
            roots.append("android-\(root.rawValue).pem")
        }
        let packages = "[{name: \(TestAndroid.package), signers: [\(Hex.encode(TestAndroid.signer))]}]"
        try self.folder.write(
            """
            listen: [\(listen.map { "{\($0)}" }.joined(separator: ", "))]
            store: \(store)
            callers: \(callers)
            \(more)
            trust: {test_roots: [\(roots.joined(separator: ", "))]}
            apps:
              camera: {app_attest: {identities: [{app_id: \(Self.appID)}]}\(
                  android == nil ? "" : ", android: {packages: \(packages), revocation: {source: none}}"), accept_simulated: true}
              other: {app_attest: {identities: [{app_id: ABCDE12345.com.example.other}]}, accept_simulated: true}
            """, to: "assayd.yaml")
    }

    var configuration: String { folder.file("assayd.yaml") }

    /// Never warns of the disk, however full the tests' disk is: for tests of the status.
    func leaveTheDiskAlone() throws {
        let text = folder.text("assayd.yaml")
        try #require(text.contains("store: {path: ledger.sqlite}"))
        try folder.write(
            text.replacing(
                "store: {path: ledger.sqlite}", with: "store: {path: ledger.sqlite, warn_free_bytes: 0, warn_free_percent: 0}"),
            to: "assayd.yaml")
    }

    /// A phone with a new key.
    func phone() -> TestPhone {
        var phone = VirtualPhone(authority: authority, appID: Self.appID)
        return TestPhone(key: phone.makeKey(), app: app)
    }
}
