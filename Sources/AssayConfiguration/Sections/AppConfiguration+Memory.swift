import AndroidKeyAttestation
import AppAttest
import AssayCore
import AssaySchemes
import DeviceCheck
import PlayIntegrity

/// How long uses of evidence must be remembered under a caller-owned binding.
extension Configuration.App {
    /// Reports a `spend_evidence_for` that forgets a use while the same evidence can still be accepted.
    ///
    /// - Parameter value: where it stands in the file.
    func checkMemory(_ value: ConfigurationReader.Value?) {
        guard let value, let memory = binding.callerOwned?.spendEvidenceFor,
            let longest = evidenceLives.max(by: { $0.milliseconds < $1.milliseconds }), memory < longest.milliseconds
        else { return }
        value.report("want at least \(Self.text(longest.milliseconds)): \(longest.why)")
    }

    /// How long evidence of the app can be accepted again after it was, by what the sections of the platforms say.
    private var evidenceLives: [(milliseconds: Int64, why: String)] {
        var lives: [(milliseconds: Int64, why: String)] = []
        if let policy = deviceCheck?.policy {
            lives.append((policy.spendsTokenFor, "device_check.spend_token_for is that long"))
        }
        if let policy = playIntegrity?.policy {
            lives.append((policy.acceptableFor, "a token is good for play_integrity.max_age, and 60 s of skew"))
        }
        if let life = appAttest?.policy.receipt.acceptableFor {
            lives.append((life, "an attestation is good for app_attest.receipt.max_age, and 5 m of skew"))
        }
        if let life = android?.policy.acceptableFor {
            lives.append((life, "an attestation is good for twice android.creation_window"))
        }
        return lives
    }

    /// A duration as the configuration writes it, in the largest unit that it is a whole number of.
    private static func text(_ milliseconds: Int64) -> String {
        let units: [(String, Int64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)]
        let unit = units.first { milliseconds % $0.1 == 0 } ?? ("ms", 1)
        return "\(milliseconds / unit.1)\(unit.0)"
    }
}
