import AssayCore
import AssaySimulator
import Foundation
import Testing

/// The folder of a daemon: configuration, ledger, and the root of an authority whose phones it believes.
final class TestHome: Sendable {
    static let appID = "ABCDE12345.com.example.camera"
    let folder: TemporaryFolder
    let authority: TestAuthority
    let app: AppID

    /// Listens on loopback, lets everyone call, believes the authority.
    convenience init() throws {
        try self.init(listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}")
    }

    /// - Parameter more: other sections, a line each.
    init(listen: [String], callers: String, more: String = "", in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        authority = TestAuthority()
        app = try #require(AppID("camera"))
        try self.folder.write(authority.rootPEM, to: "root.pem")
        try self.folder.write(
            """
            listen: [\(listen.map { "{\($0)}" }.joined(separator: ", "))]
            store: {path: ledger.sqlite}
            callers: \(callers)
            \(more)
            trust: {test_roots: [root.pem]}
            apps:
              camera: {app_attest: {identities: [{app_id: \(Self.appID)}]}}
              other: {app_attest: {identities: [{app_id: ABCDE12345.com.example.other}]}}
            """, to: "assayd.yaml")
    }

    var configuration: String { folder.file("assayd.yaml") }

    /// A phone with a new key.
    func phone() -> TestPhone {
        var phone = VirtualPhone(authority: authority, appID: Self.appID)
        return TestPhone(key: phone.makeKey(), app: app)
    }
}
