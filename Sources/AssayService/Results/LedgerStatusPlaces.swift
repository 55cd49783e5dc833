package import AssayCore
package import AssayResults
import Synchronization

/// The places that the ledger gives out, remembered so that most results ask it nothing.
package final class LedgerStatusPlaces: ResultStatusPlaces {
    /// Places are kept this much longer than a result needs, in milliseconds, so that the results of a day ask once.
    static let slack: Int64 = 86_400_000
    /// Places that are remembered, of about 200 bytes each.
    package static let rememberedLimit = 131_072

    /// Whose place it is.
    private struct Name: Hashable {
        let device: DeviceID
        let issuer: ResultPublicKey.Issuer
        let audience: String
    }

    /// A place, by its index in the published list.
    private struct Kept {
        let list: UInt32
        let index: UInt32
        /// The ledger keeps it until then.
        let until: Timestamp
    }

    /// Two halves: when the newer is full, the older is forgotten. What is used goes into the newer again.
    private struct Memory {
        var newer: [Name: Kept] = [:]
        var older: [Name: Kept] = [:]

        mutating func find(_ name: Name) -> Kept? {
            if let kept = newer[name] { return kept }
            guard let kept = older[name] else { return nil }
            put(kept, name)
            return kept
        }

        mutating func put(_ kept: Kept, _ name: Name) {
            if newer.count >= LedgerStatusPlaces.rememberedLimit / 2 { (older, newer) = (newer, [:]) }
            newer[name] = kept
        }
    }

    private let ledger: any ResultStatusRegistry
    private let permutations: StatusListPermutations
    private let memory = Mutex(Memory())

    package init(ledger: any ResultStatusRegistry, permutations: StatusListPermutations) {
        (self.ledger, self.permutations) = (ledger, permutations)
    }

    package func statusReference(
        of device: DeviceID, for audience: String, from issuer: ResultIssuer, until end: Timestamp
    ) async throws(LedgerError) -> ResultStatusReference {
        let name = Name(device: device, issuer: issuer.kind, audience: audience)
        let known = memory.withLock { $0.find(name) }
        let kept: Kept
        if let known, known.until >= end {
            kept = known
        } else {
            kept = try await ask(name, until: end.adding(milliseconds: Self.slack))
            memory.withLock { $0.put(kept, name) }
        }
        return ResultStatusReference(uri: StatusListAddress.uri(of: kept.list, from: issuer), index: kept.index)
    }

    private func ask(_ name: Name, until end: Timestamp) async throws(LedgerError) -> Kept {
        var audience = FieldDigest("assay.status-audience.v1")
        audience.append(UInt64(name.issuer.rawValue))
        audience.append(name.audience)
        let place = try await ledger.statusPlace(of: name.device, for: audience.finalize(), until: end)
        return Kept(list: place.list, index: permutations[place.list].index(of: place.position), until: end)
    }

    /// Places that are remembered now.
    var count: Int { memory.withLock { $0.newer.count + $0.older.count } }
}
