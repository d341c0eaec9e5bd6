import CBLBase

/// A change, named by when and by whom: `18e9d1d110b40000@*`. The time is a hybrid logical one (see `HybridClock`).
package struct Version: Hashable, Sendable, CustomStringConvertible {
    package var time: UInt64
    package var source: SourceID

    package init(time: UInt64, source: SourceID) {
        self.time = time
        self.source = source
    }

    /// Times beyond are refused: they would not survive the binary form.
    static let maximumTime = UInt64(Int64.max)
    static let maximumTextLength = 16 + 1 + 24

    package init(parsing text: String) throws(RevisionError) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(RevisionError) in try Version(text: UnsafeRawBufferPointer(bytes)) }
        }
        self = try result.get()
    }

    init(text: UnsafeRawBufferPointer) throws(RevisionError) {
        func bad(_ reason: String) -> RevisionError { .badID(String(decoding: text, as: UTF8.self), reason: reason) }
        guard let at = text.firstIndex(of: UInt8(ascii: "@")) else { throw bad("a version needs an @") }
        guard (1...16).contains(at) else { throw bad("the time must be 1 to 16 digits") }
        var time: UInt64 = 0
        for digit in text[..<at] {
            guard let value = Hex.value(ofDigit: digit) else { throw bad("the time must be lower-case hexadecimal") }
            time = time << 4 | UInt64(value)
        }
        guard text[0] != UInt8(ascii: "0") else { throw bad("the time begins with a zero") }
        guard time <= Version.maximumTime else { throw bad("the time is too large") }
        self.init(time: time, source: try SourceID(text: UnsafeRawBufferPointer(rebasing: text[(at + 1)...])))
    }

    /// Writes the text and gives its length, at most `maximumTextLength`.
    func writeText(to output: UnsafeMutableRawPointer) -> Int {
        let digits = max(1, (UInt64.bitWidth - time.leadingZeroBitCount + 3) / 4)
        for index in 0..<digits {
            let nibble = UInt8(truncatingIfNeeded: time >> UInt64(4 * (digits - 1 - index))) & 15
            output.storeBytes(of: Hex.digit(nibble), toByteOffset: index, as: UInt8.self)
        }
        output.storeBytes(of: UInt8(ascii: "@"), toByteOffset: digits, as: UInt8.self)
        return digits + 1 + source.writeText(to: output + digits + 1)
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Version.maximumTextLength) { output in
            guard let start = output.baseAddress else { return 0 }
            return writeText(to: UnsafeMutableRawPointer(start))
        }
    }
}

extension Version {
    /// Which of two is to stay where nothing else decides.
    package func isLater(than other: Version) -> Bool { time != other.time ? time > other.time : other.source < source }
}
