/// Which members of an object or list some schema has looked at, by their positions.
final class EvaluatedMembers {
    private(set) var areAll = false
    private var words: [UInt64] = []

    func insert(_ index: Int) {
        let word = index >> 6
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(index & 63)
    }

    func insertAll() { areAll = true }

    func contains(_ index: Int) -> Bool {
        areAll || index >> 6 < words.count && words[index >> 6] & 1 << UInt64(index & 63) != 0
    }

    func formUnion(_ other: EvaluatedMembers) {
        if other.areAll { areAll = true }
        while words.count < other.words.count { words.append(0) }
        for (index, word) in other.words.enumerated() { words[index] |= word }
    }
}
