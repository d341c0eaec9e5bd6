/// A reader of bytes from outside, as a fuzzer uses it.
package struct FuzzedReader: Sendable, CustomStringConvertible {
    package let name: String
    /// What it reads, in a few words.
    package let subject: String
    /// Inputs that it accepts; a fuzzer begins with them.
    package let seeds: [[UInt8]]
    /// Others to begin with, which it may refuse.
    package let others: [[UInt8]]
    /// The longest input that is worth trying.
    package let mostBytes: Int
    private let read: @Sendable ([UInt8]) throws -> Bool

    package var description: String { name }

    /// `read` says whether it accepted an input. An error is a refusal. What must never be ends the program (`require`).
    init(
        _ name: String, _ subject: String, mostBytes: Int = 4096, seeds: [[UInt8]], others: [[UInt8]] = [],
        _ read: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.name = name
        self.subject = subject
        self.mostBytes = mostBytes
        self.seeds = seeds
        self.others = others
        self.read = read
    }

    init(
        _ name: String, _ subject: String, mostBytes: Int = 4096, texts: [String], others: [String] = [],
        _ read: @escaping @Sendable ([UInt8]) throws -> Bool
    ) {
        self.init(name, subject, mostBytes: mostBytes, seeds: texts.map { Array($0.utf8) }, others: others.map { Array($0.utf8) }, read)
    }

    @discardableResult
    package func accepts(_ bytes: [UInt8]) -> Bool { (try? read(bytes)) ?? false }

    package static let all = values + revisions + queries + messages + network + files + schemas
}

/// Ends the program if a claim about a reader does not hold. The fuzzer keeps the input.
func require(_ claim: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) {
    if !claim { fatalError(message(), file: file, line: line) }
}

/// Memory that ends where the bytes end, so that the address sanitizer sees what reads on.
func withCopy<Result>(of bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try body(UnsafeRawBufferPointer(copy))
}

/// Takes an input apart that stands for several things.
struct InputParts {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// As many bytes as the next one says.
    mutating func piece() -> [UInt8] {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    /// An input whose first parts are these.
    static func joined(_ pieces: [[UInt8]], _ remainder: [UInt8] = []) -> [UInt8] {
        pieces.flatMap { [UInt8($0.count)] + $0 } + remainder
    }
}
