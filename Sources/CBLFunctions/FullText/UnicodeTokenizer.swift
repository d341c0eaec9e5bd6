import CBLSystemSQLite

/// The tokenizer `unicodesn` of the vendor's full-text indexes: SQLite's `unicode61` with stop words and Snowball stemmers.
///
/// It cuts text into runs of `TokenCharacters`, folds each with `CaseFolding`, drops stop words (which take up no position), and
/// stems the rest. One belongs to one full-text table of one connection.
final class UnicodeTokenizer {
    private let folding: CaseFolding
    private let stopWords: StopWords?
    private let stemmer: Stemmer?
    // Characters for which `tokenchars` or `separators` turns around what Unicode says.
    private var exceptions: Set<UInt32> = []
    // For each ASCII character, what it folds to, or 0 if it separates.
    private let ascii: UnsafeMutablePointer<UInt8>

    /// Nil when an argument is none that the tokenizer knows.
    init?(arguments: [String]) throws(Stemmer.Missing) {
        var removesDiacritics = true
        var stopWords: StopWords?
        var stemmer: Stemmer?
        for argument in arguments {
            guard let separator = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let value = String(argument[argument.utf8.index(after: separator)...])
            switch (argument[..<separator], value) {
            case ("remove_diacritics", "0"): removesDiacritics = false
            case ("remove_diacritics", "1"): removesDiacritics = true
            case ("tokenchars", _): UnicodeTokenizer.add(value, asTokenCharacters: true, to: &exceptions)
            case ("separators", _): UnicodeTokenizer.add(value, asTokenCharacters: false, to: &exceptions)
            case ("stemmer", _): stemmer = try Stemmer(value)
            // The first list that is one counts.
            case ("stopwords", _): stopWords = stopWords ?? StopWords(language: value)
            case ("stopwordlist", _): stopWords = stopWords ?? Array(value.utf8).withUnsafeBytes(StopWords.init(list:))
            default: return nil
            }
        }
        self.folding = removesDiacritics ? .withoutDiacritics : .plain
        self.stopWords = stopWords
        self.stemmer = stemmer
        ascii = .allocate(capacity: 128)
        for scalar in UInt32(0)..<128 {
            let isToken = TokenCharacters.unicode61.contains(scalar) != exceptions.contains(scalar)
            ascii[Int(scalar)] = isToken ? UInt8(truncatingIfNeeded: folding.fold(scalar)) : 0
        }
    }

    deinit { ascii.deallocate() }

    private static func add(_ characters: String, asTokenCharacters: Bool, to exceptions: inout Set<UInt32>) {
        for scalar in characters.unicodeScalars.map(\.value) {
            if TokenCharacters.unicode61.contains(scalar) != asTokenCharacters && !CaseFolding.isDiacritic(scalar) {
                exceptions.insert(scalar)
            }
        }
    }

    private func isTokenCharacter(_ scalar: UInt32) -> Bool {
        TokenCharacters.unicode61.contains(scalar) != (!exceptions.isEmpty && exceptions.contains(scalar))
    }

    struct Token {
        var bytes: UnsafeRawBufferPointer
        var start: Int
        var end: Int
    }

    /// The next token at or after `offset`, which moves on; nil at the end of the text. Its bytes lie in `buffer`.
    func next(in text: UnsafeRawBufferPointer, from offset: inout Int, into buffer: inout TokenBuffer) -> Token? {
        var reader = TextReader(text, at: offset)
        while true {
            var start = reader.offset
            var scalar = UInt32(0)
            var output = UInt32(0)
            // Separators before the token.
            while true {
                start = reader.offset
                guard let next = reader.next() else {
                    offset = text.count
                    return nil
                }
                scalar = next
                output = folded(scalar)
                if output != separator { break }
            }
            buffer.removeAll()
            var end = reader.offset
            var follower = UInt32(0)
            while true {
                if output != dropped { buffer.append(output) }
                end = reader.offset
                guard let next = reader.next() else {
                    follower = 0
                    break
                }
                follower = next
                output = folded(next)
                if output == separator {
                    guard CaseFolding.isDiacritic(next) else { break }
                    output = folding.fold(next)
                    if output == 0 { output = dropped }
                }
            }
            let word = buffer.bytes
            // "the*" in a query asks for all words that begin so, of which not all are stop words.
            let isPrefix = follower == UInt32(UInt8(ascii: "*")) && FullTextQuery.isRunning
            if let stopWords, !isPrefix, stopWords.contains(word) { continue }
            offset = reader.offset
            stemmer?.stem(&buffer)
            return Token(bytes: buffer.bytes, start: start, end: end)
        }
    }

    // No character of Unicode, so they can stand beside folded ones.
    private let separator: UInt32 = .max
    private let dropped: UInt32 = .max - 1

    @inline(__always)
    private func folded(_ scalar: UInt32) -> UInt32 {
        if scalar < 128 {
            let byte = ascii[Int(scalar)]
            return byte == 0 ? separator : UInt32(byte)
        }
        guard isTokenCharacter(scalar) else { return separator }
        let output = folding.fold(scalar)
        return output == 0 ? dropped : output
    }
}

/// Reads characters as SQLite reads UTF-8: damaged text gives some character for every byte, never an error.
struct TextReader {
    private let text: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ text: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.text = text
        self.offset = offset
    }

    @inline(__always)
    mutating func next() -> UInt32? {
        guard offset < text.count else { return nil }
        let lead = text[offset]
        offset += 1
        return lead < 0xC0 ? UInt32(lead) : continued(lead)
    }

    private mutating func continued(_ lead: UInt8) -> UInt32 {
        var scalar: UInt32
        switch lead {
        case ..<0xE0: scalar = UInt32(lead & 0x1F)
        case ..<0xF0: scalar = UInt32(lead & 0x0F)
        case ..<0xF8: scalar = UInt32(lead & 0x07)
        case ..<0xFC: scalar = UInt32(lead & 0x03)
        case 0xFD: scalar = 1
        default: scalar = 0
        }
        while offset < text.count, text[offset] & 0xC0 == 0x80 {
            scalar = scalar &<< 6 | UInt32(text[offset] & 0x3F)
            offset += 1
        }
        let isNone = scalar < 0x80 || scalar & 0xFFFF_F800 == 0xD800 || scalar & 0xFFFF_FFFE == 0xFFFE
        return isNone ? 0xFFFD : scalar
    }
}

/// The bytes of one token, in memory that is used again for the next.
struct TokenBuffer {
    private(set) var start: UnsafeMutableRawPointer?
    private(set) var count = 0
    private(set) var capacity = 0

    init() {}

    /// Takes over memory that an earlier buffer left.
    init(start: UnsafeMutableRawPointer?, capacity: Int) {
        self.start = start
        self.capacity = capacity
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { count = 0 }

    /// The new bytes must not lie in this buffer.
    mutating func replace(with bytes: UnsafeRawBufferPointer) {
        count = 0
        append(bytes)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        guard let start, let source = bytes.baseAddress else { return }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    mutating func append(_ scalar: UInt32) {
        reserve(4)
        guard let out = start?.assumingMemoryBound(to: UInt8.self) else { return }
        switch scalar {
        case ..<0x80:
            out[count] = UInt8(scalar)
            count += 1
        case ..<0x800:
            out[count] = UInt8(0xC0 | scalar >> 6)
            out[count + 1] = UInt8(0x80 | scalar & 0x3F)
            count += 2
        case ..<0x10000:
            out[count] = UInt8(0xE0 | scalar >> 12)
            out[count + 1] = UInt8(0x80 | scalar >> 6 & 0x3F)
            out[count + 2] = UInt8(0x80 | scalar & 0x3F)
            count += 3
        default:
            out[count] = UInt8(0xF0 | scalar >> 18 & 0x07)
            out[count + 1] = UInt8(0x80 | scalar >> 12 & 0x3F)
            out[count + 2] = UInt8(0x80 | scalar >> 6 & 0x3F)
            out[count + 3] = UInt8(0x80 | scalar & 0x3F)
            count += 4
        }
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(count + more) }
    }

    private mutating func grow(_ needed: Int) {
        capacity = max(64, capacity * 2, needed)
        let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        if let start {
            new.copyMemory(from: start, byteCount: count)
            start.deallocate()
        }
        start = new
    }

    mutating func deallocate() {
        start?.deallocate()
        self = TokenBuffer()
    }
}
