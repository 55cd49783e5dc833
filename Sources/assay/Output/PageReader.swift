import AssayClient
import Foundation

/// Reads a listing page by page.
enum PageReader {
    /// Shows at most `limit` items, or all of them, and returns how many.
    ///
    /// - Parameter page: the items after a token, and the token of the next page; an empty token is the first page's and
    ///   follows the last.
    @discardableResult
    static func show<Item>(
        _ limit: Int?, _ page: (_ token: [UInt8]) async throws(AssayError) -> (items: [Item], next: Data),
        each show: (Item) -> Void
    ) async throws(AssayError) -> Int {
        var left = limit ?? .max
        var shown = 0
        var token: [UInt8] = []
        repeat {
            let (items, next) = try await page(token)
            for item in items.prefix(left) { show(item) }
            shown += min(left, items.count)
            left -= min(left, items.count)
            token = Array(next)
        } while left > 0 && !token.isEmpty
        return shown
    }
}
