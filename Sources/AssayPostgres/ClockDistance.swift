/// How far the clocks of a daemon and of the database server are apart.
enum ClockDistance: Sendable {
    case near
    /// A warning is due.
    case far
    /// One of them is wrong: nothing is removed by them.
    case tooFar

    init(_ milliseconds: Int64, _ limits: (warned: Int64, tolerated: Int64)) {
        self = milliseconds > limits.tolerated ? .tooFar : milliseconds > limits.warned ? .far : .near
    }
}
