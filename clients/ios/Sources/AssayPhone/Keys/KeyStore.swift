public import Foundation

/// Where the library keeps which key is registered, and what is needed to go on after an interruption. On iOS the `KeychainStore`.
///
/// A few kilobytes under each name. What is in it is no secret: the key itself never leaves the Secure Enclave.
public protocol KeyStore: Sendable {
    /// What was written under the name; none if nothing was. Throws if that cannot be said now, such as before the first unlock: then
    /// no key is made.
    func read(_ name: String) throws(KeyStoreError) -> Data?

    /// Durable when it returns.
    func write(_ data: Data, _ name: String) throws(KeyStoreError)
}

/// The store cannot be read or written now.
public struct KeyStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension KeyStore {
    /// The value under the name. What cannot be decoded counts as not there: a key that is not known is of no use.
    func value<Value: Decodable>(_ type: Value.Type, _ name: String) throws(PhoneError) -> Value? {
        do throws(KeyStoreError) {
            guard let data = try read(name) else { return nil }
            return try? JSONDecoder().decode(type, from: data)
        } catch {
            throw .storeUnavailable(error.description)
        }
    }

    func keep(_ value: some Encodable, _ name: String) throws(PhoneError) {
        let data: Data
        do { data = try JSONEncoder().encode(value) } catch { throw .storeUnavailable("\(error)") }
        do throws(KeyStoreError) { try write(data, name) } catch { throw .storeUnavailable(error.description) }
    }
}
