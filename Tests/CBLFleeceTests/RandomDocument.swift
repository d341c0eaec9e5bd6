import CBLTestSupport

/// Makes JSON documents out of nothing, and others that differ from them here and there.
struct RandomDocument {
    indirect enum Node {
        case scalar(String)
        case array([Node])
        case object([(key: String, value: Node)])

        var json: String {
            switch self {
            case .scalar(let text): text
            case .array(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
            case .object(let members):
                "{" + members.map { RandomDocument.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
            }
        }
    }

    var random: SeededRandom

    private static let keys = [
        "a", "b", "name", "type", "seventeen_chars_17", "dots.in.key", "café", "", "with \"quote", "日本", "_id-x", "0", "1-",
    ]
    private static let words = [
        "a", "be", "naïve", "日本語", "😀", "line\nbreak", "tab\t", "\"", "\\", "\u{1}", "the quick brown fox ", "x", "y",
    ]

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..<" ": result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    mutating func text() -> String {
        let count = random.below(8) == 0 ? random.below(60) : random.below(4)
        return (0..<count).map { _ in random.element(of: Self.words) }.joined()
    }

    mutating func scalar() -> String {
        switch random.below(9) {
        case 0: return "null"
        case 1: return "true"
        case 2: return "false"
        case 3: return String(random.below(100) - 50)
        case 4: return String(Int64(bitPattern: random.next()) >> Int64(random.below(64)))
        case 5: return String(random.next() >> UInt64(random.below(64)))
        case 6: return String(Double(random.below(2_000_000) - 1_000_000) / 1000)
        case 7:
            let double = Double(bitPattern: random.next())
            return double.isFinite ? double.description : "0.5"
        default: return Self.quoted(text())
        }
    }

    mutating func value(depth: Int) -> Node {
        switch depth == 0 ? 0 : random.below(3) {
        case 0: return .scalar(scalar())
        case 1: return .array((0..<random.below(6)).map { _ in value(depth: depth - 1) })
        default:
            var keys = Self.keys
            keys.shuffle(using: &random)
            return .object(keys.prefix(random.below(7)).map { ($0, value(depth: depth - 1)) })
        }
    }

    mutating func variation(of node: Node) -> Node {
        if random.below(12) == 0 { return value(depth: 2) }
        switch node {
        case .scalar(let text):
            guard text.hasPrefix("\""), text.utf8.count > 2 else { return random.below(4) == 0 ? .scalar(scalar()) : node }
            var content = Array(text.dropFirst().dropLast().unicodeScalars)
            // Escapes are left whole: only what stands between other letters is changed.
            for _ in 0..<random.below(3) {
                let place = random.below(content.count + 1)
                guard place == 0 || !content[max(0, place - 6)..<place].contains("\\") else { continue }
                content.insert(contentsOf: random.element(of: ["é", "X", "日本", "quick ", "😁"]).unicodeScalars, at: place)
            }
            return .scalar("\"" + String(String.UnicodeScalarView(content)) + "\"")
        case .array(var items):
            items = items.map { variation(of: $0) }
            if random.below(3) == 0, !items.isEmpty { items.remove(at: random.below(items.count)) }
            if random.below(3) == 0 { items.insert(value(depth: 1), at: random.below(items.count + 1)) }
            return .array(items)
        case .object(var members):
            members = members.map { ($0.key, variation(of: $0.value)) }
            if random.below(3) == 0, !members.isEmpty { members.remove(at: random.below(members.count)) }
            if random.below(3) == 0, let key = Self.keys.first(where: { key in !members.contains { $0.key == key } }) {
                members.append((key, value(depth: 1)))
            }
            return .object(members)
        }
    }
}
