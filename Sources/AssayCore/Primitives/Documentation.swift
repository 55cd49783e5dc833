#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The documentation that came with the running program.
package enum Documentation {
    /// The page as messages name it: the file of the installation that the program belongs to (`PREFIX/bin` has the program,
    /// `PREFIX/share/doc/assay` the page), or the path in the sources, where the installation has no such file.
    ///
    /// - Parameter path: the path below `docs` in the sources, such as "operate/callers.md".
    package static func page(_ path: String) -> String {
        page(path, of: ProgramFile.path ?? "")
    }

    /// - Parameter program: the path of the program's file.
    package static func page(_ path: String, of program: String) -> String {
        let parts = program.split(separator: "/", omittingEmptySubsequences: true).dropLast(2)
        let prefix = parts.reduce(into: "") { $0 += "/" + $1 }
        let file = "\(prefix)/share/doc/assay/\(path)"
        return access(file, R_OK) == 0 ? file : "docs/" + path
    }
}
