import AssayMetrics

/// The connection of a reading thread. It is made when it is needed, and again after it has ended.
struct ReaderConnection {
    private let settings: PostgresSettings
    private let server: ServerCheck
    /// How long no connection is tried after one failed, in nanoseconds.
    private let pause: UInt64
    private var connection: PostgresConnection?
    /// Why the database cannot be reached, or did not answer; `nil` if the last read was answered.
    private(set) var trouble: PostgresError?
    /// When connecting failed, in nanoseconds of the monotonic clock; `nil` since it succeeded.
    private var failedAt: UInt64?

    init(_ settings: PostgresSettings, _ server: ServerCheck, pause: UInt64) {
        (self.settings, self.server, self.pause) = (settings, server, pause)
    }

    /// Runs `body`, and again on a new connection if the present one has ended. A read that took too long is not repeated.
    mutating func attempt(_ body: (Database) throws(PostgresError) -> Void) throws(PostgresError) {
        do throws(PostgresError) { return try run(body) } catch {
            guard error.endsConnection, error.kind != .deadline, failedAt == nil else { throw error }
        }
        try run(body)
    }

    /// Connects, where that failed before.
    mutating func reconnect() { do throws(PostgresError) { _ = try connected() } catch {} }

    private mutating func run(_ body: (Database) throws(PostgresError) -> Void) throws(PostgresError) {
        let connection = try connected()
        do throws(PostgresError) {
            try body(Database(connection: connection, timeout: settings.readTimeout))
        } catch {
            if error.endsConnection { (self.connection, trouble) = (nil, error) }
            throw error
        }
    }

    private mutating func connected() throws(PostgresError) -> PostgresConnection {
        if let connection, connection.isUsable { return connection }
        connection = nil
        if let failedAt, let trouble, MonotonicTime.nanoseconds() &- failedAt < pause { throw trouble }
        do throws(PostgresError) {
            let new = try server.connect()
            (connection, failedAt, trouble) = (new, nil, nil)
            return new
        } catch {
            (failedAt, trouble) = (MonotonicTime.nanoseconds(), error)
            throw error
        }
    }
}
