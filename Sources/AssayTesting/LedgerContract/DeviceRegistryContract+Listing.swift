import AssayCore

extension DeviceRegistryContract {
    static let listingChecks: [ContractCheck] = [
        ContractCheck("A listing shows the devices of one app in the order of registration") { it in
            var own: [Device] = []
            for number in 0..<7 {
                own.append(try await it.register(.sample()))
                if number.isMultiple(of: 2) { _ = try await it.register(.sample(app: "other")) }
            }
            for limit in [1, 2, 3, 6, 7, 8, 100] {
                let pages = try await it.pages { DeviceListing(app: own[0].app, position: $0, limit: limit) }
                try same(pages.flatMap(\.self), own, "the devices of all pages of \(limit)")
                try same(pages.allSatisfy { $0.count <= limit }, true, "no page is longer than \(limit)")
            }
        },
        ContractCheck("A listing selects devices by subject and by their blocks") { it in
            var own: [Device] = []
            for number in 0..<6 {
                own.append(try await it.register(.sample(subject: number < 4 ? LedgerUnderTest.subject : nil)))
            }
            for index in [1, 4] { _ = try await it.block(.device(own[index].id)) }
            let app = own[0].app
            func listed(_ subject: [UInt8]?, _ isBlocked: Bool?) async throws -> [DeviceID] {
                try await it.pages {
                    DeviceListing(app: app, subject: subject, isBlocked: isBlocked, position: $0, limit: 2)
                }.flatMap { $0.map(\.id) }
            }
            let ids = own.map(\.id)
            try same(await listed(LedgerUnderTest.subject, nil), Array(ids[..<4]), "those of the subject")
            try same(await listed(LedgerUnderTest.subject, true), [ids[1]], "blocked ones of the subject")
            try same(await listed(LedgerUnderTest.subject, false), [ids[0], ids[2], ids[3]], "unblocked ones of the subject")
            try same(await listed(nil, true), [ids[1], ids[4]], "blocked ones")
            try same(await listed(nil, false), [ids[0], ids[2], ids[3], ids[5]], "unblocked ones")
            try same(await listed([UInt8](repeating: 1, count: 32), nil), [], "those of another subject")
        },
        ContractCheck("A listing shows the same records as a look-up") { it in
            var device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            try await it.expect(.advance(device.id, to: 9), .committed, "its counter")
            _ = try await it.block(.key(device.key))
            device = try await it.device(device.id)
            let page = try await it.ledger.devices(DeviceListing(app: device.app, limit: 10))
            try same(page, DevicePage(devices: [device], next: nil), "the page")
        },
        ContractCheck("A listing continues after devices were registered and forgotten between two pages") { it in
            var own: [Device] = []
            for _ in 0..<4 { own.append(try await it.register(.sample())) }
            let first = try await it.ledger.devices(DeviceListing(app: own[0].app, limit: 2))
            guard let next = first.next else { throw ContractViolation("the first page says that it is the last") }
            // The last device of the page, the first of the next, the last of all: a new device must not take its place.
            for index in [1, 2, 3] { _ = try await it.ledger.forget(own[index].id) }
            let new = try await it.register(.sample())
            let second = try await it.ledger.devices(DeviceListing(app: new.app, position: next, limit: 10))
            try same(second, DevicePage(devices: [new], next: nil), "the rest")
        },
    ]

}

extension LedgerUnderTest {
    /// The devices of each page, in order.
    fileprivate func pages(_ listing: (Int64) -> DeviceListing) async throws -> [[Device]] {
        var pages: [[Device]] = []
        var position: Int64? = 0
        while let here = position {
            let page = try await ledger.devices(listing(here))
            pages.append(page.devices)
            position = page.next
            guard pages.count <= 100 else { throw ContractViolation("the listing does not end") }
        }
        return pages
    }
}
