import AssayCore
import AssayPostgres
import AssaySQLite
import AssaySchemes

extension FixedConfiguration.Store {
    /// The section `store`.
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles, at now: Timestamp) {
        let section = value.section()
        let place = Place(reading: section, value, files)
        let newLedger = section.optional("new_ledger").flatMap { NewLedgerDeclaration(reading: $0, files, of: place, at: now) }
        let keyFile = section.optional("key_file")?.path(files)
        let (retention, disk) = (RetentionRule(reading: section), DiskSpaceRule(reading: section, of: place))
        section.done()
        guard let place else { return nil }
        self.init(place, keyFile: "")
        self.keyFile = keyFile ?? ownFiles + ".key"
        (self.retention, self.disk, self.newLedger) = (retention, disk, newLedger)
    }

    /// What is understood, for people: one line a thing.
    var summary: [String] {
        let ledger =
            switch place {
            case .file(let path): ["keeps its ledger in \(path), wrapped by \(keyFile)"]
            case .postgresql(let settings, let folder):
                settings.summary + ["keeps its own files in \(folder), and wraps the ledger's secrets by \(keyFile)"]
            }
        return ledger + (newLedger.map { [$0.summary] } ?? [])
    }

    /// The files that nothing but the daemon may read, and what each is.
    var secrets: [(path: String, what: String)] {
        (file.map { [($0, "the ledger")] } ?? []) + [(keyFile, "the ledger's key")]
    }
}

extension FixedConfiguration.Store.Place {
    /// The keys of the section `store` that say where the ledger is.
    fileprivate init?(
        reading section: ConfigurationReader.Section, _ value: ConfigurationReader.Value, _ files: ConfigurationFiles
    ) {
        let (path, database, folder) = (section.optional("path"), section.optional("postgresql"), section.optional("folder"))
        let file = path?.path(files)
        let settings = database.flatMap { PostgresSettings(reading: $0, files) }
        let own = folder?.path(files)
        switch (path, database) {
        case (nil, nil):
            section.absent(
                ["path", "postgresql"], "\"path\" is missing, or \"postgresql\": where is the ledger?")
            return nil
        case (_?, let database?):
            database.report("the ledger is in \"path\" already; want one of them")
            return nil
        case (_?, nil):
            folder?.report("it says nothing beside \"path\": the daemon's files are in the folder of the ledger")
            guard let file else { return nil }
            self = .file(file)
        case (nil, _?):
            if folder == nil { section.absent(["folder"], "\"folder\" is missing: where the daemon keeps its own files") }
            guard let settings, let own else { return nil }
            self = .postgresql(settings, folder: own)
        }
    }
}

extension RetentionRule {
    /// What the section `store` says of it.
    init(reading section: ConfigurationReader.Section) {
        self.init()
        // A day at least: what is younger is looked for in an incident of today.
        auditRecords = section.optional("keep_audit")?.milliseconds(in: 86_400_000...36_600 * 86_400_000)
        let counts = 1000...1_000_000_000
        if let limit = section.optional("max_audit_records")?.integer(in: counts) { auditRows = Int64(limit) }
        if let limit = section.optional("max_repeatable_verdicts")?.integer(in: counts) { verdicts = Int64(limit) }
        if let limit = section.optional("max_spent_challenges")?.integer(in: counts) { challenges = Int64(limit) }
        if let limit = section.optional("max_spent_evidence")?.integer(in: counts) { evidence = Int64(limit) }
    }
}

extension DiskSpaceRule {
    /// What the section `store` says of it. The disk of a database is the server's.
    fileprivate init(reading section: ConfigurationReader.Section, of place: FixedConfiguration.Store.Place?) {
        self.init()
        let (bytes, percent) = (section.optional("warn_free_bytes"), section.optional("warn_free_percent"))
        if case .postgresql = place {
            for value in [bytes, percent] {
                value?.report("it says nothing of a ledger on PostgreSQL: the disk is the server's")
            }
        }
        if let bytes = bytes?.bytes(in: 0...1 << 60) { freeBytes = UInt64(bytes) }
        if let percent = percent?.integer(in: 0...99) { freePercent = UInt64(percent) }
    }
}

extension ConfigurationReader {
    /// Reports every file that the daemon writes and that is another file of the configuration too, by whatever name: it would be
    /// overwritten.
    ///
    /// - Parameter configuration: the configuration's own file.
    func requireOwnFiles(
        for store: FixedConfiguration.Store, _ lists: RevocationLists, _ verdicts: VerdictSettings, configuration: String
    ) {
        let ledger = store.file.map { path in LedgerFile.Side.allCases.map { ("store.path", $0.path(of: path)) } } ?? []
        var named = paths.filter { $0.key != "store.folder" } + ledger
        named += [(store.file == nil ? "store.folder" : "store.path", store.ratesFile), ("", configuration)]
        if store.file == nil { named.append(("store.folder", store.acknowledgedFile)) }
        if !paths.contains(where: { $0.key == "store.key_file" }) { named.append(("store.key_file", store.keyFile)) }
        if !paths.contains(where: { $0.key == "verdicts.file" }) { named.append(("verdicts.file", verdicts.file)) }
        if let marker = store.newLedger?.marker, !paths.contains(where: { $0.key == "store.new_ledger.marker" }) {
            named.append(("store.folder", marker))
        }
        for side in ["-wal", "-shm"] { named.append(("verdicts.file", verdicts.file + side)) }
        for list in lists.all where list.setting.file == nil { named.append(("feeds", list.file)) }
        let files = named.map {
            // By its place it is known before it exists, by its identity under every name (hard link).
            (key: $0.0, path: $0.1, place: LedgerFile.resolved($0.1), identity: UnixFile(at: $0.1)?.identity)
        }
        for (index, file) in files.enumerated() {
            for other in files[..<index]
            where file.place == other.place || (file.identity != nil && file.identity == other.identity) {
                // Files that are read only may be named twice.
                guard Self.isWritten(file.key) || Self.isWritten(other.key) else { continue }
                let what = other.key.isEmpty ? "this configuration" : "\"\(other.key)\""
                // Where one of them follows from another key, that key is the one to change.
                let place = paths.contains { $0.key == file.key && $0.path == file.path } ? file.key : other.key
                report(
                    "\(file.path) is \(place == file.key ? what : file.key.isEmpty ? "this configuration" : "\"\(file.key)\"") too: "
                        + "want a file of its own, since the daemon writes it", at: place, line: lines[place])
            }
        }
    }

    private static func isWritten(_ key: String) -> Bool {
        ["store.path", "store.folder", "store.key_file", "store.new_ledger.marker", "verdicts.file", "feeds"].contains(key)
            || (key.hasPrefix("feeds.") && key.hasSuffix(".file"))
            || (key.hasPrefix("listen[") && key.hasSuffix(".unix"))
    }
}
