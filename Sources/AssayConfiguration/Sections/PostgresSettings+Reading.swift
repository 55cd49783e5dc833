import AssayCore
import AssayPostgres
import AssaySchemes
import Foundation

extension PostgresSettings {
    /// The section `store.postgresql`.
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let list = section.required("hosts")
        let hosts = list?.filledList(orReport: "want at least one host")?.compactMap { $0.postgresHost() }
        let (database, user) = (section.required("database")?.filledText(), section.required("user")?.filledText())
        let passwordFile = section.optional("password_file")?.path(files)
        let ca = section.optional("ca")
        let roots = ca?.path(files)
        let certificate = section.optional("certificate")
        let key = section.optional("key")
        let (clientFile, keyFile) = (certificate?.path(files), key?.path(files))
        let writer = section.optional("writer")
        let writerName = writer.map { $0.postgresName("a writer") } ?? Self.hostName()
        let schema = section.optional("schema").map { $0.postgresName("a schema") } ?? "assay"
        let requiresStandby = section.optional("require_standby")?.boolean() ?? false
        section.explain("port", "write it behind the host, as in hosts: [\"db.example.org:5433\"]")
        section.explain(
            "password", "write it into a file that only the daemon's user can read, and name that in \"password_file\"")
        section.explain("sslmode", "\"ca\" turns TLS on: the roots of the server's certificate, which is verified always")
        section.done()

        if (certificate == nil) != (key == nil) {
            (certificate ?? key)?.report("\"certificate\" and \"key\" belong together")
        } else if certificate != nil, ca == nil {
            certificate?.report("it says nothing without \"ca\", which turns TLS on")
        }
        if let hosts, ca == nil, let open = hosts.first(where: { !$0.isOnThisMachine }) {
            list?.report(
                "the connection to \(open.name) would not be encrypted: \"ca\" names the roots of the server's certificate")
        }
        if writer == nil, writerName == nil {
            value.report("this machine's name is no name of a writer: give \"writer\", of the form [a-z0-9._-]{1,64}")
        }
        guard let hosts, !hosts.isEmpty, let database, let user, let writerName, let schema else { return nil }
        let client = clientFile.flatMap { file in keyFile.map { ClientCertificate(certificate: file, key: $0) } }
        self.init(
            hosts: hosts, database: database, user: user, tls: roots.map { .verified(roots: $0, client: client) } ?? .off,
            writer: writerName)
        (self.passwordFile, self.schema, self.requiresStandby) = (passwordFile, schema, requiresStandby)
    }

    /// The machine's name without its domain, as the name of a writer; `nil` if it is none.
    private static func hostName() -> String? {
        let name = ProcessInfo.processInfo.hostName.prefix { $0 != "." }.lowercased()
        return isName(name) ? name : nil
    }

    /// What is understood, for people: one line a thing.
    var summary: [String] {
        let protection =
            switch tls {
            case .off: "without TLS"
            case .verified(let roots, _): "with TLS to servers with a certificate from \(roots)"
            }
        let standby = requiresStandby ? ", and only if a standby confirms each commit" : ""
        return [
            "keeps its ledger in the \(self), \(protection), as the user \(user), in the schema \(schema)\(standby)",
            "writes the audit chain \"\(writer)\" there",
        ]
    }
}

extension PostgresSettings.Host {
    /// Whether the connection stays on this machine.
    fileprivate var isOnThisMachine: Bool { isSocketFolder || Loopback.contains(name) }
}

extension ConfigurationReader.Value {
    /// `name`, `name:port`, `[address]:port`, or the folder of a Unix socket, which begins with a slash, and may have a port too: it is in
    /// the name of the socket.
    fileprivate func postgresHost() -> PostgresSettings.Host? {
        guard let text = text() else { return nil }
        let wrong =
            "want a host's name or address, with or without a port, or the folder of its Unix socket, with or without one, have \"\(text.prefix(60))\""
        var (name, digits): (Substring, Substring?) = (text[...], nil)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            name = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            digits = rest.isEmpty ? nil : rest.hasPrefix(":") ? rest.dropFirst() : ""
        } else if text.split(separator: ":", omittingEmptySubsequences: false).count == 2, let colon = text.lastIndex(of: ":") {
            (name, digits) = (text[..<colon], text[text.index(after: colon)...])
        }
        let port = digits.map { UInt16($0) } ?? 5432
        let others: [UnicodeScalar] = name.hasPrefix("/") ? [","] : [",", "/", "'", "\\"]
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !others.contains(UnicodeScalar($0)) }
        guard let port, port > 0, isName else {
            report(wrong)
            return nil
        }
        return PostgresSettings.Host(String(name), port: port)
    }

    /// A name of the form that writers and schemas have.
    fileprivate func postgresName(_ what: String) -> String? {
        guard let text = text() else { return nil }
        guard PostgresSettings.isName(text) else {
            report("\(what)'s name is of the form [a-z0-9._-]{1,64}, have \"\(text.prefix(60))\"")
            return nil
        }
        return text
    }
}
