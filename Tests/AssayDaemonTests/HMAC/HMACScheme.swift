import AssayCertificates
import AssayCore
import AssaySchemes
import Crypto

/// A platform for tests: apps that hold a key in common with the server.
enum HMACScheme: AttestationScheme {
    static let sectionKey: String? = "example_hmac"

    static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        let section = value.section()
        let key = section.required("key").flatMap { value -> [UInt8]? in
            let bytes = value.text().flatMap { ByteText.decode($0, count: 32) }
            if bytes == nil { value.report("want a key: 32 bytes in \(ByteText.forms)") }
            return bytes
        }
        section.done()
        return key.map(HMACSection.init(key:))
    }
}

/// The section `example_hmac` of an app.
struct HMACSection: SchemeSection {
    var key: [UInt8]

    func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] { [HMACVerifier(key: key)] }

    /// The key itself does not leave the configuration: its digest stands for it.
    func describe(in policy: inout PolicyText, testRoots: [TrustAnchor]) {
        policy.mark("example-hmac")
        policy.add("example_hmac.key", hashed: SHA256.bytes(of: key), shown: "SHA-256 \(Hex.encode(SHA256.bytes(of: key)))")
    }

    var summary: [String] { ["HMAC over the client data"] }
}
