/// Something did not come to hold in time.
package struct NeverHeld: Error, CustomStringConvertible {
    package let description: String
}

/// Asks every 5 ms whether a condition holds, until it does. Tests wait with it, and not with a sleep of a guessed length. After a question that
/// took long, such as a call of a daemon, the next one is later, so that no more than a fifth of the time is spent with asking.
///
/// - Parameters:
///   - what: What is waited for, as a sentence for the failure.
///   - limit: The longest wait. It bounds a test that hangs, and is no statement about speed.
/// - Throws: ``NeverHeld``, with the place of the call.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    guard try await eventually(within: limit, condition) else {
        throw NeverHeld(description: "\(what): not within \(limit) (\(file):\(line))")
    }
}

/// The same, as a value: whether the condition came to hold.
package func eventually(
    within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        let asked = ContinuousClock.now
        guard asked < end else { break }
        if try await condition() { return true }
        let pause = min((ContinuousClock.now - asked) * 4, .milliseconds(200))
        try? await Task.sleep(for: max(.milliseconds(5), pause))
    }
    return try await condition()
}
