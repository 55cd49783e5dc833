/// When it warns: at either.
package struct DiskSpaceRule: Hashable, Sendable {
    package var freeBytes: UInt64 = 1 << 30
    /// Of the capacity.
    package var freePercent: UInt64 = 5
    package init() {}
}
