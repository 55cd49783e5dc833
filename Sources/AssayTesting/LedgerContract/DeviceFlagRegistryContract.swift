import AssayCore

/// The checks of `DeviceFlagRegistry`.
enum DeviceFlagRegistryContract {
    private static let now = LedgerUnderTest.now
    private static let plugin = DeviceFlag.Setter.plugin("anomaly")

    private static func flag(
        _ name: String, by setter: DeviceFlag.Setter = plugin, detail: String = "", since: Int64 = 0, lasting: Int64 = 60_000
    ) -> DeviceFlag {
        DeviceFlag(
            name: name, setter: setter, detail: detail, since: now.adding(milliseconds: since),
            until: now.adding(milliseconds: since + lasting))
    }

    private static func context(after milliseconds: Int64 = 0) -> ChangeContext {
        ChangeContext(.plugin("anomaly"), at: now.adding(milliseconds: milliseconds))
    }

    private static func change(
        _ it: LedgerUnderTest, _ device: Device, _ change: DeviceFlagChange, after milliseconds: Int64 = 0,
        _ expected: DeviceFlagOutcome?
    ) async throws {
        try same(
            await it.ledger.change(change, of: device.id, app: device.app, context(after: milliseconds)), expected,
            "the outcome of \(change)")
    }

    private static func names(_ it: LedgerUnderTest, _ flag: String, after milliseconds: Int64, of app: AppID) async throws
        -> [DeviceID]
    {
        let asked = DeviceListing.Flag(name: flag, at: now.adding(milliseconds: milliseconds))
        return try await it.ledger.devices(DeviceListing(app: app, flag: asked, limit: 10)).devices.map(\.id)
    }

    static let checks: [ContractCheck] = [
        ContractCheck("A flag is set, renewed and cleared by its setter, and set and cleared are recorded") { it in
            let device = try await it.register(.sample())
            _ = try await it.bothWays(device)
            let start = try await it.ledger.status().auditCount
            let first = flag("counter_gap", detail: "1200 counters left out")
            try await change(it, device, .set(first), .set)
            try same(await it.bothWays(device)?.flags, [first], "the flags")
            try await change(it, device, .set(first), .unchanged)
            let later = flag("counter_gap", detail: "again", since: 1000)
            try await change(it, device, .set(later), after: 1000, .renewed)
            let renewed = DeviceFlag(
                name: "counter_gap", setter: plugin, detail: "again", since: first.since, until: later.until)
            try same(await it.bothWays(device)?.flags, [renewed], "the renewed flag")
            try await change(it, device, .clear(name: "counter_gap", setter: .plugin("other")), after: 2000, .unchanged)
            try await change(it, device, .clear(name: "counter_gap", setter: plugin), after: 2000, .cleared)
            try await change(it, device, .clear(name: "counter_gap", setter: plugin), after: 2000, .unchanged)
            try same(await it.bothWays(device), device, "the device without flags")
            let expected = [
                AuditChange.flag(.set(first), of: device.id, app: device.app, .set, context()),
                AuditChange.flag(
                    .clear(name: "counter_gap", setter: plugin), of: device.id, app: device.app, .cleared,
                    context(after: 2000)),
            ].compactMap(\.self)
            try same(expected.count, 2, "records")
            try await it.expectChanges(expected, at: [context().time, context(after: 2000).time], after: start)
        },
        ContractCheck("What a caller sets, sets again and clears is recorded, and what changes nothing is not") { it in
            let device = try await it.register(.sample())
            let start = try await it.ledger.status().auditCount
            func context(_ milliseconds: Int64) -> ChangeContext {
                ChangeContext(.caller("op"), at: now.adding(milliseconds: milliseconds), reason: "a mistake")
            }
            let first = flag("farm", by: .caller("op"), detail: "case 12")
            let second = flag("farm", by: .caller("op"), detail: "case 13", since: 1000)
            let cleared = DeviceFlagChange.clear(name: "farm", setter: nil)
            let steps: [(change: DeviceFlagChange, after: Int64, outcome: DeviceFlagOutcome)] = [
                (.set(first), 0, .set), (.set(first), 500, .unchanged), (.set(second), 1000, .renewed),
                (cleared, 2000, .cleared), (cleared, 3000, .unchanged),
            ]
            for step in steps {
                try same(
                    await it.ledger.change(step.change, of: device.id, app: device.app, context(step.after)), step.outcome,
                    "the outcome after \(step.after) ms")
            }
            let recorded = steps.filter { $0.outcome != .unchanged }
            let expected = recorded.compactMap {
                AuditChange.flag($0.change, of: device.id, app: device.app, $0.outcome, context($0.after))
            }
            try same(expected.map(\.flag), [false, true, false], "whether the flag stood before it was set")
            try same(expected.map(\.reason), ["case 12", "case 13", "a mistake"], "the reasons")
            try await it.expectChanges(expected, at: recorded.map { context($0.after).time }, after: start)
        },
        ContractCheck("Flags of two setters with one name are two, and an operator clears both") { it in
            let device = try await it.register(.sample())
            let (own, other) = (flag("farm"), flag("farm", by: .caller("op")))
            try await change(it, device, .set(own), .set)
            try await change(it, device, .set(other), .set)
            try same(await it.bothWays(device)?.flags, [own, other], "the flags")
            try await change(it, device, .clear(name: "farm", setter: nil), .cleared)
            try same(await it.bothWays(device)?.flags, [], "the flags after that")
        },
        ContractCheck("A device has 8 flags, and one that has ended makes place for another") { it in
            let device = try await it.register(.sample())
            let short = flag("short", lasting: 10)
            try await change(it, device, .set(short), .set)
            for number in 1..<DeviceFlag.countLimit { try await change(it, device, .set(flag("flag_\(number)")), .set) }
            try await change(it, device, .set(flag("one_more")), after: 9, .tooMany)
            try same(await it.bothWays(device)?.flags.count, DeviceFlag.countLimit, "flags")
            try await change(it, device, .set(flag("one_more")), after: 10, .set)
            try same(await it.bothWays(device)?.flags.map(\.name).contains("short"), false, "whether the ended flag is kept")
        },
        ContractCheck("Flags outlive a counter, and do not change it") { it in
            let device = try await it.register(.sample(counter: 5))
            let mark = flag("patch_back")
            try await change(it, device, .set(mark), .set)
            try await it.expect(.advance(device.id, to: 9), .committed, "its counter")
            let found = try await it.bothWays(device)
            try same(found?.flags, [mark], "the flags")
            try same(found?.counter, 9, "the counter")
        },
        ContractCheck("Listings select devices by a flag that stands") { it in
            let devices = [
                try await it.register(.sample()), try await it.register(.sample()), try await it.register(.sample()),
            ]
            try await change(it, devices[1], .set(flag("many_models")), .set)
            try await change(it, devices[2], .set(flag("many_models", lasting: 10)), .set)
            let app = devices[0].app
            try same(await names(it, "many_models", after: 9, of: app), [devices[1].id, devices[2].id], "both")
            try same(await names(it, "many_models", after: 10, of: app), [devices[1].id], "the one that stands")
            try same(await names(it, "other", after: 0, of: app), [], "those with another flag")
        },
        ContractCheck("A flag is of a device of its app, and goes with the device") { it in
            let device = try await it.register(.sample())
            guard let other = AppID("another") else { throw ContractViolation("the literal is not an app id") }
            try same(
                await it.ledger.change(.set(flag("farm")), of: device.id, app: other, context()), nil, "a device of another app"
            )
            try same(
                await it.ledger.change(.set(flag("farm")), of: .random(), app: device.app, context()), nil, "no device")
            try await change(it, device, .set(flag("farm")), .set)
            _ = try await it.ledger.forget(device.id)
            try await change(it, device, .set(flag("farm")), nil)
            let again = try await it.register(device.again())
            try same(await it.bothWays(again)?.flags, [], "the flags of the key, registered again")
        },
    ]
}
