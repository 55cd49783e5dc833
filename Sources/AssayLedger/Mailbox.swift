#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#else
    public import Darwin
#endif

/// A bounded queue from tasks, which never wait, to threads, which do.
///
/// Where one thread takes, another may stand in for it while it has nothing to do (``enter()``).
///
/// It is `public` and inlined where it is used, so that it is compiled for its items: Swift 6.3 does not specialise `package` functions across
/// modules, and finds the types of a list by their names at run time.
///
/// Unchecked: all that varies is used only under `lock`. It is a pthread mutex, not `Mutex`, because the condition variable needs one.
public final class Mailbox<Item: Sendable>: @unchecked Sendable {
    public enum Posted { case accepted, full, closed }

    @usableFromInline let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let arrived = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline var items: [(item: Item, weight: Int)] = []
    @usableFromInline var weight = 0
    @usableFromInline var isClosed = false
    /// Threads that wait in ``take(upTo:within:joining:)``.
    @usableFromInline var waiting = 0
    /// Whether a thread stands in for the one that takes.
    @usableFromInline var isEntered = false
    @usableFromInline let limit: Int

    /// - Parameter limit: the weight that may wait.
    @inlinable
    public init(limit: Int) {
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

    @inlinable
    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(arrived)
        lock.deallocate()
        arrived.deallocate()
    }

    /// Adds an item. Never blocks. An item heavier than the limit is accepted if no other waits.
    @inlinable
    public func post(_ item: Item, weight added: Int) -> Posted {
        pthread_mutex_lock(lock)
        let posted: Posted
        if isClosed {
            posted = .closed
        } else if items.isEmpty || weight + added <= limit {
            items.append((item, added))
            weight += added
            posted = .accepted
        } else {
            posted = .full
        }
        let wakes = posted == .accepted && waiting > 0 && !isEntered
        pthread_mutex_unlock(lock)
        // Behind the lock: a thread that wakes would wait for it, and be woken twice.
        if wakes { pthread_cond_signal(arrived) }
        return posted
    }

    /// Takes the place of the one thread that takes items, if that waits and no item does. It takes none until ``leave()``. False: it
    /// works, or is about to.
    @inlinable
    public func enter() -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard waiting > 0, !isEntered, items.isEmpty, !isClosed else { return false }
        isEntered = true
        return true
    }

    /// Gives the place back.
    @inlinable
    public func leave() {
        pthread_mutex_lock(lock)
        isEntered = false
        let wakes = !items.isEmpty || isClosed
        pthread_mutex_unlock(lock)
        if wakes { pthread_cond_signal(arrived) }
    }

    /// Waits for items and takes, in order, those that weigh at most `batch` together, but at least one. `nil` if the mailbox is closed
    /// and empty; no items if none arrived in `patience` milliseconds. An item that `joining` denies is taken alone.
    @inlinable
    public func take(
        upTo batch: Int, within patience: Int32? = nil, joining: (Item) -> Bool = { _ in true }
    ) -> (items: [Item], weight: Int)? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        wait(for: patience)
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

    /// Waits for an item, or for some milliseconds, and longer where another thread is in the place of this one. Called under the lock.
    @inlinable
    func wait(for milliseconds: Int32?) {
        waiting += 1
        defer { waiting -= 1 }
        var end = milliseconds.map(Self.instant)
        while isEntered || items.isEmpty && !isClosed {
            guard var instant = end else {
                pthread_cond_wait(arrived, lock)
                continue
            }
            guard pthread_cond_timedwait(arrived, lock, &instant) != 0 else { continue }
            guard isEntered else { return }
            end = milliseconds.map(Self.instant)
        }
    }

    /// When a number of milliseconds will have passed, by the clock of the condition variable.
    @usableFromInline
    static func instant(after milliseconds: Int32) -> timespec {
        var instant = timespec()
        #if canImport(Darwin)
            clock_gettime(CLOCK_REALTIME, &instant)
        #else
            clock_gettime(CLOCK_MONOTONIC, &instant)
        #endif
        let nanoseconds = instant.tv_nsec + Int(milliseconds % 1000) * 1_000_000
        instant.tv_sec += Int(milliseconds / 1000) + nanoseconds / 1_000_000_000
        instant.tv_nsec = nanoseconds % 1_000_000_000
        return instant
    }

    /// The weight that waits; the limit once the mailbox is closed, so that the writer does not pause.
    @inlinable
    public var waitingWeight: Int {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return isClosed ? limit : weight
    }

    /// The weight that waits.
    @inlinable
    public var queuedWeight: Int {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return weight
    }

    /// Refuses further items. Those that wait are still taken.
    @inlinable
    public func close() {
        pthread_mutex_lock(lock)
        isClosed = true
        pthread_cond_broadcast(arrived)
        pthread_mutex_unlock(lock)
    }
}
