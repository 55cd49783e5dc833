import AssayTesting

/// The value of a count once it has stopped to change: it was the same 60 times, which takes 300 ms at the least. A count that has not stopped by
/// then is taken for one that has, so that a test which compares it with a bound can only pass by mistake on a machine that stands still.
func settled(_ what: String, _ count: () -> Int) async throws -> Int {
    var (last, times) = (-1, 0)
    try await eventually(what, within: .seconds(60)) {
        let now = count()
        times = now == last ? times + 1 : 0
        last = now
        return times == 60
    }
    return last
}
