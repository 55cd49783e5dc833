package import Crypto

/// The key tables of a fleet: 2500 tables of 1000 keys each, derived on demand from one master for each table.
package struct KeyTables: Sendable {
    /// Tables are numbered from 0.
    package static let tableCount = 2500
    /// Keys of a table, numbered from 0.
    package static let keyCount = 1000
    /// The length of a master and of a key, in bytes.
    package static let keyLength = 32

    private let masters: [UInt16: PreparedHKDF]

    /// - Parameter masters: of 32 bytes each, by the table's number.
    package init(masters: [UInt16: [UInt8]]) {
        self.masters = masters.mapValues { PreparedHKDF(material: $0) }
    }

    /// HKDF-SHA-256 (RFC 5869) of the table's master, without salt, info: the index as a big-endian u32 and `Birthmark`; `nil` for a
    /// table without a master, or an index beyond the table.
    package func key(table: UInt16, index: UInt16) -> SymmetricKey? {
        guard let master = masters[table], Int(index) < Self.keyCount else { return nil }
        return SymmetricKey(data: master.key(Self.info(index)))
    }

    /// A table with all its keys; `nil` for one without a master.
    package func table(_ number: UInt16) -> KeyTable? {
        guard let master = masters[number] else { return nil }
        var keys: [UInt8] = []
        keys.reserveCapacity(Self.keyCount * Self.keyLength)
        var info = Self.info(0)
        for index in 0..<UInt16(Self.keyCount) {
            Self.write(index, into: &info)
            master.key(info).withUnsafeBytes { keys.append(contentsOf: $0) }
        }
        return KeyTable(number: number, keys: keys)
    }

    private static func info(_ index: UInt16) -> [UInt8] {
        var info = [0, 0, 0, 0] + Array("Birthmark".utf8)
        write(index, into: &info)
        return info
    }

    private static func write(_ index: UInt16, into info: inout [UInt8]) {
        (info[2], info[3]) = (UInt8(index >> 8), UInt8(truncatingIfNeeded: index))
    }
}

/// One table of a fleet.
package struct KeyTable: Sendable {
    package let number: UInt16
    /// The keys in order, `KeyTables.keyLength` bytes each, without anything between them.
    package let keys: [UInt8]
}

/// A device secret, sealed for its certificate: AES-256-GCM without additional data, 60 bytes: ciphertext (32), tag (16), nonce (12).
package enum SealedSecret {
    package static let length = 60
    /// The length of the secret, in bytes.
    package static let secretLength = 32
    private static let nonceLength = 12

    /// - Parameters:
    ///   - secret: 32 bytes.
    ///   - nonce: 12 bytes, used with this key once.
    /// - Returns: `nil` for a secret or nonce of another length.
    package static func seal(
        _ secret: [UInt8], with key: SymmetricKey, nonce: [UInt8] = SecureRandom.bytes(nonceLength)
    ) -> [UInt8]? {
        guard secret.count == secretLength, let iv = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(secret, using: key, nonce: iv)
        else { return nil }
        return Array(box.ciphertext) + Array(box.tag) + nonce
    }

    /// The secret; `nil` if the bytes were not sealed with this key.
    package static func open(_ sealed: some Collection<UInt8>, with key: SymmetricKey) -> [UInt8]? {
        guard sealed.count == length, let nonce = try? AES.GCM.Nonce(data: Array(sealed.suffix(nonceLength))) else {
            return nil
        }
        let box = try? AES.GCM.SealedBox(
            nonce: nonce, ciphertext: Array(sealed.prefix(secretLength)),
            tag: Array(sealed.dropFirst(secretLength).prefix(16)))
        return box.flatMap { try? AES.GCM.open($0, using: key) }.map { Array($0) }
    }
}

/// The secrets of one app's fleet: its key tables, and the key by which device secrets are hashed.
package struct FleetSecrets: Sendable {
    package let tables: KeyTables
    private let hash: PreparedMAC

    /// - Parameter hashKey: 32 bytes.
    package init(tables: KeyTables, hashKey: [UInt8]) { (self.tables, hash) = (tables, PreparedMAC(key: hashKey, prefix: [])) }

    /// The secrets of an app, derived from the one secret of the ledger for fleets: a master for each table, and the key of the hash.
    ///
    /// - Parameter root: 32 bytes.
    package init(root: [UInt8], app: AppID) {
        let root = PreparedHKDF(material: root)
        func derive(_ what: String, _ number: UInt64 = 0) -> [UInt8] {
            var info = FieldDigest(what)
            info.append(app.text)
            info.append(number)
            return root.key(info.finalize()).withUnsafeBytes { [UInt8]($0) }
        }
        let masters = (0..<UInt16(KeyTables.tableCount)).map { ($0, derive("assay.fleet.table.v1", UInt64($0))) }
        self.init(
            tables: KeyTables(masters: Dictionary(masters, uniquingKeysWith: { first, _ in first })),
            hashKey: derive("assay.fleet.hash.v1"))
    }

    /// The keyed hash of a device secret, 32 bytes: the key id of the device's record, by which the registry finds it.
    package func keyID(ofSecret secret: [UInt8], app: AppID) -> [UInt8] {
        var fields = FieldDigest("assay.fleet.secret.v1")
        fields.append(app.text)
        fields.append(secret)
        return hash.bytes(over: fields.finalize())
    }
}
