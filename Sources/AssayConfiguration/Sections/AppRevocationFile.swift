package import AssayCore
package import AssayVendors

/// The file with one app's revocation list, as operators see it: `file:<app>`.
package struct AppRevocationFile: TrustFeed {
    package let app: AppID
    package let file: RevocationFile

    package var name: String { "file:\(app.text)" }
    package var apps: Set<AppID>? { [app] }
    package func status(at now: Timestamp) -> TrustFeedStatus { file.status(at: now) }

    package func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedRefusal) {
        throw TrustFeedRefusal("the list is read from \(file.path): replace that file, and it is read again within a minute")
    }
}
