import AssayCore

/// The checks of `ResultStatusRegistry`.
enum ResultStatusRegistryContract {
    static let checks = places + changes + ends

    /// Gives out as many places as a list has.
    static let fullList: [ContractCheck] = [
        ContractCheck("A status list that is full is followed by the next") { it in
            let size = Int(ResultStatusPlace.listSize)
            var given: Set<ResultStatusPlace> = []
            while given.count <= size {
                given.formUnion(try await it.ledger.statusPlaces((0..<4096).map { _ in .sample(.random()) }))
            }
            let last = try await it.ledger.statusPlace(
                of: .random(), for: ResultStatusRequest.audience(1), until: LedgerUnderTest.expiry)
            try same(given.contains(last), false, "that a place was given out twice")
            try same(last.list, 1, "the list of the next place")
            try same(Set(given.map(\.list)), [0, 1], "the lists of the places")
            let positions = Set(given.filter { $0.list == 0 }.map(\.position))
            try same(positions, Set(0..<ResultStatusPlace.listSize), "the positions of the first list")
            try same(await it.ledger.statusLists().map(\.number), [0, 1], "the lists that have places")
            let entries = try await it.ledger.statusEntries(ofList: 0)
            try same(entries.count, size, "entries of the first list, whose devices are not registered")
            try same(entries.map(\.position), entries.map(\.position).sorted(), "the order of the entries")
        }
    ]

    private static let places: [ContractCheck] = [
        ContractCheck("A device has one place for an audience, and another one for another audience") { it in
            let devices = [try await it.register(.sample()).id, try await it.register(.sample()).id]
            let names = devices.flatMap { device in [1, 2].map { ResultStatusRequest.sample(device, audience: $0) } }
            let given = try await it.ledger.statusPlaces(names)
            try same(Set(given).count, names.count, "different places")
            try same(given.allSatisfy { $0.list == 0 }, true, "that all are in the first list")
            try same(
                await it.ledger.statusPlaces(names.reversed()), given.reversed(), "the places when they are asked for again")
            let later = names.map { ResultStatusRequest.sample($0, days: 9) } + [.sample(devices[0], audience: 3)]
            let kept = try await it.ledger.statusPlaces(later + later)
            try same(Array(kept.prefix(names.count)), given, "the places when they are to be kept longer")
            try same(Set(kept).count, names.count + 1, "different places with one more")
            try same(await it.ledger.statusLists().map(\.number), [0], "the lists that have places")
            try same(await it.ledger.statusEntries(ofList: 0), [], "places that are not valid")
            try same(await it.ledger.statusPlaces([]), [], "places for no request")
        },
        ContractCheck("64 requests race for a place, and get the same one; 64 devices race, and get different ones") { it in
            let device = try await it.register(.sample())
            let one = try await race([ResultStatusRequest](repeating: .sample(device.id), count: racers), on: it)
            try same(Set(one).count, 1, "places of one device")
            let unknown = try await race([ResultStatusRequest](repeating: .sample(.random()), count: racers), on: it)
            try same(Set(unknown).count, 1, "places of one device that is not registered")
            let many = try await race((0..<racers).map { _ in .sample(.random()) }, on: it)
            try same(Set(many + one + unknown).count, racers + 2, "places of all devices")
        },
    ]

    private static let changes: [ContractCheck] = [
        ContractCheck("The places of a device are suspended while it, its subject or its key is blocked") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let other = try await it.register(.sample())
            let place = try await it.place(of: device.id)
            _ = try await it.place(of: other.id)
            for kind in BlockKind.allCases {
                guard let target = device.blockTarget(kind) else { throw ContractViolation("the device has no \(kind)") }
                try await it.expectStatus(.suspended, of: place, "after the block of its \(kind)") {
                    _ = try await it.block(target)
                }
                try await it.expectStatus(nil, of: place, "after the end of the block of its \(kind)") {
                    _ = try await it.ledger.unblock(target, LedgerUnderTest.asked("found"))
                }
            }
        },
        ContractCheck("A place stays suspended until no block concerns its device any more") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let place = try await it.place(of: device.id)
            let targets = BlockKind.allCases.compactMap { device.blockTarget($0) }
            for target in targets { _ = try await it.block(target) }
            for target in targets {
                try same(
                    await it.status(of: place), .suspended, "what it says before the end of the block of its \(target.kind)")
                _ = try await it.ledger.unblock(target, LedgerUnderTest.asked("found"))
            }
            try same(await it.status(of: place), nil, "what it says after the end of the last block")
        },
        ContractCheck("The block of a subject suspends the places of all its devices, in all lists' entries") { it in
            var places: [ResultStatusPlace] = []
            for _ in 1...3 {
                let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
                places += [try await it.place(of: device.id, audience: 1), try await it.place(of: device.id, audience: 2)]
            }
            _ = try await it.place(of: it.register(.sample()).id)
            _ = try await it.block(.subject(LedgerUnderTest.subject, of: LedgerEntry.contractApp))
            let expected = places.map { ResultStatusEntry(position: $0.position, status: .suspended) }
                .sorted { $0.position < $1.position }
            try same(await it.ledger.statusEntries(ofList: 0), expected, "the entries")
        },
        ContractCheck(
            "The places of a device of which a judgement failed are invalid, blocked or not, until that is taken back",
            failedJudgements),
        ContractCheck("A place says at once what is known of its device") { it in
            let (blocked, failed) = (try await it.register(.sample()), try await it.register(.sample()))
            let first = try await it.place(of: it.register(.sample()).id)
            _ = try await it.block(.device(blocked.id))
            try await it.ledger.setInvalid(true, failed.id)
            for (device, status) in [
                (blocked.id, ResultStatusEntry.Status.suspended), (failed.id, .invalid), (.random(), .invalid),
            ] {
                let before = try await it.revision(of: first)
                let place = try await it.place(of: device)
                try same(await it.status(of: place), status, "what a new place says")
                try same(try await it.revision(of: first) > before, true, "that the revision grew")
            }
        },
        ContractCheck("Nothing that leaves a status list as it is changes its revision") { it in
            let (device, other) = (try await it.register(.sample()), try await it.register(.sample()))
            let place = try await it.place(of: device.id)
            let before = try await it.ledger.statusLists()
            _ = try await it.place(of: device.id, audience: 2)
            _ = try await it.ledger.statusPlaces([.sample(device.id, days: 30)])
            try await it.expect(.advance(device.id, to: 1), .committed, "an assertion")
            _ = try await it.block(.device(other.id))
            _ = try await it.register(.sample())
            try same(await it.ledger.statusLists(), before, "the lists and their revisions")
            try same(await it.status(of: place), nil, "what the place says")
        },
    ]

    /// Not optimised: the optimiser of Swift 6.3 ends by a signal while it splits this coroutine.
    @Sendable
    @_optimize(none)
    private static func failedJudgements(_ it: LedgerUnderTest) async throws {
        let device = try await it.register(.sample())
        let place = try await it.place(of: device.id)
        try await it.expectStatus(.invalid, of: place, "after a failed judgement") {
            try same(await it.ledger.setInvalid(true, device.id), true, "that it is new")
        }
        let revision = try await it.revision(of: place)
        try same(await it.ledger.setInvalid(true, device.id), false, "that it is new again")
        try same(await it.revision(of: place), revision, "the revision after nothing changed")
        _ = try await it.block(.device(device.id))
        try same(await it.status(of: place), .invalid, "what the place of a blocked device says")
        try await it.expectStatus(.suspended, of: place, "after the failure was taken back") {
            try same(await it.ledger.setInvalid(false, device.id), true, "that it is new")
        }
        try same(await it.ledger.setInvalid(false, device.id), false, "that it is new again")
        try same(await it.ledger.setInvalid(true, .random()), false, "that it is new of a device that is not registered")
    }

    private static let ends: [ContractCheck] = [
        ContractCheck("The places of a forgotten device stay, and are invalid, also when its key is registered again") { it in
            let device = try await it.register(.sample())
            let place = try await it.place(of: device.id)
            try await it.ledger.setInvalid(true, device.id)
            try await it.ledger.setInvalid(false, device.id)
            try await it.expectStatus(.invalid, of: place, "after its device was forgotten") {
                _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked("asked for"))
            }
            let again = try await it.register(device.again())
            try same(await it.status(of: place), .invalid, "what it says after the key was registered again")
            let new = try await it.place(of: again.id)
            try same(new == place, false, "that the new device has the place of the old one")
            try same(await it.status(of: new), nil, "what the place of the new device says")
            try same(await it.place(of: device.id), place, "the place of the forgotten device")
        },
        ContractCheck("The places of a device that another one replaces are invalid") { it in
            let old = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let place = try await it.place(of: old.id)
            let new = try Device.sample(subject: LedgerUnderTest.subject)
            try await it.expectStatus(.invalid, of: place, "after its device was replaced") {
                try await it.expect(.register(new, replacing: old), .committed, "a registration in place of another")
            }
            try same(await it.status(of: it.place(of: new.id)), nil, "what the place of the new device says")
        },
        ContractCheck("A place is forgotten once it is not kept any more, and its position is never given out again") { it in
            let (device, other) = (try await it.register(.sample()), try await it.register(.sample()))
            let (ended, blocked) = (try await it.place(of: device.id), try await it.place(of: other.id))
            let kept = try await it.ledger.statusPlaces([.sample(device.id, audience: 2, days: 5)])[0]
            _ = try await it.block(.device(other.id))
            let until = ResultStatusRequest.sample(device.id).until
            try await it.ledger.purge(now: until)
            try same(await it.place(of: device.id), ended, "the place while it is kept")
            try await it.expectStatus(nil, of: blocked, "after it was forgotten") {
                try await it.ledger.purge(now: until.adding(milliseconds: 1))
            }
            let next = [try await it.place(of: device.id), try await it.place(of: other.id)]
            try same(Set(next + [ended, blocked, kept]).count, 5, "different places")
            try same(await it.ledger.statusPlaces([.sample(device.id, audience: 2)]), [kept], "the place that is kept")
            let revision = try await it.revision(of: next[1])
            try await it.ledger.purge(now: until.adding(milliseconds: 86_400_000 * 6))
            try same(await it.ledger.statusLists(), [], "the lists once no place is kept")
            let last = try await it.place(of: other.id)
            try same(Set(next + [ended, blocked, kept, last]).count, 6, "different places")
            try same(try await it.revision(of: last) > revision, true, "that the revision grew although the list was empty")
        },
        ContractCheck("More status places than one step removes are forgotten by one purge") { it in
            let device = try await it.register(.sample())
            let kept = try await it.ledger.statusPlaces([.sample(device.id, audience: 2, days: 5)])[0]
            _ = try await it.ledger.statusPlaces((0..<2500).map { _ in .sample(.random()) })
            try same(await it.ledger.statusEntries(ofList: 0).count, 2500, "entries before")
            try await it.ledger.purge(now: ResultStatusRequest.sample(device.id).until.adding(milliseconds: 1))
            try same(await it.ledger.statusEntries(ofList: 0).count, 0, "entries after")
            try same(await it.ledger.statusPlaces([.sample(device.id, audience: 2)]), [kept], "the place that is kept")
        },
    ]

    /// Asks for places concurrently, each in a task of its own.
    private static func race(_ requests: [ResultStatusRequest], on it: LedgerUnderTest) async throws -> [ResultStatusPlace] {
        try await withThrowingTaskGroup(of: [ResultStatusPlace].self) { group in
            for request in requests { group.addTask { try await it.ledger.statusPlaces([request]) } }
            var places: [ResultStatusPlace] = []
            for try await some in group { places += some }
            return places
        }
    }
}

extension ResultStatusRequest {
    /// A request for a place that is kept for some days.
    static func sample(_ device: DeviceID, audience number: UInt8 = 1, days: Int64 = 1) -> ResultStatusRequest {
        ResultStatusRequest(
            device: device, audience: audience(number), until: LedgerUnderTest.now.adding(milliseconds: days * 86_400_000))
    }

    /// The same place for other days.
    static func sample(_ other: ResultStatusRequest, days: Int64) -> ResultStatusRequest {
        ResultStatusRequest(
            device: other.device, audience: other.audience,
            until: LedgerUnderTest.now.adding(milliseconds: days * 86_400_000))
    }

    static func audience(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }
}

extension LedgerUnderTest {
    func place(of device: DeviceID, audience: UInt8 = 1) async throws -> ResultStatusPlace {
        let places = try await ledger.statusPlaces([.sample(device, audience: audience)])
        guard places.count == 1, let place = places.first else {
            throw ContractViolation("\(places.count) places for one request")
        }
        return place
    }

    /// What a place says; `nil` if it is valid.
    func status(of place: ResultStatusPlace) async throws -> ResultStatusEntry.Status? {
        try await ledger.statusEntries(ofList: place.list).first { $0.position == place.position }?.status
    }

    /// The revision of the list of a place.
    func revision(of place: ResultStatusPlace) async throws -> Int64 {
        guard let list = try await ledger.statusLists().first(where: { $0.number == place.list }) else {
            throw ContractViolation("the list \(place.list) has a place and is not listed")
        }
        return list.revision
    }

    /// After a change a place says this, and the revision of its list has grown.
    func expectStatus(
        _ expected: ResultStatusEntry.Status?, of place: ResultStatusPlace, _ what: String, _ change: () async throws -> Void
    ) async throws {
        let before = try await revision(of: place)
        try await change()
        try same(await status(of: place), expected, "what the place says \(what)")
        try same(try await revision(of: place) > before, true, "that the revision grew \(what)")
    }
}
