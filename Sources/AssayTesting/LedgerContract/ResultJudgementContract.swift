import AssayCore

/// The checks of `ResultStatusRegistry` about what is known of devices beside their blocks: judgements, and revoked certificates.
public enum ResultJudgementContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("What judgements say of devices is said of their places, of later ones too, until it is taken back") {
            it in
            let (a, b, c) = (
                try await it.register(.sample()), try await it.register(.sample()), try await it.register(.sample())
            )
            let before = try await it.place(of: a)
            let stranger = DeviceID.random()
            try same(
                await it.ledger.setInvalid([a.id: true, b.id: true, c.id: false, stranger: true]), 2, "devices that changed")
            let after = try await it.place(of: b)
            _ = try await it.place(of: c)
            try same(await it.said(), [before: .invalid, after: .invalid], "what is said")
            try same(await it.ledger.setInvalid([a.id: true, b.id: true, c.id: false]), 0, "devices, the second time")
            try same(await it.ledger.setInvalid([a.id: false, b.id: true]), 1, "devices of which it is taken back")
            try same(await it.said(), [after: .invalid], "what is said then")
            try same(await it.ledger.setInvalid([:]), 0, "of none")
        },
        ContractCheck("A judgement that changes nothing leaves the revision, and one that does raises it") { it in
            let device = try await it.register(.sample())
            _ = try await it.place(of: device)
            let revisions = [
                try await it.revision(after: [device.id: false]), try await it.revision(after: [device.id: true]),
                try await it.revision(after: [device.id: true]), try await it.revision(after: [device.id: false]),
            ]
            try same(revisions[1] > revisions[0], true, "that it rises when the device fails")
            try same(revisions[2], revisions[1], "the revision when it fails again")
            try same(revisions[3] > revisions[2], true, "that it rises when the device passes")
        },
        ContractCheck("A failed device that is blocked is invalid, and after its block is lifted too") { it in
            let device = try await it.register(.sample())
            let place = try await it.place(of: device)
            _ = try await it.block(.device(device.id))
            try same(await it.said(), [place: .suspended], "what is said of a blocked device")
            _ = try await it.ledger.setInvalid([device.id: true])
            try same(await it.said(), [place: .invalid], "what is said once it fails")
            _ = try await it.ledger.unblock(.device(device.id), LedgerUnderTest.asked(""))
            try same(await it.said(), [place: .invalid], "what is said once it is unblocked")
        },
        ContractCheck("What a judgement said of a device ends with the device, and its places stay invalid") { it in
            let device = try await it.register(.sample())
            let place = try await it.place(of: device)
            _ = try await it.ledger.setInvalid([device.id: true])
            _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked(""))
            try same(await it.ledger.setInvalid([device.id: false]), 0, "devices that a judgement of it changes")
            try same(await it.said(), [place: .invalid], "what is said")
        },
        ContractCheck("A device is invalid while the certificate that was issued to it last is revoked") { it in
            let (device, first) = try await it.certified()
            let place = try await it.place(of: device)
            let start = try await it.revision()
            _ = try await it.ledger.revoke(first.name, .superseded, LedgerUnderTest.asked(""))
            try same(await it.said(), [place: .invalid], "what is said once it is revoked")
            let revoked = try await it.revision()
            try same(revoked > start, true, "that the revision rises")
            let second = try await it.issue(.sample(of: device))
            try same(await it.said(), [:], "what is said once it has another")
            try same(await it.revision() > revoked, true, "that the revision rises again")
            _ = try await it.ledger.revoke(second.name, .keyCompromise, LedgerUnderTest.asked(""))
            try same(await it.said(), [place: .invalid], "what is said once that is revoked too")
        },
        ContractCheck("A revocation of an earlier certificate, and of another device's, says nothing of a device") { it in
            let (device, first) = try await it.certified()
            _ = try await it.issue(.sample(of: device))
            let (_, foreign) = try await it.certified()
            _ = try await it.place(of: device)
            for name in [first.name, foreign.name] {
                _ = try await it.ledger.revoke(name, .superseded, LedgerUnderTest.asked(""))
            }
            try same(await it.said(), [:], "what is said")
        },
        ContractCheck("A renewed certificate of a device without a revoked one leaves the revision of its list") { it in
            let (device, _) = try await it.certified()
            _ = try await it.place(of: device)
            let before = try await it.revision()
            _ = try await it.issue(.sample(of: device))
            try same(await it.revision(), before, "the revision")
        },
        ContractCheck("A place that is given to a device whose certificate is revoked is invalid, and raises the revision") {
            it in
            let valid = try await it.register(.sample())
            _ = try await it.place(of: valid)
            let (device, certificate) = try await it.certified()
            _ = try await it.ledger.revoke(certificate.name, .superseded, LedgerUnderTest.asked(""))
            let start = try await it.revision()
            let place = try await it.place(of: device)
            try same(await it.said(), [place: .invalid], "what is said")
            try same(await it.revision() > start, true, "that the revision rises")
        },
        ContractCheck(
            "A device that is blocked by its certified key alone is invalid with the certificate, and nothing else of it is blocked"
        ) { it in
            let (device, certificate) = try await it.certified()
            let place = try await it.place(of: device)
            let start = try await it.revision()
            _ = try await it.block(.key(DeviceKey(app: device.app, keyID: certificate.keyID)))
            try same(await it.device(device.id).isBlocked, false, "whether the device is blocked")
            try same(await it.said(), [place: .invalid], "what is said")
            try same(await it.revision() > start, true, "that the revision rises")
        },
        ContractCheck(
            "Places, revocations and judgements race a reader: a revision that is the last was read with the last entries"
        ) { it in
            let first = try await it.register(.sample())
            _ = try await it.place(of: first)
            var devices: [(device: Device, certificate: DeviceCertificate)] = []
            for _ in 0..<racers / 4 { devices.append(try await it.certified()) }
            let read = try await withThrowingTaskGroup(of: [Int64: [ResultStatusEntry]].self) { group in
                group.addTask { try await it.reading(rounds: racers) }
                for (number, (device, certificate)) in devices.enumerated() {
                    group.addTask {
                        _ = try await it.place(of: device)
                        return [:]
                    }
                    group.addTask {
                        if number.isMultiple(of: 2) {
                            _ = try await it.ledger.revoke(certificate.name, .keyCompromise, LedgerUnderTest.asked(""))
                        } else {
                            _ = try await it.ledger.setInvalid([device.id: true])
                        }
                        return [:]
                    }
                }
                return try await group.reduce(into: [:]) { all, some in all.merge(some) { _, last in last } }
            }
            let entries = try await it.ledger.statusEntries(ofList: 0)
            try same(entries.count { $0.status == .invalid }, devices.count, "places that are invalid in the end")
            if let last = read[try await it.revision()] { try same(last, entries, "what was read at the last revision") }
        },
    ]
}

extension LedgerUnderTest {
    /// The place of a device for one audience, the same for all checks.
    fileprivate func place(of device: Device) async throws -> UInt32 {
        let audience = [UInt8](repeating: 0xA0, count: 32)
        let place = try await ledger.statusPlace(of: device.id, for: audience, until: .distantFuture)
        try same(place.list, 0, "the list of a place")
        return place.position
    }

    /// What the first list says.
    fileprivate func said() async throws -> [UInt32: ResultStatusEntry.Status] {
        let entries = try await ledger.statusEntries(ofList: 0)
        return Dictionary(entries.map { ($0.position, $0.status) }, uniquingKeysWith: { first, _ in first })
    }

    /// The revision of the first list, which has places.
    fileprivate func revision() async throws -> Int64 {
        guard let list = try await ledger.statusLists().first(where: { $0.number == 0 }) else {
            throw ContractViolation("a list with places is not among the lists")
        }
        return list.revision
    }

    fileprivate func revision(after judgements: [DeviceID: Bool]) async throws -> Int64 {
        _ = try await ledger.setInvalid(judgements)
        return try await revision()
    }

    /// What a reader sees who reads the revision and then the entries, by the revision.
    fileprivate func reading(rounds: Int) async throws -> [Int64: [ResultStatusEntry]] {
        var read: [Int64: [ResultStatusEntry]] = [:]
        for _ in 0..<rounds {
            let revision = try await revision()
            read[revision] = try await ledger.statusEntries(ofList: 0)
        }
        return read
    }
}
