import AssayCore
import AssaySimulator

extension FuzzSeeds {
    /// A signature by each kind of key, and a whole chain that attests one.
    static var androidDevices: [(name: String, bytes: [UInt8])] {
        get throws {
            var seeds: [(name: String, bytes: [UInt8])] = []
            for kind in FuzzTarget.signingKinds {
                guard let key = FuzzTarget.signingKey(kind) else { continue }
                let parts = [[key.usualScheme.rawValue], try key.sign([1], by: key.usualScheme)]
                seeds.append(("key-signature/\(kind.rawValue)", Evidence.join(parts)))
            }
            var device = VirtualAndroid(
                authority: AndroidAuthority(seed: "fuzz"),
                application: AttestedApplicationDraft("com.example.fuzz", signer: [UInt8](repeating: 7, count: 32)),
                seed: "fuzz")
            let chain = try device.makeKey().attest(challenge: [1, 2, 3], at: FuzzTarget.now)
            seeds.append(("key-attestation/chain", Evidence.join(chain)))
            return seeds
        }
    }
}
