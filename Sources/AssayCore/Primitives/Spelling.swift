/// Finds the word that was probably meant.
package enum Spelling {
    /// The nearest of `words`, in either case, if it is near enough to be worth a question: at most a third of the letters differ.
    ///
    /// - Parameter edits: the most that may differ besides, where `words` are not all that there are.
    package static func nearest(to word: String, among words: some Collection<String>, within edits: Int = .max) -> String? {
        let best = words.map { (word: $0, distance: distance(Array(word.lowercased().utf8), Array($0.lowercased().utf8))) }
            .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
        guard let best, best.distance <= min(edits, max(1, word.utf8.count / 3)) else { return nil }
        return best.word
    }

    /// The nearest of `words`, or the only one that begins with the word or has it as a part: `warn` is `warning`, `ca` is `client_ca`.
    package static func meant(by word: String, among words: some Collection<String>) -> String? {
        if let near = nearest(to: word, among: words) { return near }
        let letters = word.lowercased()
        let whole = words.filter { known in
            let known = known.lowercased()
            return letters.utf8.count >= 3 && known.hasPrefix(letters)
                || letters.utf8.count >= 2 && known.split(separator: "_").contains { $0 == letters }
        }
        return whole.count == 1 ? whole.first : nil
    }

    /// The end of a sentence about a word that does not exist: the nearest that does, or all of them where they are few.
    package static func hint(for word: String, among words: some Collection<String>) -> String {
        if let meant = nearest(to: word, among: words) { return "; did you mean \"\(meant)\"?" }
        return words.isEmpty || words.count > 8
            ? "" : "; there \(words.count == 1 ? "is" : "are") \(words.sorted().joined(separator: ", "))"
    }

    /// Words that may be meant, the nearest first: those that are near by their letters, and those that share a part with the word, where
    /// parts are separated by `_`.
    package static func near(to word: String, among words: some Collection<String>, limit: Int = 5) -> [String] {
        let (letters, parts) = (Array(word.lowercased().utf8), Set(word.lowercased().split(separator: "_").map(String.init)))
        let ranked = words.map { (word: $0, distance: distance(letters, Array($0.utf8))) }.filter { candidate in
            candidate.distance <= max(1, letters.count / 3)
                || candidate.word.split(separator: "_").contains { parts.contains(String($0)) }
        }
        return ranked.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(limit).map(\.word)
    }

    /// Insertions, deletions, replacements and swaps of neighbours.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var (before, previous, current) = ([Int](), [Int](), Array(0...b.count))
        for i in 0..<a.count {
            (before, previous) = (previous, current)
            current = [i + 1]
            for j in 0..<b.count {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
                current.append(cost)
            }
        }
        return current[b.count]
    }
}
