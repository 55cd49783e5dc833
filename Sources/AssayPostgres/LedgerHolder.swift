/// A process that opens a ledger, as the row of its writer names it.
package struct LedgerHolder: Hashable, Sendable {
    /// Equal for processes of which one can only run after the other has ended, because they have the same folder and its lock. Such a
    /// process takes the writer's name at once; any other one waits until the lease has ended.
    package var instance: String
    /// For people, such as "process 12 on db1".
    package var name: String

    package init(instance: String, name: String) { (self.instance, self.name) = (instance, name) }
}
