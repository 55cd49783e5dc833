#if canImport(DeviceCheck) && canImport(CryptoKit) && canImport(Security)
    extension AttestedDevice {
        /// This device, with Apple's service, the Keychain and CryptoKit.
        ///
        /// - Parameter user: the name under which the backend registers the device, with exactly the same bytes.
        public convenience init(user: String, backend: any Backend, settings: Settings = Settings()) {
            self.init(
                user: user, backend: backend, service: DeviceCheckService(), store: KeychainStore(), sha256: CryptoKitSHA256(),
                settings: settings)
        }
    }
#endif
