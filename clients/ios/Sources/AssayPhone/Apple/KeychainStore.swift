#if canImport(Security)
    public import Foundation
    import Security

    /// A store in the Keychain. Its items stay on this device: no backup takes them to another, where the key would not be.
    ///
    /// They can be read after the first unlock, also in the background. The Keychain may outlive the app: after a reinstallation the
    /// id is there and the key is not, which the library finds out by `DCError.invalidKey`.
    public struct KeychainStore: KeyStore {
        private let service: String

        /// - Parameter service: what tells these items from others of the app.
        public init(service: String = "assay.phone") { self.service = service }

        public func read(_ name: String) throws(KeyStoreError) -> Data? {
            var query = item(name)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            switch status {
            case errSecSuccess: return found as? Data
            case errSecItemNotFound: return nil
            default: throw KeyStoreError("the Keychain's status is \(status)")
            }
        }

        public func write(_ data: Data, _ name: String) throws(KeyStoreError) {
            var status = SecItemUpdate(item(name) as CFDictionary, [kSecValueData as String: data] as CFDictionary)
            if status == errSecItemNotFound {
                var new = item(name)
                new[kSecValueData as String] = data
                new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                status = SecItemAdd(new as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw KeyStoreError("the Keychain's status is \(status)") }
        }

        private func item(_ name: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: name,
                kSecUseDataProtectionKeychain as String: true,
            ]
        }
    }
#endif
