import CBLBase
import CBLFleece

extension RevisionID {
    /// No text form is longer.
    package static let maximumTextLength = 10 + 1 + 2 * maximumLength

    /// `1-abcd` or `18e9d1d110b40000@*`.
    package init(parsing text: String) throws(RevisionError) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(RevisionError) in try RevisionID(text: UnsafeRawBufferPointer(bytes)) }
        }
        self = try result.get()
    }

    package init(text: UnsafeRawBufferPointer) throws(RevisionError) {
        if text.contains(UInt8(ascii: "@")) {
            self.init(try Version(text: text))
            return
        }
        func bad(_ reason: String) -> RevisionError { .badID(String(decoding: text, as: UTF8.self), reason: reason) }
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { throw bad("it has neither - nor @") }
        guard (1...10).contains(dash) else { throw bad("the generation must be 1 to 10 digits") }
        var generation: UInt64 = 0
        for digit in text[..<dash] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw bad("the generation is not a number") }
            generation = generation * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        guard text[0] != UInt8(ascii: "0") else { throw bad("the generation begins with a zero") }
        guard let generation = UInt32(exactly: generation) else { throw bad("the generation is too large") }
        let digits = text[(dash + 1)...]
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { throw bad("the digest must have an even number of digits") }
        guard digits.count <= 2 * RevisionID.maximumLength else { throw bad("the digest is too long") }
        let id: RevisionID? = try withUnsafeTemporaryAllocation(byteCount: digits.count / 2, alignment: 1) {
            (bytes) -> Result<RevisionID?, RevisionError> in
            for index in 0..<bytes.count {
                guard let high = Hex.value(ofDigit: digits[dash + 1 + 2 * index]),
                    let low = Hex.value(ofDigit: digits[dash + 2 + 2 * index])
                else { return .failure(bad("the digest must be lower-case hexadecimal")) }
                bytes[index] = high << 4 | low
            }
            return .success(RevisionID(generation: generation, digest: UnsafeRawBufferPointer(bytes)))
        }.get()
        guard let id else { throw bad("the digest is too long") }
        self = id
    }

    package var description: String { text }

    package var text: String {
        String(unsafeUninitializedCapacity: RevisionID.maximumTextLength) { output in
            guard let start = output.baseAddress else { return 0 }
            return withBinary { RevisionID.writeText(ofColumn: $0, to: UnsafeMutableRawPointer(start)) }
        }
    }

    /// Appends the text, without making a string of it.
    package func appendText(to buffer: inout ByteBuffer) { withBinary { RevisionID.appendText(ofColumn: $0, to: &buffer) } }

    /// Writes the text of what a `version` column holds, straight from its bytes, and gives its length: 0 if they are damaged.
    /// There must be room for `maximumTextLength` bytes. Hot: it runs once for each row of a listing.
    package static func writeText(ofColumn bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) -> Int {
        guard let first = bytes.first else { return 0 }
        var position = 0
        if first == 0 {
            position = 1
            return Version.read(bytes, at: &position, after: nil)?.version.writeText(to: output) ?? 0
        }
        guard bytes.count <= maximumLength, isTreeID(bytes), let generation = Varint.read(bytes, at: &position) else { return 0 }
        var length = writeDecimal(generation, to: output)
        output.storeBytes(of: UInt8(ascii: "-"), toByteOffset: length, as: UInt8.self)
        length += 1
        return length + Hex.write(UnsafeRawBufferPointer(rebasing: bytes[position...]), to: output + length)
    }

    /// Appends the text of what a `version` column holds; nothing if its bytes are damaged.
    package static func appendText(ofColumn bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        withUnsafeTemporaryAllocation(byteCount: maximumTextLength, alignment: 1) { text in
            guard let start = text.baseAddress else { return }
            let length = writeText(ofColumn: bytes, to: start)
            buffer.append(UnsafeRawBufferPointer(rebasing: text[..<length]))
        }
    }

    private static func writeDecimal(_ number: UInt64, to output: UnsafeMutableRawPointer) -> Int {
        var length = 1
        var rest = number / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        rest = number
        for index in stride(from: length - 1, through: 0, by: -1) {
            output.storeBytes(of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10), toByteOffset: index, as: UInt8.self)
            rest /= 10
        }
        return length
    }
}
