import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` whose answers are read to a limit, and which follows no redirect: a challenge or a signature goes to the backend only.
///
/// `@unchecked`: what changes is in `exchanges`, below the lock.
final class BoundedSession: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    /// The request, from the start of its task to its answer.
    private struct Exchange {
        var body = Data()
        let answer: CheckedContinuation<Result<HTTPAnswer, BackendError>, Never>
    }

    private let limit: Int
    private let lock = NSLock()
    private var exchanges: [Int: Exchange] = [:]

    /// - Parameter limit: the longest body of an answer, in bytes.
    init(limit: Int) { self.limit = limit }

    func send(_ request: URLRequest, in session: URLSession) async throws(BackendError) -> HTTPAnswer {
        let task = session.dataTask(with: request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (answer: CheckedContinuation<Result<HTTPAnswer, BackendError>, Never>) in
                lock.withLock { exchanges[task.taskIdentifier] = Exchange(answer: answer) }
                task.resume()
                // The handler below may have been called before there was a task to end.
                if Task.isCancelled { end(task) }
            }
        } onCancel: {
            end(task)
        }
        return try result.get()
    }

    /// Cancels the task. The answer does not wait for what the session says of it.
    private func end(_ task: URLSessionTask) {
        finish(task) { _ in .failure(.cancelled) }
        task.cancel()
    }

    private func finish(_ task: URLSessionTask, _ result: (Exchange) -> Result<HTTPAnswer, BackendError>) {
        guard let exchange = lock.withLock({ exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.answer.resume(returning: result(exchange))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // -1: the length is not known.
        guard response.expectedContentLength <= Int64(limit) else {
            refuse(dataTask)
            return completionHandler(.cancel)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let fits = lock.withLock { () -> Bool in
            guard let length = exchanges[dataTask.taskIdentifier]?.body.count else { return false }
            guard data.count <= limit - length else { return false }
            exchanges[dataTask.taskIdentifier]?.body.append(data)
            return true
        }
        if !fits { refuse(dataTask) }
    }

    /// The answer comes first: what the session says of a task that it is told to cancel is no answer.
    private func refuse(_ task: URLSessionTask) {
        finish(task) { _ in .failure(.wrongAnswer("the answer is longer than \(limit) bytes")) }
        task.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        finish(task) { exchange in
            if (error as? URLError)?.code == .cancelled { return .failure(.cancelled) }
            guard error == nil else { return .failure(.noAnswer) }
            guard let response = task.response as? HTTPURLResponse else { return .failure(.wrongAnswer("not HTTP")) }
            // A body that was lost as a whole is not an empty one, which may mean success.
            guard !exchange.body.isEmpty || response.expectedContentLength <= 0 else { return .failure(.noAnswer) }
            return .success(
                HTTPAnswer(
                    status: response.statusCode, body: exchange.body,
                    retryAfter: response.value(forHTTPHeaderField: "Retry-After")))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
