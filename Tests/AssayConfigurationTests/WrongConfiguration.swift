import Testing

/// A mistake that an operator makes in a configuration that works (`BrokenConfigurationTests.working`), and what the answer says.
struct WrongConfiguration: Sendable, CustomTestStringConvertible {
    /// What the mistake is, for the test's report.
    let name: String
    /// A part of the configuration that works, and what stands there by mistake: the first place where it stands is changed.
    let right: String
    let wrong: String
    /// The line, and the way to the value where there is one: `6: store.path`.
    let place: String
    /// What the answer has among others: the remedy.
    let words: [String]
    /// Whether the file can be used all the same, and the answer is a failure or a warning of `check-config`.
    let isFinding: Bool
    var testDescription: String { name }

    init(_ name: String, _ right: String, _ wrong: String, at place: String, isFinding: Bool = false, _ words: String...) {
        (self.name, self.right, self.wrong, self.place, self.words, self.isFinding) = (
            name, right, wrong, place, words, isFinding
        )
    }

    /// A section, or another key, before `limits:`, in line 15.
    static func top(_ name: String, _ text: String, at path: String = "", _ words: String...) -> WrongConfiguration {
        WrongConfiguration(name, "limits:\n", text + "\nlimits:\n", line: 15, path, words)
    }

    /// A key of the app, in line 20.
    static func app(_ name: String, _ text: String, at path: String, _ words: String...) -> WrongConfiguration {
        let line = "    challenge: {ttl: 5m}\n"
        return WrongConfiguration(name, line, line + "    " + text + "\n", line: 20, "apps.photos." + path, words)
    }

    /// The value of `challenge.ttl`.
    static func duration(_ text: String, _ words: String) -> WrongConfiguration {
        WrongConfiguration("the duration \(text)", "ttl: 5m", "ttl: \(text)", at: "19: apps.photos.challenge.ttl", words)
    }

    /// The SHA-256 of the Android app's signer.
    static func signer(_ name: String, _ text: String, _ words: String) -> WrongConfiguration {
        WrongConfiguration(name, digest, text, at: "26: apps.photos.android.packages[0].signers[0]", words)
    }

    /// The ledger in a database, in line 6.
    static func database(_ name: String, _ text: String, at path: String = "store.postgresql", _ words: String)
        -> WrongConfiguration
    {
        WrongConfiguration(name, "  path: ledger.db", "  folder: .\n  postgresql: " + text, at: "7: " + path, words)
    }

    private init(_ name: String, _ right: String, _ wrong: String, line: Int, _ path: String, _ words: [String]) {
        (self.name, self.right, self.wrong, self.words, isFinding) = (name, right, wrong, words, false)
        place = path.isEmpty ? "\(line)" : "\(line): \(path)"
    }

    static let digest = "9E:6A:8F:3E:0D:76:1A:78:01:79:F9:3A:CD:57:21:BA:1A:B7:C8:C5:37:C7:76:10:73:C0:A7:54:B0:E9:32:DE"
}

/// To add one, write a line: its name, what is right, what is wrong, the place, and words of the remedy.
extension WrongConfiguration {
    static let all: [WrongConfiguration] =
        yaml + shapes + texts + misspelt + misplaced + listeners + callers + apps + values + sections

    // MARK: YAML

    private static let yaml: [WrongConfiguration] = [
        .init("a tab", "  path: ledger.db", "\tpath: ledger.db", at: "6", "a tab stands here; YAML is indented with spaces"),
        .init(
            "a key twice", "  path: ledger.db", "  path: ledger.db\n  path: other.db", at: "6",
            "given more than once: \"path\", again in line 7; join them, or leave one out"),
        .init(
            "two colons", "certificate: server.pem", "certificate: server: pem", at: "12",
            "a text with \": \" is put in quotes"),
        .init(
            "no space behind a colon", "  path: ledger.db", "  path:ledger.db", at: "6: store",
            "a space is missing behind \"path:\""),
        .init(
            "no space behind a dash", "  - tls: 127.0.0.1:0", "  -tls: 127.0.0.1:0", at: "4",
            "a space is missing behind the \"-\""),
        .init(
            "an item in another column", "    - {name: far", "     - {name: far", at: "10",
            "the item stands in another column than the items of the list that begins in line 9"),
        .init(
            "a key in another column", "      revocation: {", "     revocation: {", at: "27", "its indentation is another"),
        .init(
            "no dash", "  - tls: 127.0.0.1:0", "    tls: 127.0.0.1:0", at: "2: listen[0]",
            "another address is an item of its own, which begins with \"- \""),
        .init("an alias", "mode: 0666", "mode: *mode", at: "3", "write the value out"),
        .init(
            "an open quotation mark", "\"spiffe://example.org/far\"", "\"spiffe://example.org/far", at: "10",
            "the quotation mark that opens in this line is not closed"),
        .init("a second document", "limits:\n", "---\nlimits:\n", at: "15", "begins a second document here: the file has one"),
        .init("a control character", "name: far", "name: f\u{1B}r", at: "10", "the control character U+001B; delete it"),
        .init(
            "a no-break space", "  path: ledger.db", "\u{A0}\u{A0}path: ledger.db", at: "6",
            "a no-break space (U+00A0); delete it"),
    ]

    // MARK: Lists, sections and texts

    private static let shapes: [WrongConfiguration] = [
        .init(
            "a list for a section", "store:\n  path: ledger.db", "store:\n  - path: ledger.db", at: "6: store",
            "want a section, have a list: its keys are path, postgresql, folder"),
        .init(
            "a text for a section", "store:\n  path: ledger.db", "store: ledger.db", at: "5: store",
            "want a section, have \"ledger.db\": its keys are path, postgresql, folder"),
        .init(
            "a section for a list", "  - unix: a.sock\n    mode: 0666\n  - tls: 127.0.0.1:0", "  unix: a.sock\n  mode: 0666",
            at: "2: listen", "want a list, have a section: begin each item with \"- \""),
        .init(
            "a text for a list", "roles: [verify]", "roles: verify", at: "9: callers.known[0].roles",
            "want a list, have \"verify\": a list of one is [verify]"),
        .init(
            "a word for the apps", "apps: [photos]", "apps: photos", at: "9: callers.known[0].apps",
            "want all, or a list of apps, have \"photos\": a list of one is [photos]"),
        .init(
            "a word for a section of an app", "{source: file, file: list.json}", "google",
            at: "27: apps.photos.android.revocation",
            "want a section, have \"google\": its keys are source, file, max_age"),
        .top("a word for a section", "log: debug", at: "log", "want a section, have \"debug\": its keys are level, format"),
        .top("a list of webhooks", "webhooks: [{url: x}]", at: "webhooks", "want a section, have a list: each has a name"),
        .top(
            "a key as a text", "results: {issuer: \"https://a.example\", keys: [a.key]}", at: "results.keys[0]",
            "want a section, have \"a.key\": its keys are file, pkcs11"),
        .app("a profile alone", "confidence: mvp", at: "confidence", "want a section, have \"mvp\": its keys are profile"),
    ]

    // MARK: Texts as other programs read them

    private static let texts: [WrongConfiguration] = [
        .init(
            "a variable", "path: ledger.db", "path: ${ASSAY_LEDGER}", at: "6: store.path",
            "variables such as ${ASSAY_LEDGER} are not replaced: write the value out"),
        .init(
            "a variable in braces", "unix_user: 0", "unix_user: ${UID}", at: "9", "variables such as ${UID} are not replaced"),
        .init(
            "a variable of the shell", "path: ledger.db", "path: $HOME/ledger.db", at: "6: store.path",
            "variables such as $HOME are not replaced"),
        .init(
            "a home folder", "path: ledger.db", "path: ~/ledger.db", at: "6: store.path", "\"~\" is not replaced by a folder"),
        .init(
            "a URL of a file", "certificate: server.pem", "certificate: file:///etc/assay/server.pem",
            at: "12: tls.certificate",
            "leave out \"file://\""),
        .init(
            "a URL of a socket", "unix: a.sock", "unix: unix:/run/a.sock", at: "2: listen[0].unix", "leave out \"unix:\""),
        .init(
            "typographic quotation marks", "certificate: server.pem", "certificate: “server.pem”", at: "12: tls.certificate",
            "quotation marks are typographic"),
        .init(
            "a certificate in place of its file", "certificate: server.pem",
            "certificate: \"-----BEGIN CERTIFICATE-----\\nMIIB\"",
            at: "12: tls.certificate", "want the path of a file, not its content"),
        .top("a boolean of YAML 1.1", "http: {health: yes}", at: "http.health", "want true or false, have \"yes\""),
    ]

    // MARK: Keys

    private static let misspelt: [WrongConfiguration] = [
        .init("stor", "store:", "stor:", at: "5", "unknown key \"stor\"; did you mean \"store\"?"),
        .init("app", "\napps:\n", "\napp:\n", at: "17", "unknown key \"app\"; did you mean \"apps\"?"),
        .init("caller", "callers:", "caller:", at: "7", "unknown key \"caller\"; did you mean \"callers\"?"),
        .init("Listen", "listen:", "Listen:", at: "1", "unknown key \"Listen\"; did you mean \"listen\"?"),
        .init("tsl", "tls:\n", "tsl:\n", at: "11", "unknown key \"tsl\"; did you mean \"tls\"?"),
        .init("unix_usr", "unix_user", "unix_usr", at: "9: callers.known[0]", "did you mean \"unix_user\"?"),
        .init("role", "roles: [verify]", "role: [verify]", at: "9: callers.known[0]", "did you mean \"roles\"?"),
        .init("privateKey", "private_key", "privateKey", at: "13: tls", "did you mean \"private_key\"?"),
        .init("cert", "certificate:", "cert:", at: "12: tls", "unknown key \"cert\"; did you mean \"certificate\"?"),
        .init("ca", "client_ca", "ca", at: "14: tls", "unknown key \"ca\"; did you mean \"client_ca\"?"),
        .init("appid", "app_id:", "appid:", at: "22: apps.photos.app_attest.identities[0]", "did you mean \"app_id\"?"),
        .top("feeds of Google", "feeds: {google: {max_age: 1d}}", at: "feeds", "did you mean \"google_attestation_status\"?"),
        .top("metrics", "metrics: {listen: 9464}", "\"operate\" has the address of metrics and probes"),
        .top("audit", "audit: {keep: 30d}", "\"store\" has \"keep_audit\""),
        .database(
            "host", "{host: db, database: a, user: a, writer: a}", "unknown key \"host\"; did you mean \"hosts\"?"),
        .database("port", "{hosts: [127.0.0.1], port: 1, database: a, user: a, writer: a}", "write it behind the host"),
        .database(
            "a password", "{hosts: [127.0.0.1], password: b, database: a, user: a, writer: a}", "name that in \"password_file\""
        ),
        .database("sslmode", "{hosts: [127.0.0.1], sslmode: require, database: a, user: a, writer: a}", "\"ca\" turns TLS on"),
        .database(
            "a database's URL", "postgres://a@db/a?sslmode=require", "its keys are hosts, database, user, password_file, ca"),
    ]

    private static let misplaced: [WrongConfiguration] = [
        .init(
            "ttl of an app", "challenge: {ttl: 5m}", "ttl: 5m", at: "19: apps.photos",
            "unknown key \"ttl\"; it is a key of \"apps.photos.challenge\""),
        .top("a limit of the file", "max_connections: 5", "unknown key \"max_connections\"; it is a key of \"limits\""),
        .top("a key file of the file", "key_file: a.key", "it is a key of \"store\""),
        .top("a platform of the file", "app_attest: {identities: []}", "it is a key of \"apps.<name>\""),
        .top(
            "a team without a list", "apple: {team_id: A, key_id: B, private_key: c}", at: "apple",
            "unknown keys \"team_id\", \"key_id\", \"private_key\"; they are keys of \"apple.teams[]\""),
        .init(
            "environments of a platform", "    app_attest:\n", "    app_attest:\n      environments: [production]\n",
            at: "21: apps.photos.app_attest", "it is a key of \"apps.photos.app_attest.identities[]\""),
        .init(
            "signers of a platform", "    android:\n", "    android:\n      signers: []\n", at: "24: apps.photos.android",
            "it is a key of \"apps.photos.android.packages[]\""),
        .init(
            "an app without its name", "  photos:\n    challenge: {ttl: 5m}", "    challenge: {ttl: 5m}",
            at: "18: apps.challenge",
            "the app's name is missing: this is a key of an app, and stands below its name"),
        .init(
            "a CA of an address", "- tls: 127.0.0.1:0", "- tls: 127.0.0.1:0\n    client_ca: ca.pem", at: "5: listen[1]",
            "it is a key of \"tls\""),
    ]

    // MARK: Addresses

    private static let listeners: [WrongConfiguration] = [
        .init("a port alone", "tls: 127.0.0.1:0", "tls: 8443", at: "4: listen[1].tls", "want host:port", "the host is missing"),
        .init("a host alone", "tls: 127.0.0.1:0", "tls: 127.0.0.1", at: "4: listen[1].tls", "the port is missing"),
        .init("a URL", "tls: 127.0.0.1:0", "tls: https://0.0.0.0:8443", at: "4: listen[1].tls", "leave out \"https://\""),
        .init("a port too high", "tls: 127.0.0.1:0", "tls: 127.0.0.1:70000", at: "4: listen[1].tls", "from 0 to 65535"),
        .init("IPv6 without brackets", "tls: 127.0.0.1:0", "tls: ::1:8443", at: "4: listen[1].tls", "as in [::1]:8443"),
        .init(
            "an address twice", "- tls: 127.0.0.1:0", "- tls: 127.0.0.1:47113\n  - tls: 127.0.0.1:47113",
            at: "5: listen[2].tls",
            "stands here twice"),
        .init(
            "https", "- tls: 127.0.0.1:0", "- https: 127.0.0.1:8443", at: "4: listen[1]",
            "unknown key \"https\"; write \"tls: host:port\" and \"protocol: http\""),
        .init("a mode in letters", "mode: 0666", "mode: rw", at: "3: listen[0].mode", "such as 0660, have \"rw\""),
        .init(
            "certificate and key exchanged", "certificate: server.pem\n  private_key: server.key",
            "certificate: server.key\n  private_key: server.pem", at: "12: tls.certificate",
            "no certificate in PEM, but a private key"),
        .top(
            "a proxy's name", "http: {trusted_proxies: [proxy.example.org]}", at: "http.trusted_proxies[0]",
            "no address and no range of addresses, such as 192.0.2.7"),
    ]

    // MARK: Callers and apps

    private static let callers: [WrongConfiguration] = [
        .init("a role in capitals", "[verify]", "[VERIFY]", at: "9: callers.known[0].roles[0]", "did you mean \"verify\"?"),
        .init("all apps as a star", "[photos]}", "[\"*\"]}", at: "9: callers.known[0].apps[0]", "write \"apps: all\""),
        .init("all apps in a list", "[photos]}", "[all]}", at: "9: callers.known[0].apps[0]", "write \"apps: all\""),
        .init("another app", "[photos]}", "[camera]}", at: "9: callers.known[0].apps[0]", "no app \"camera\"; there is photos"),
        .init(
            "a caller twice", "name: far", "name: handler", at: "10: callers.known[1]",
            "one entry has all of \"unix_user\", \"uri\" and \"dns\""),
        .init(
            "a wildcard", "uri: \"spiffe://example.org/far\"", "dns: \"*.example.org\"", at: "10: callers.known[1].dns",
            "want a DNS name without wildcards"),
    ]

    private static let apps: [WrongConfiguration] = [
        .init("a name in capitals", "  photos:\n", "  Photos:\n", at: "19: apps.Photos", "did you mean \"photos\"?"),
        .signer("a SHA-1", String(digest.prefix(59)), "as long as a SHA-1: take the line SHA-256"),
        .signer("an MD5", String(digest.prefix(47)), "as long as an MD5: take the line SHA-256"),
        .signer("a digest with its label", "SHA256: " + digest, "leave out what stands before \"9E:6A:8F:3E:"),
        .signer("a digit too few", String(digest.dropLast()), "which has 63 hexadecimal digits, not 64"),
        .signer("a letter", digest.dropLast() + "G", "in which \"G\" is no hexadecimal digit"),
        .init(
            "no signer", "signers: [\"\(digest)\"]", "signers: []", at: "26: apps.photos.android.packages[0].signers",
            "want at least one signer"),
        .init(
            "the App ID prefix twice", "TEAMID1234.com", "TEAMID1234.TEAMID1234.com",
            at: "22: apps.photos.app_attest.identities[0].app_id",
            isFinding: true, "the App ID prefix stands here twice", "want TEAMID1234.com.example.photos"),
        .init(
            "a patch level as a date", "revocation: {source: file",
            "patch_levels: {os: 2025-03-01}\n      revocation: {source: file",
            at: "27: apps.photos.android.patch_levels.os", "did you mean 202503?"),
        .init(
            "a patch level in years", "revocation: {source: file",
            "patch_levels: {os: 2years}\n      revocation: {source: file",
            at: "27: apps.photos.android.patch_levels.os", "did you mean 24months?"),
        .app("enforce: reprot", "enforce: reprot", at: "enforce", "did you mean \"report\"?"),
        .app("a share above 1", "enforce: {share: 110%}", at: "enforce.share", "want a share from 0% to 100%", "such as 10%"),
        .app("a share as a fraction", "enforce: {share: 0.1}", at: "enforce.share", "such as 10% or 0.5%, have \"0.1\""),
        .app("a share as a percentage", "record: {accepted: 10%}", at: "record.accepted", "from 0 to 1 such as 0.1"),
    ]

    // MARK: Numbers, durations, sizes and rates

    private static let values: [WrongConfiguration] = [
        .duration("300", "have \"300\"; the unit is missing"),
        .duration("5min", "did you mean 5m?"),
        .duration("5 minutes", "did you mean 5m?"),
        .duration("1m30s", "did you mean 90s?"),
        .duration("1.5m", "did you mean 90s?"),
        .duration("PT5M", "did you mean 5m?"),
        .duration("5h", "from 1s to 1h, have \"5h\""),
        .init(
            "a size in decimal units", "max_calls: 100", "max_frame_bytes: 1MB", at: "16: limits.max_frame_bytes",
            "from 64KiB to 64MiB, have \"1MB\"; did you mean 1MiB?"),
        .init(
            "a number in a power of ten", "max_calls: 100", "max_calls: 1e3", at: "16: limits.max_calls",
            "want a number from 1 to 1000000, have \"1e3\""),
        .init(
            "a rate in words", "max_calls: 100", "rates: {caller: 100/min}", at: "16: limits.rates.caller",
            "did you mean 100/m?"),
        .init(
            "a rate in more words", "max_calls: 100", "rates: {caller: 100 per second}", at: "16: limits.rates.caller",
            "did you mean 100/s?"),
        .init(
            "a rate without a period", "max_calls: 100", "rates: {caller: 100}", at: "16: limits.rates.caller", "as in 100/s"),
        .init(
            "no rate", "max_calls: 100", "rates: {caller: off}", at: "16: limits.rates.caller",
            "leave the key out to limit nothing"),
        .init(
            "a rate of addresses", "max_calls: 100", "rates: {ip: 1/s}", at: "16: limits.rates",
            "known are caller, app, address, device"),
    ]

    // MARK: Other sections

    private static let sections: [WrongConfiguration] = [
        .init(
            "a folder that is missing", "path: ledger.db", "path: nowhere/ledger.db", at: "6: store.path", isFinding: true,
            "does not exist: mkdir -p "),
        .top("warn", "log: {level: warn}", at: "log.level", "did you mean \"warning\"?"),
        .top("a word that is near none", "operate: {open: all}", at: "operate.open", "want a list, have \"all\""),
        .top(
            "a sample as a percentage", "traces: {endpoint: \"https://c.example\", sample: 10%}", at: "traces.sample",
            "from 0 to 1 such as 0.1"),
        .top(
            "an App ID for a team", "apple: {teams: [{team_id: TEAMID1234.com, key_id: ABCDEFGHIJ, private_key: a.p8}]}",
            at: "apple.teams[0].team_id", "did you mean \"TEAMID1234\"?"),
        .top("a key for a root", "trust: {test_roots: [server.key]}", at: "trust.test_roots[0]", "want \"CERTIFICATE\""),
        .top(
            "a secret in place of its file",
            "webhooks: {ops: {url: \"https://a.example/\", secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, events: [device]}}",
            at: "webhooks.ops.secret", "want the path of a file with the secret, have the secret itself"),
    ]
}
