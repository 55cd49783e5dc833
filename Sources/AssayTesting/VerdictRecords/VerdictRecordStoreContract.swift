package import AssayCore

/// The checks that every store of verdict records passes. They need no test framework: a failed check throws `ContractViolation`, or the error
/// of the store.
package enum VerdictRecordStoreContract {
    package static let checks: [VerdictRecordStoreCheck] = reading + paging + limits
}

/// One check, on a new and empty store.
package struct VerdictRecordStoreCheck: Sendable, CustomStringConvertible {
    /// A sentence: what the store does.
    package let description: String
    private let body: @Sendable (any VerdictRecordStore) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (any VerdictRecordStore) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    package func run(on store: some VerdictRecordStore) async throws {
        do {
            try await body(store)
        } catch let violation as ContractViolation {
            throw ContractViolation("\(description): \(violation.sentence)")
        }
    }
}

extension VerdictRecordStore {
    /// Every record that a listing selects, page by page.
    package func all(_ listing: VerdictRecordListing) async throws -> [VerdictRecord] {
        var (listing, records) = (listing, [VerdictRecord]())
        // A store that never ends a listing fails.
        for _ in 0..<100_000 {
            let page = try await page(listing)
            records += page.records
            guard let next = page.next else { return records }
            listing.after = next
        }
        throw ContractViolation("a listing does not end")
    }

    package func count() async throws -> Int { try await all(VerdictRecordListing(limit: 500)).count }
}

// MARK: Reading

extension VerdictRecordStoreContract {
    private static let reading = [
        VerdictRecordStoreCheck("A new store is empty") { store in
            try same(await store.count(), 0, "records")
            try same(await store.records([1, 2, 3, 4], in: VerdictRecordScope()), [], "records with a prefix")
            let status = store.status
            try same([status.rows, Int64(status.dropped)], [0, 0], "rows, and dropped verdicts")
            try same(status.problem, nil, "the problem")
            try same(status.uncleanSince, nil, "the time of an unclean end")
        },
        VerdictRecordStoreCheck("Records are read as they were appended, at once") { store in
            let records = [
                VerdictRecord.sample(3), .sample(2, device: nil, subject: [], code: "vendor.own/code", decision: .unjudged),
                .sample(1, decision: .accepted, standsFor: 77),
            ]
            store.append(records)
            try same(await store.all(VerdictRecordListing(limit: 10)), records, "the records")
            for record in records {
                try same(await store.records(record.request.id, in: VerdictRecordScope()), [record], "the record by its id")
            }
        },
        VerdictRecordStoreCheck("Each filter selects its records, and all filters together those of each") { store in
            let (device, subject) = (DeviceID.random(), [UInt8](repeating: 7, count: 32))
            let wanted = VerdictRecord.sample(
                500, app: "wanted", caller: "wanted", device: device, subject: subject, code: "bad_chain", decision: .unjudged)
            let others = [VerdictRecord.sample(100), .sample(900, decision: .accepted), .sample(700, code: "bad_chain2")]
            store.append(others + [wanted])
            func expect(_ what: String, _ change: (inout VerdictRecordListing) -> Void) async throws {
                var listing = VerdictRecordListing(limit: 10)
                change(&listing)
                try same(await store.all(listing), [wanted], what)
            }
            let time = wanted.request.time
            try await expect("the time") { ($0.since, $0.until) = (time, time.adding(milliseconds: 1)) }
            try await expect("the app") { $0.app = wanted.request.app }
            try await expect("the caller") { $0.caller = "wanted" }
            try await expect("the device") { $0.device = device }
            try await expect("the subject") { $0.subject = subject }
            try await expect("the reason") { $0.reason = "bad_chain" }
            try await expect("the decision") { $0.decision = .unjudged }
            try await expect("the apps that may be seen") { $0.scope.apps = [wanted.request.app] }
            try await expect("the caller that may be seen") { $0.scope.caller = "wanted" }
            try await expect("all of them") {
                ($0.app, $0.caller, $0.device, $0.subject) = (wanted.request.app, "wanted", device, subject)
                ($0.reason, $0.decision, $0.since) = ("bad_chain", .unjudged, time)
                $0.until = time.adding(milliseconds: 1)
            }
            var none = VerdictRecordListing(limit: 10)
            (none.app, none.reason) = (wanted.request.app, "nonce_mismatch")
            try same(await store.all(none), [], "filters that no record meets together")
            none = VerdictRecordListing(limit: 10)
            none.until = VerdictRecord.sampleTime.adding(milliseconds: 100)
            try same(await store.all(none), [], "a time before all records")
        },
        VerdictRecordStoreCheck("A request id is found by its first bytes, among the records that may be seen") { store in
            let first = VerdictRecord.sample(id: [1, 2, 3, 4] + [UInt8](repeating: 0, count: 12), app: "one")
            let second = VerdictRecord.sample(
                id: [1, 2, 3, 4] + [UInt8](repeating: 0xFF, count: 12), app: "two", caller: "two")
            let third = VerdictRecord.sample(id: [1, 2, 3, 5] + [UInt8](repeating: 0, count: 12))
            store.append([first, second, third])
            let all = VerdictRecordScope()
            try same(await Set(store.records([1, 2, 3, 4], in: all)), [first, second], "an ambiguous prefix")
            try same(await store.records([1, 2, 3, 4, 0], in: all), [first], "a longer prefix")
            try same(await store.records([1, 2, 3, 5], in: all), [third], "another prefix")
            try same(await store.records([1, 2, 3, 6], in: all), [], "the prefix of none")
            try same(
                await store.records([1, 2, 3, 4], in: VerdictRecordScope(apps: [second.request.app])), [second],
                "the records of an app")
            try same(await store.records([1, 2, 3, 4], in: VerdictRecordScope(caller: "two")), [second], "those of a caller")
            try same(
                await store.records(first.request.id, in: VerdictRecordScope(apps: [], caller: nil)), [],
                "the records of no app")
        },
    ]
}

// MARK: Paging

extension VerdictRecordStoreContract {
    private static let paging = [
        VerdictRecordStoreCheck("Pages hold each record once, the newest first, whatever the order of appending") { store in
            // Five of each time.
            let records = (0..<200).map { VerdictRecord.sample(Int64($0 * 37 % 40)) }
            for start in stride(from: 0, to: 200, by: 50) { store.append(Array(records[start..<start + 50])) }
            for limit in [1, 7, 199, 200, 500] {
                let found = try await store.all(VerdictRecordListing(limit: limit))
                try same(Set(found), Set(records), "the records on pages of \(limit)")
                try same(found.count, 200, "their number")
                let times = found.map(\.request.time)
                try same(times, times.sorted(by: >), "their times")
            }
            var one = VerdictRecordListing(limit: 7)
            one.app = records.first?.request.app
            try same(await store.all(one).count, 200, "the records of the app, by pages")
        },
        VerdictRecordStoreCheck("A listing continues while records are dropped and others appended: none comes twice") {
            store in
            let old = (0..<400).map { VerdictRecord.sample(Int64($0)) }
            store.append(old)
            var (listing, seen) = (VerdictRecordListing(limit: 20), [VerdictRecord]())
            var limits = VerdictRecordLimits()
            for step in 0..<100 {
                let page = try await store.page(listing)
                seen += page.records
                guard let next = page.next else { break }
                listing.after = next
                // Drops the oldest, which the listing has not reached yet.
                limits.rows = Int64(400 - step * 20)
                store.append([VerdictRecord.sample(Int64(1000 + step))])
                store.keep(limits, now: VerdictRecord.sampleTime)
            }
            try same(Set(seen).count, seen.count, "records that differ")
            try same(seen.allSatisfy(old.contains), true, "that only records older than the first page follow")
            guard seen.count >= 200, seen.count < 400 else {
                throw ContractViolation("\(seen.count) of 400 records were listed while half of them were dropped")
            }
        },
        VerdictRecordStoreCheck("Records that are appended concurrently are all kept") { store in
            await withTaskGroup { group in
                for _ in 0..<16 {
                    group.addTask { for _ in 0..<20 { store.append([VerdictRecord.sample()]) } }
                }
            }
            try same(await store.count(), 320, "records")
            try same(store.status.dropped, 0, "dropped verdicts")
        },
    ]
}

// MARK: Limits

extension VerdictRecordStoreContract {
    private static let limits = [
        VerdictRecordStoreCheck("No more records are kept than the limit, and the oldest are dropped") { store in
            var limits = VerdictRecordLimits()
            limits.rows = 100
            store.keep(limits, now: VerdictRecord.sampleTime)
            let records = (0..<1000).map { VerdictRecord.sample(Int64($0)) }
            for start in stride(from: 0, to: 1000, by: 100) { store.append(Array(records[start..<start + 100])) }
            let found = try await store.all(VerdictRecordListing(limit: 500))
            guard (1...100).contains(found.count) else { throw ContractViolation("\(found.count) records with a limit of 100") }
            try same(found, Array(records.reversed().prefix(found.count)), "the newest records")
            try same(store.status.rows, Int64(found.count), "the rows in the status")
        },
        VerdictRecordStoreCheck("A flood of records of one app drops none of another's, while that has fewer") { store in
            var limits = VerdictRecordLimits()
            limits.rows = 100
            store.keep(limits, now: VerdictRecord.sampleTime)
            let few = (0..<20).map { VerdictRecord.sample(Int64($0), app: "documents") }
            store.append(few)
            for start in stride(from: 0, to: 1000, by: 50) {
                store.append((start..<start + 50).map { VerdictRecord.sample(Int64(1000 + $0)) })
            }
            var listing = VerdictRecordListing(limit: 500)
            listing.app = few.first?.request.app
            try same(await store.all(listing), few.reversed(), "the records of the app with few")
            let all = try await store.all(VerdictRecordListing(limit: 500))
            guard (21...100).contains(all.count) else { throw ContractViolation("\(all.count) records with a limit of 100") }
        },
        VerdictRecordStoreCheck("No more bytes are kept than the limit, and the oldest records are dropped") { store in
            var limits = VerdictRecordLimits()
            limits.bytes = 512 << 10
            store.keep(limits, now: VerdictRecord.sampleTime)
            let sentence = String(repeating: "x", count: 400)
            for step in 0..<40 {
                store.append((0..<50).map { VerdictRecord.sample(Int64(step * 50 + $0), sentence: sentence) })
            }
            let found = try await store.all(VerdictRecordListing(limit: 500))
            guard (1..<2000).contains(found.count) else {
                throw ContractViolation("\(found.count) of 2000 records within \(limits.bytes) bytes")
            }
            try same(found.first?.request.time, VerdictRecord.sample(1999).request.time, "the time of the newest")
            guard store.status.bytes <= limits.bytes else {
                throw ContractViolation("\(store.status.bytes) bytes with a limit of \(limits.bytes)")
            }
        },
        VerdictRecordStoreCheck("Records older than the limit are dropped, by their own time") { store in
            let (old, young) = ((0..<50).map { VerdictRecord.sample(Int64($0)) }, [VerdictRecord.sample(10_000)])
            store.append(young + old)
            var limits = VerdictRecordLimits()
            limits.age = 5000
            store.keep(limits, now: VerdictRecord.sampleTime.adding(milliseconds: 5010))
            let found = try await store.all(VerdictRecordListing(limit: 500))
            try same(found, young + Array(old[10...].reversed()), "the records of the last five seconds")
        },
        VerdictRecordStoreCheck("A closed store throws, and counts what it does not keep with what it stands for") { store in
            store.append([.sample()])
            store.close()
            store.close()
            store.append([.sample(standsFor: 100), .sample()])
            try same(store.status.dropped, 101, "dropped verdicts")
            do {
                _ = try await store.page(VerdictRecordListing(limit: 1))
                throw ContractViolation("a page of a closed store was read")
            } catch is VerdictRecordError {}
        },
    ]
}
