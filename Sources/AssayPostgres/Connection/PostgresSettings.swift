import AssayCore
import CPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the database is, and how it is reached. Nothing is taken from the environment or from files that are not named here.
package struct PostgresSettings: Hashable, Sendable {
    /// A server's name or address, or the folder of its Unix socket, which begins with a slash.
    package struct Host: Hashable, Sendable {
        package var name: String
        package var port: UInt16
        package init(_ name: String, port: UInt16 = 5432) { (self.name, self.port) = (name, port) }

        package var isSocketFolder: Bool { name.hasPrefix("/") }
    }

    package enum TLS: Hashable, Sendable {
        /// Only for Unix sockets and for networks that are protected in another way.
        case off
        /// The server's certificate must be issued by one of these roots and name the host.
        case verified(roots: String, client: ClientCertificate? = nil)
    }

    /// The paths of a client certificate and its key, PEM. The key's file must be readable by its owner only.
    package struct ClientCertificate: Hashable, Sendable {
        package var certificate: String
        package var key: String
        package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
    }

    /// Tried in this order at each connect, until one accepts writes.
    package var hosts: [Host]
    package var database: String
    package var user: String
    /// The path of a file that holds the password and nothing else; a line feed at its end does not count. It is read at each connect.
    /// `nil`: the server asks for none.
    package var passwordFile: String?
    package var tls: TLS
    /// The name of this daemon's audit chain: 1 to 64 bytes of `a-z`, `0-9`, `.`, `_` and `-`. Daemons on one database have different names.
    package var writer: String
    /// The schema that holds the ledger's tables, of the same form as `writer`.
    package var schema = "assay"
    /// Whether the ledger is refused unless the server waits for a standby, so that a failover loses no acknowledged verdict.
    package var requiresStandby = false
    /// The servers that are connected to, as libpq's `target_session_attrs` names them. The ledger writes.
    var sessions = "read-write"
    /// `nil`: as the server says.
    var engine: ServerEngine?
    /// How long a server may take to accept a connection, in seconds. libpq waits 2 at least.
    package var connectTimeout = 2
    /// How long a transaction may take, in milliseconds. A commit that takes longer is looked up again before anything else is written.
    package var commitTimeout: Int64 = 3000
    /// How long it is tried to find out whether a commit was applied, in milliseconds.
    package var resolveTimeout: Int64 = 3000
    /// How long a read may take, in milliseconds.
    package var readTimeout: Int64 = 5000
    /// How long a statement waits for a lock, in milliseconds.
    package var lockTimeout: Int64 = 1000
    /// How long the server keeps the locks of a transaction whose daemon stalls, in milliseconds.
    package var idleTransactionTimeout: Int64 = 2000

    package init(hosts: [Host], database: String, user: String, tls: TLS, writer: String) {
        (self.hosts, self.database, self.user) = (hosts, database, user)
        (self.tls, self.writer) = (tls, writer)
    }
}

extension PostgresSettings: CustomStringConvertible {
    /// The database and its hosts, for messages. Never the password.
    package var description: String {
        let places = hosts.map { $0.isSocketFolder ? "\($0.name)/.s.PGSQL.\($0.port)" : "\($0.name):\($0.port)" }
        return "database \(database) at \(places.joined(separator: ", "))"
    }
}

extension PostgresSettings {
    /// What is wrong with the settings; `nil` if nothing is.
    var fault: String? {
        if hosts.isEmpty { return "no host is given" }
        if hosts.contains(where: { $0.name.isEmpty || $0.name.contains(",") }) { return "a host has no name, or a comma in it" }
        if database.isEmpty || user.isEmpty { return "no database or no user is given" }
        if AuditWriter(named: writer) == nil {
            return "\"\(writer)\" is no name of a writer: use a-z, 0-9, \".\", \"_\" and \"-\""
        }
        if !Self.isName(schema) { return "\"\(schema)\" is no name of a schema: use a-z, 0-9, \".\", \"_\" and \"-\"" }
        let texts = hosts.map(\.name) + [database, user, passwordFile ?? "", schema]
        if texts.contains(where: { $0.utf8.contains(0) }) { return "a text has a NUL character" }
        return nil
    }

    /// Whether a writer or a schema may have the name.
    package static func isName(_ text: String) -> Bool { AppID(text) != nil }

    /// The connection string. Every parameter that libpq would take from the environment or from the home folder is given.
    func connectionString() throws(PostgresError) -> String {
        if let fault { throw .unsuitable(fault) }
        var values: [String: String] = [
            "host": hosts.map(\.name).joined(separator: ","), "hostaddr": "",
            "port": hosts.map { String($0.port) }.joined(separator: ","),
            "dbname": database, "user": user, "password": try password(), "passfile": Self.nothing,
            "application_name": "assay \(writer)", "client_encoding": "UTF8", "options": "",
            "connect_timeout": String(max(2, connectTimeout)), "target_session_attrs": sessions,
            "gssencmode": "disable", "gsslib": "", "krbsrvname": "postgres", "gssdelegation": "0", "channel_binding": "prefer",
            "requirepeer": "", "require_auth": "", "load_balance_hosts": "disable", "sslnegotiation": "postgres",
            "sslcompression": "0", "sslsni": "1", "sslcrl": Self.nothing, "sslcrldir": "", "sslkey": Self.nothing,
            "sslcert": Self.nothing, "sslrootcert": Self.nothing, "sslcertmode": "disable",
            "ssl_min_protocol_version": "TLSv1.3", "ssl_max_protocol_version": "",
            "min_protocol_version": "3.0", "max_protocol_version": "3.0",
            "keepalives": "1", "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3",
            "tcp_user_timeout": "5000",
        ]
        switch tls {
        case .off: values["sslmode"] = "disable"
        case .verified(let roots, let client):
            values["sslmode"] = "verify-full"
            values["sslrootcert"] = roots
            if let client {
                values["sslcert"] = client.certificate
                values["sslkey"] = client.key
                values["sslcertmode"] = "allow"
            }
        }
        return values.filter { Self.known.contains($0.key) }.map { "\($0.key)='\(Self.escaped($0.value))'" }
            .joined(separator: " ")
    }

    /// A path that does not exist. libpq takes an empty path for "the one in the home folder".
    private static let nothing = "/dev/null/none"

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }

    /// The parameters that this version of libpq knows.
    private static let known: Set<String> = {
        guard let options = PQconndefaults() else { return [] }
        defer { PQconninfoFree(options) }
        var names: Set<String> = []
        var next = options
        while let keyword = next.pointee.keyword {
            names.insert(String(cString: keyword))
            next += 1
        }
        return names
    }()

    private func password() throws(PostgresError) -> String {
        guard let passwordFile else { return "" }
        let text: String
        switch PasswordFile.password(in: passwordFile) {
        case .success(let found): text = found
        case .failure(let why): throw .unsuitable("the password file \(passwordFile) \(why.words)")
        }
        return text
    }
}

/// A file with a password and nothing else.
enum PasswordFile {
    struct Fault: Error { let words: String }

    /// The longest password, in bytes.
    static let limit = 1000

    static func password(in path: String) -> Result<String, Fault> {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return .failure(Fault(words: "cannot be read (error \(errno))")) }
        defer { _ = close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return .failure(Fault(words: "cannot be read (error \(errno))")) }
        // Secrets of systemd and Kubernetes are root's, and readable by the daemon's group. libpq takes keys in the same way.
        let isSystemCredential = status.st_uid == 0 && status.st_mode & 0o037 == 0
        guard status.st_mode & 0o077 == 0 || isSystemCredential else {
            return .failure(Fault(words: "can be read by others than its owner: set its mode to 0600"))
        }
        var bytes = [UInt8](repeating: 0, count: limit + 2)
        var length = 0
        while length < bytes.count {
            let some = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress.map { $0 + length }, buffer.count - length)
            }
            guard some >= 0 else { return .failure(Fault(words: "cannot be read (error \(errno))")) }
            if some == 0 { break }
            length += some
        }
        var text = bytes.prefix(length)
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        guard !text.isEmpty, text.count <= limit, !text.contains(0), let password = String(validating: text, as: UTF8.self)
        else { return .failure(Fault(words: "holds no password: want 1 to \(limit) bytes of UTF-8")) }
        return .success(password)
    }
}
