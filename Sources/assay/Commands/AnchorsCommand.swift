import ArgumentParser
import AssayCertificates
import AssayConfiguration
import AssayCore
import AssaySchemes

struct AnchorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anchors", abstract: "List the trust anchors: those built in, and those of a configuration.")

    @Option(help: ArgumentHelp("List the anchors of this configuration.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() throws {
        var anchors = builtInSchemes.flatMap { $0.anchors + $0.retiredAnchors }
        if let config {
            do throws(ConfigurationError) {
                anchors = try Configuration.load(config).live.anchors
            } catch {
                throw Console.unreadable(error.description)
            }
        }
        for anchor in anchors {
            if json { Console.print(json: anchor.json, pretty: false) } else { anchor.lines.forEach(Console.print) }
        }
    }
}

extension TrustAnchor {
    fileprivate var lines: [String] {
        [
            name + (simulated ? "  [test root: what it vouches for is simulated]" : ""),
            "  publisher    \(publisher)",
            "  subject      \(subject)",
            "  public key   \(Base64.standard.encode(publicKey.der))",
            "  SPKI SHA-256 \(Hex.encode(publicKeySHA256))",
            "  certificate  \(Hex.encode(certificateSHA256)) (SHA-256)",
            "  validity     \(validity.notBefore) to \(validity.notAfter)",
        ]
    }

    fileprivate var json: [String: Any] {
        [
            "name": name, "publisher": publisher, "subject": "\(subject)", "public_key_spki": Base64.url.encode(publicKey.der),
            "spki_sha256": Hex.encode(publicKeySHA256), "certificate_sha256": Hex.encode(certificateSHA256),
            "not_before": validity.notBefore.description, "not_after": validity.notAfter.description, "simulated": simulated,
        ]
    }
}
