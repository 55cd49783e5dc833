import AssayCommandLine
package import AssaySimulator

/// The folder of a virtual phone: `authority`, `root.pem`, `key`, `key-id`, all of mode 0600 but the root.
package struct PhoneFolder {
    private let files: DeviceFolder

    package init(path: String) { files = DeviceFolder(path: path, maker: "assay simulate phone") }

    package var rootPath: String { files.rootPath }

    /// Creates the folder, an authority unless there is one, and a new key.
    package func make(_ phone: (TestAuthority) -> VirtualPhone) throws -> VirtualKey {
        try files.make()
        let authority: TestAuthority
        if files.has("authority") {
            authority = try readAuthority()
        } else {
            authority = TestAuthority()
            try files.write(authority.saved, "authority")
        }
        try files.writeRoot(authority.rootPEM)
        var phone = phone(authority)
        let key = phone.makeKey()
        try save(key)
        try files.write(keyID: key.keyID)
        return key
    }

    package func readKey() throws -> VirtualKey {
        do {
            return try VirtualKey(saved: try files.read("key"), authority: try readAuthority())
        } catch let error as SimulatorError {
            throw CommandFailure.unreadable("\(files.path): \(error)")
        }
    }

    /// Saves the key and its counter.
    package func save(_ key: VirtualKey) throws { try files.write(key.saved, "key") }

    private func readAuthority() throws -> TestAuthority {
        do {
            return try TestAuthority(saved: try files.read("authority"))
        } catch let error as SimulatorError {
            throw CommandFailure.unreadable("\(files.path): \(error)")
        }
    }
}
