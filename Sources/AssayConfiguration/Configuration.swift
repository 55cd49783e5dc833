package import AssayCore
package import AssayFramedRPC
package import AssayHTTP
package import AssayPlugins
package import AssayRPC
package import AssaySchemes

/// The daemon's configuration, read from YAML; `docs/reference/configuration.md` and the pages below it describe every key.
///
/// It has two parts of different types: what a running daemon cannot change, from which its state is made, and what it follows at a
/// reload.
package struct Configuration: Sendable {
    package var fixed: FixedConfiguration
    package var live: LiveConfiguration
    /// What reading found that is no error, each with its line.
    let notes: [ConfigurationFinding]
    /// The line of each key that is set, by the way to it, e.g. `apps.camera.app_attest.counter`.
    package let lines: [String: Int]
    /// The files and sockets that the file names, by the path to each key.
    package let paths: [String: String]
    /// The lines of the keys in the catalog's files, by file and key.
    let catalogLines: [String: [String: Int]]

    /// A finding about the value under a key, with the line at which it stands.
    package func finding(_ code: ConfigurationFinding.Code, at path: String, _ message: String) -> ConfigurationFinding {
        ConfigurationFinding(code, line: line(at: path), path: path, message)
    }

    /// The line of a value, or of what is around it where that is not in the file.
    private func line(at path: String) -> Int? {
        var path = path[...]
        while true {
            if let line = lines[String(path)] { return line }
            guard let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            path = path[..<end]
        }
    }

    /// A finding about the value under a key of a plugin's entry in the catalog.
    package func finding(
        _ code: ConfigurationFinding.Code, of entry: PluginEntry, at path: String, _ message: String
    ) -> ConfigurationFinding {
        ConfigurationFinding(code, file: entry.file, line: catalogLines[entry.file]?[path], path: path, message)
    }
}

/// The part of the configuration that a running daemon cannot change: its sockets and its ledger are open.
package struct FixedConfiguration: Hashable, Sendable {
    /// Where callers connect, in the order of the file.
    package var listen: [ListenAddress]
    package var store: Store
    /// Of calls, of connections, and of frames.
    package var limits: RPCLimits
    /// Those of connections that speak HTTP.
    package var httpLimits = HTTPLimits()
    /// What is served over HTTP beside the calls.
    package var http = HTTPSettings()
    /// Whether there is a section `tls`. Its files may change, and are followed.
    package var servesTLS: Bool
    /// How plugins are run. The catalog is live.
    package var plugins: PluginSettings
    /// The operations addresses; empty: there is none.
    package var operate: [RPCAddress] = []
    /// Those with TLS at which a client may show an API key in place of a certificate.
    package var operateWithoutCertificates: Set<RPCAddress> = []

    /// The sections that differ in another configuration.
    package func sections(thatDifferIn other: Self) -> [String] {
        var sections: [String] = []
        if listen != other.listen { sections.append("listen") }
        // The declaration of a new ledger is of the start alone: it can be taken out of the file at any time.
        var store = self.store
        store.newLedger = other.store.newLedger
        if store != other.store { sections.append("store") }
        if servesTLS != other.servesTLS { sections.append("tls") }
        // Most keys of `limits` are limits over HTTP too.
        if limits != other.limits {
            sections.append("limits")
        } else if httpLimits != other.httpLimits {
            sections.append("limits.http")
        }
        if http != other.http { sections.append("http") }
        if plugins != other.plugins { sections.append("plugins") }
        if operate != other.operate || operateWithoutCertificates != other.operateWithoutCertificates {
            sections.append("operate.listen")
        }
        return sections
    }

    /// Every address that the daemon listens at, with the way to it in the file.
    package var addresses: [(key: String, address: RPCAddress)] {
        func keyed(_ section: String, _ addresses: [RPCAddress]) -> [(key: String, address: RPCAddress)] {
            addresses.enumerated().map { index, address in
                let kind =
                    switch address {
                    case .unix: "unix"
                    case .tcp: "tcp"
                    case .tls: "tls"
                    }
                return ("\(section)[\(index)].\(kind)", address)
            }
        }
        return keyed("listen", listen.addresses) + keyed("operate.listen", operate)
    }

    package struct Store: Hashable, Sendable {
        package var place: Place
        /// The file with the key that wraps the ledger's secrets; made with mode 0600 at first start.
        package var keyFile: String
        /// How long what only grows is kept.
        package var retention = RetentionRule()
        /// When it warns of a disk that fills up.
        package var disk = DiskSpaceRule()
        /// Looked at when the daemon starts, and never after.
        package var newLedger: NewLedgerDeclaration?

        package init(_ place: Place, keyFile: String) { (self.place, self.keyFile) = (place, keyFile) }
    }
}
