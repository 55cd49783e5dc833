package import AssayConfiguration

extension Configuration {
    /// The sections that differ in `new` and that a running daemon cannot change: its sockets and the ledger are open.
    package func sectionsThatNeedARestart(_ new: Configuration) -> [String] {
        var sections: [String] = []
        if listen != new.listen { sections.append("listen") }
        if store != new.store { sections.append("store") }
        if (tls == nil) != (new.tls == nil) { sections.append("tls") }
        if limits != new.limits { sections.append("limits") }
        return sections
    }
}
