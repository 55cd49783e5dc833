/// Makes the requests of devices before the clock starts.
enum Requests {
    /// Lets devices make their requests at the same time, on all processors; or do something else, and make none.
    ///
    /// - Parameters:
    ///   - devices: what each keeps from one request to the next, such as its counter.
    ///   - make: makes the requests of one device; it is told the device's index.
    static func made<Device: Sendable>(
        by devices: inout [Device],
        _ make: @escaping @Sendable (Int, inout Device) async throws -> [PlainFrame.Request]
    ) async throws -> [[PlainFrame.Request]] {
        var requests: [[PlainFrame.Request]] = []
        // A daemon takes so many calls of a connection at a time (limits.max_calls_per_connection).
        let limit = 256
        for start in stride(from: 0, to: devices.count, by: limit) {
            let some = devices[start..<min(start + limit, devices.count)]
            let made = try await withThrowingTaskGroup(of: (Int, Device, [PlainFrame.Request]).self) { group in
                for index in some.indices {
                    group.addTask {
                        var device = some[index]
                        let requests = try await make(index, &device)
                        return (index, device, requests)
                    }
                }
                return try await group.reduce(into: [(Int, Device, [PlainFrame.Request])]()) { $0.append($1) }
            }
            for (index, device, _) in made { devices[index] = device }
            requests += made.sorted { $0.0 < $1.0 }.map(\.2)
        }
        return requests
    }

    /// The same for devices that keep nothing: so many, each with so many requests.
    static func made(
        by devices: Int, each count: Int, _ make: @escaping @Sendable (Int) async throws -> PlainFrame.Request
    ) async throws -> [[PlainFrame.Request]] {
        var numbers = Array(0..<devices)
        return try await made(by: &numbers) { index, _ in
            var requests: [PlainFrame.Request] = []
            for _ in 0..<count { requests.append(try await make(index)) }
            return requests
        }
    }
}
