/// The result of the task that ends first; `ifCancelled` as soon as the waiting task is cancelled. The others are not waited for.
func first<Value: Sendable>(of tasks: [Task<Value, Never>], ifCancelled: Value) async -> Value {
    let (results, ended) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingOldest(1))
    for task in tasks { Task { ended.yield(await task.value) } }
    for await result in results { return result }
    return ifCancelled
}
