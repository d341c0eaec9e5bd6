/// Small encodings of values that are larger than any memory, for tests of what walks through them. No writer makes such bytes: each of these
/// refers to its parts again and again.
///
///     for bomb in DataBomb.all { try update.bind(blob: bomb.bytes, 1) }
package struct DataBomb: Sendable, CustomStringConvertible {
    package let name: String
    /// An encoding whose root is a dictionary, as a document's is. It has the string `@type` in it, so that nobody passes it over as one
    /// that cannot refer to blobs.
    package let bytes: [UInt8]
    package var description: String { name }

    /// One of each kind.
    package static let all: [DataBomb] = [
        make("arrays in arrays") { $0.tower(levels: 200, ofDictionaries: false) },
        make("dictionaries in dictionaries") { $0.tower(levels: 200, ofDictionaries: true) },
        make("arrays deeper than any limit") { $0.tower(levels: 1000, ofDictionaries: false) },
        make("broad arrays in broad arrays") { $0.broadTower(levels: 12, width: 500) },
        make("one long text in thousands of places") { builder in
            let text = builder.string(count: 20_000)
            return builder.array(repeating: text, count: 20_000)
        },
        make("one long key in thousands of dictionaries") { builder in
            let key = builder.string(count: 20_000)
            let value = builder.string(count: 3)
            let items = (0..<5000).map { _ in builder.dictionary([(key, value)]) }
            return builder.array(items)
        },
        make("a parent of thousands of dictionaries") { builder in
            let value = builder.string(count: 3)
            let parent = builder.dictionary((0..<4000).map { (builder.string("key-\(100_000 + $0)"), value) })
            let children = (0..<4000).map { _ in builder.dictionary([], parent: parent) }
            return builder.array(children)
        },
        make("parents of parents of parents") { builder in
            var dictionary = builder.dictionary([])
            for level in 0..<250 {
                dictionary = builder.dictionary([(builder.string("level-\(1000 + level)"), dictionary)], parent: dictionary)
            }
            return dictionary
        },
    ]

    /// Another one for each number: towers whose floors refer to several of the floors below.
    package static func seeded(_ seed: UInt64) -> DataBomb {
        var random = SeededRandom(seed)
        return make("floors of seed \(seed)") { builder in
            var floors = [builder.string(count: 5), builder.dictionary([])]
            for _ in 0..<100 + random.below(100) {
                let members = (0..<2 + random.below(4)).map { _ in floors[max(0, floors.count - 1 - random.below(3))] }
                if random.below(2) == 0 {
                    floors.append(builder.array(members))
                } else {
                    let keys = members.indices.map { builder.string("k\($0)") }
                    floors.append(builder.dictionary(Array(zip(keys, members)), parent: random.below(8) == 0 ? members[0] : nil))
                }
            }
            return floors[floors.count - 1]
        }
    }

    private static func make(_ name: String, _ build: (inout FleeceBuilder) -> Int) -> DataBomb {
        var builder = FleeceBuilder()
        let type = builder.string("@type")
        let key = builder.string("bomb")
        let word = builder.string("none")
        let bomb = build(&builder)
        // The keys are in order: "@" stands before the letters.
        let root = builder.dictionary([(type, word), (key, bomb)])
        return DataBomb(name: name, bytes: builder.finish(root))
    }
}

/// Writes an encoding by hand. What was written is named by where it begins, and may be referred to as often as one likes; each value takes an
/// even number of bytes, and everything that refers to another is wide.
package struct FleeceBuilder {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// A document with nothing but a long text in it, as anybody might write one.
    package static func document(text count: Int) -> [UInt8] {
        var builder = FleeceBuilder()
        let (key, text) = (builder.string("text"), builder.string(count: count))
        let root = builder.dictionary([(key, text)])
        return builder.finish(root)
    }

    package mutating func string(_ text: String) -> Int { string(Array(text.utf8)) }
    package mutating func string(count: Int) -> Int { string([UInt8](repeating: UInt8(ascii: "x"), count: count)) }

    private mutating func string(_ text: [UInt8]) -> Int {
        let place = bytes.count
        bytes.append(0x40 | UInt8(min(text.count, 15)))
        if text.count >= 15 { varint(text.count) }
        bytes += text
        return end(place)
    }

    package mutating func array(_ items: [Int]) -> Int {
        let place = header(0x68, count: items.count)
        for item in items { pointer(to: item) }
        return end(place)
    }

    package mutating func array(repeating item: Int, count: Int) -> Int { array([Int](repeating: item, count: count)) }

    /// The pairs must be in the order of their keys.
    package mutating func dictionary(_ pairs: [(key: Int, value: Int)], parent: Int? = nil) -> Int {
        let place = header(0x78, count: pairs.count + (parent == nil ? 0 : 1))
        if let parent {
            bytes += [0x08, 0x00, 0x00, 0x00]
            pointer(to: parent)
        }
        for pair in pairs {
            pointer(to: pair.key)
            pointer(to: pair.value)
        }
        return end(place)
    }

    /// Arrays of two, both of which are the array below: as many paths as a power of two.
    package mutating func tower(levels: Int, ofDictionaries: Bool) -> Int {
        let (first, second) = (string("a"), string("b"))
        var floor = string(count: 4)
        for _ in 0..<levels {
            floor = ofDictionaries ? dictionary([(first, floor), (second, floor)]) : array([floor, floor])
        }
        return floor
    }

    package mutating func broadTower(levels: Int, width: Int) -> Int {
        var floor = string(count: 4)
        for _ in 0..<levels { floor = array(repeating: floor, count: width) }
        return floor
    }

    /// The encoding with this value as its root.
    package func finish(_ root: Int) -> [UInt8] {
        var whole = self
        whole.pointer(to: root)
        // The last two bytes lead to a wide pointer.
        return whole.bytes + [0x80, 0x02]
    }

    private mutating func header(_ tag: UInt8, count: Int) -> Int {
        let place = bytes.count
        let low = min(count, 0x7FF)
        bytes += [tag | UInt8(low >> 8), UInt8(low & 0xFF)]
        if count >= 0x7FF { varint(count - 0x7FF) }
        _ = end(place)
        return place
    }

    private mutating func pointer(to target: Int) {
        let bits = 0x8000_0000 | UInt32((bytes.count - target) / 2)
        for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }

    private mutating func varint(_ number: Int) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func end(_ place: Int) -> Int {
        if bytes.count % 2 == 1 { bytes.append(0) }
        return place
    }
}
