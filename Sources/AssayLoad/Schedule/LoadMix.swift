/// The shares of operations in a load.
package struct LoadMix: Hashable, Sendable {
    /// Each more than 0.
    package let weights: [Int]

    package init(weights: [Int]) { self.weights = weights }

    /// The operations of the arrivals, in order, by their index.
    ///
    /// Smooth weighted round robin: each run of as many arrivals as the sum of the weights has exactly the shares, and equal operations are
    /// spread over it.
    package struct Turns: Sendable {
        private let weights: [Int]
        private let sum: Int
        private var credit: [Int]

        package init(_ mix: LoadMix) {
            weights = mix.weights
            sum = mix.weights.reduce(0, +)
            credit = mix.weights.map { _ in 0 }
        }

        package mutating func next() -> Int {
            var best = 0
            for index in weights.indices {
                credit[index] += weights[index]
                if credit[index] > credit[best] { best = index }
            }
            credit[best] -= sum
            return best
        }
    }
}
