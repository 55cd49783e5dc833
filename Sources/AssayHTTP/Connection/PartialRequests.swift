import NIOCore

/// The requests of one connection of which a part is kept, in the order in which they began to be kept, and the bytes of all.
///
/// Exchanges count themselves, so that a connection knows what it holds without looking through its streams at each read.
final class PartialRequests {
    /// The exchanges before and behind one, of those of which a part is kept.
    struct Neighbours {
        fileprivate unowned var previous: Exchange?
        fileprivate var next: Exchange?
    }

    private(set) var bytes = 0
    private var first: Exchange?
    private unowned var last: Exchange?

    /// When the request began that has been kept for the longest time; `nil`: none is kept.
    var since: NIODeadline? { first?.began }

    /// Counts what is kept of an exchange's request now.
    func count(_ exchange: Exchange, heldBefore before: Int) {
        bytes += exchange.heldBytes - before
        if before == 0, exchange.heldBytes > 0 { append(exchange) }
        if before > 0, exchange.heldBytes == 0 { remove(exchange) }
    }

    private func append(_ exchange: Exchange) {
        exchange.neighbours.previous = last
        last?.neighbours.next = exchange
        first = first ?? exchange
        last = exchange
    }

    private func remove(_ exchange: Exchange) {
        let (previous, next) = (exchange.neighbours.previous, exchange.neighbours.next)
        exchange.neighbours = Neighbours()
        if let previous { previous.neighbours.next = next } else { first = next }
        if let next { next.neighbours.previous = previous } else { last = previous }
    }
}
