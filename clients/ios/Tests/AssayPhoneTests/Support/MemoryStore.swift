import AssayPhone
import Foundation

/// A store that outlives a device, and fails when told to.
final class MemoryStore: KeyStore {
    let values = Locked<[String: Data]>([:])
    let failsToRead = Locked(false)
    let failsToWrite = Locked(false)

    func read(_ name: String) throws(KeyStoreError) -> Data? {
        guard !failsToRead.with({ $0 }) else { throw KeyStoreError("locked") }
        return values.with { $0[name] }
    }

    func write(_ data: Data, _ name: String) throws(KeyStoreError) {
        guard !failsToWrite.with({ $0 }) else { throw KeyStoreError("locked") }
        values.with { $0[name] = data }
    }
}
