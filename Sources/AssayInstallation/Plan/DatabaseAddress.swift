import AssayCore

/// Where a PostgreSQL database is, by a connection URI as libpq has them: `postgresql://user:password@host:port/database`.
package struct DatabaseAddress: Hashable, Sendable {
    /// `host` or `host:port`, as `store.postgresql.hosts` takes them.
    package let hosts: [String]
    package let database: String
    package let user: String
    /// `nil`: none is needed.
    package let password: String?

    private static let schemes = ["postgresql://", "postgres://"]

    /// Whether a text is meant as such a URI.
    package static func isURI(_ text: String) -> Bool { schemes.contains(where: text.hasPrefix) }

    package init(_ text: String) throws(PlanError) {
        guard let scheme = Self.schemes.first(where: text.hasPrefix), text.utf8.count <= 4096 else {
            throw Self.wrong("it begins with postgresql://")
        }
        var rest = text.dropFirst(scheme.count)
        guard !rest.contains("?"), !rest.contains("#") else {
            throw Self.wrong("parameters behind ? are not taken: --database-ca names the CA of the server's certificate")
        }
        guard let slash = rest.lastIndex(of: "/"), let database = Self.decoded(rest[rest.index(after: slash)...]) else {
            throw Self.wrong("the database stands behind the last slash")
        }
        rest = rest[..<slash]
        guard let at = rest.lastIndex(of: "@") else { throw Self.wrong("the user stands before an @") }
        let login = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = login.first.flatMap(Self.decoded) else { throw Self.wrong("the user stands before an @") }
        var password: String?
        if login.count == 2 {
            guard let word = Self.decoded(login[1]) else { throw Self.wrong("its password cannot be read") }
            password = word
        }
        hosts = rest[rest.index(after: at)...].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard (1...16).contains(hosts.count), hosts.allSatisfy(Self.isHost) else {
            throw Self.wrong("a host has no place there")
        }
        (self.database, self.user, self.password) = (database, user, password)
    }

    /// Whether no connection leaves this machine.
    package var isOnThisMachine: Bool {
        hosts.allSatisfy { host in
            host.hasPrefix("[")
                ? Loopback.contains(host.dropFirst().prefix { $0 != "]" }) : Loopback.contains(host.prefix { $0 != ":" })
        }
    }

    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit
                    || [".", "-", "_", ":", "[", "]"].contains { $0.utf8.elementsEqual(CollectionOfOne(byte)) }
            }
    }

    /// Percent-encoded text without control characters; `nil` if it is empty or none.
    private static func decoded(_ text: Substring) -> String? {
        guard let bytes = PercentEncoding.decode(text), !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text may have a password: it is not repeated.
    private static func wrong(_ what: String) -> PlanError {
        PlanError("a database is postgresql://user:password@host:port/database: \(what)", "")
    }
}
