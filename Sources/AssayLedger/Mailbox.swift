#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A bounded queue from tasks, which never wait, to threads, which do.
///
/// Unchecked: `items`, `weight` and `isClosed` are used only under `lock`. It is a pthread mutex, not `Mutex`, because the condition
/// variable needs one.
package final class Mailbox<Item: Sendable>: @unchecked Sendable {
    package enum Posted { case accepted, full, closed }

    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var items: [(item: Item, weight: Int)] = []
    private var weight = 0
    private var isClosed = false
    private let limit: Int

    /// - Parameter limit: the weight that may wait.
    package init(limit: Int) {
        self.limit = limit
        pthread_mutex_init(lock, nil)
        #if canImport(Darwin)
            pthread_cond_init(arrived, nil)
        #else
            // `take` waits by a clock that cannot be set.
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(arrived, &attributes)
            pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(arrived)
        lock.deallocate()
        arrived.deallocate()
    }

    /// Adds an item. Never blocks. An item heavier than the limit is accepted if no other waits.
    package func post(_ item: Item, weight added: Int) -> Posted {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isClosed else { return .closed }
        guard items.isEmpty || weight + added <= limit else { return .full }
        items.append((item, added))
        weight += added
        pthread_cond_signal(arrived)
        return .accepted
    }

    /// Waits for items and takes, in order, those that weigh at most `batch` together, but at least one. `nil` if the mailbox is closed
    /// and empty; no items if none arrived in `patience` milliseconds. An item that `joining` denies is taken alone.
    package func take(
        upTo batch: Int, within patience: Int32? = nil, joining: (Item) -> Bool = { _ in true }
    ) -> (items: [Item], weight: Int)? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        if let patience, items.isEmpty, !isClosed {
            wait(patience)
        } else {
            while items.isEmpty && !isClosed { pthread_cond_wait(arrived, lock) }
        }
        guard !items.isEmpty else { return isClosed ? nil : ([], 0) }
        var count = 0
        var taken = 0
        let isAlone = !joining(items[0].item)
        for item in items {
            guard count == 0 || !isAlone && taken + item.weight <= batch && joining(item.item) else { break }
            count += 1
            taken += item.weight
        }
        let batch = items.prefix(count).map(\.item)
        items.removeFirst(count)
        weight -= taken
        return (batch, taken)
    }

    /// Waits for an item for a number of milliseconds. Called under the lock.
    private func wait(_ milliseconds: Int32) {
        var end = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_REALTIME, &end)
        #else
            clock_gettime(CLOCK_MONOTONIC, &end)
        #endif
        let nanoseconds = end.tv_nsec + Int(milliseconds % 1000) * 1_000_000
        end.tv_sec += Int(milliseconds / 1000) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while items.isEmpty && !isClosed { if pthread_cond_timedwait(arrived, lock, &end) != 0 { return } }
    }

    /// The weight that waits; the limit once the mailbox is closed, so that the writer does not pause.
    package var waitingWeight: Int {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return isClosed ? limit : weight
    }

    /// The weight that waits.
    package var queuedWeight: Int {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return weight
    }

    /// Refuses further items. Those that wait are still taken.
    package func close() {
        pthread_mutex_lock(lock)
        isClosed = true
        pthread_cond_broadcast(arrived)
        pthread_mutex_unlock(lock)
    }
}
