extension Configuration {
    /// The sections in which `new` differs although a running daemon cannot follow: its sockets and the ledger are open.
    package func sectionsThatNeedARestart(_ new: Configuration) -> [String] {
        var sections: [String] = []
        if listen != new.listen { sections.append("listen") }
        if store != new.store { sections.append("store") }
        if limits != new.limits { sections.append("limits") }
        return sections
    }
}
