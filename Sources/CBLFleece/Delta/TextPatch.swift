import CBLBase

/// The changes from one string to another, as a sequence of operations on bytes: `12=` copies, `5-` skips, and `4+text|` inserts.
enum TextPatch {
    /// Shorter strings are replaced: a patch would save nothing.
    static let shortestText = 60

    /// Appends the operations that turn `old` into `new`. False, and nothing appended, if that is not worth it.
    static func create(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, work: inout Int, into patch: inout ByteBuffer
    ) -> Bool {
        guard new.count >= shortestText, isUTF8(old), isUTF8(new) else { return false }
        let matches = TextDiff.matches(old, new, work: &work)
        let start = patch.count
        var oldPlace = 0
        var newPlace = 0
        for match in matches {
            append(skip: match.oldStart - oldPlace, insert: new[newPlace..<match.newStart], to: &patch)
            if match.length > 0 { append(match.length, UInt8(ascii: "="), to: &patch) }
            oldPlace = match.oldEnd
            newPlace = match.newEnd
            // Around the operations the delta has `["` and `",0,2]`, and not much less around a string.
            if patch.count - start + 6 >= new.count { break }
        }
        append(skip: old.count - oldPlace, insert: new[newPlace...], to: &patch)
        if patch.count - start + 6 < new.count { return true }
        patch.truncate(to: start)
        return false
    }

    private static func append(skip: Int, insert: Slice<UnsafeRawBufferPointer>, to patch: inout ByteBuffer) {
        if skip > 0 { append(skip, UInt8(ascii: "-"), to: &patch) }
        if insert.isEmpty { return }
        append(insert.count, UInt8(ascii: "+"), to: &patch)
        patch.append(UnsafeRawBufferPointer(rebasing: insert))
        patch.append(UInt8(ascii: "|"))
    }

    private static func append(_ length: Int, _ operation: UInt8, to patch: inout ByteBuffer) {
        patch.append(decimal: Int64(length))
        patch.append(operation)
    }

    /// Appends what becomes of `old`. The operations must use up all of it, and the result must be UTF-8.
    static func apply(_ patch: UnsafeRawBufferPointer, to old: UnsafeRawBufferPointer, into result: inout ByteBuffer) throws(DeltaError) {
        let start = result.count
        var place = 0
        var oldPlace = 0
        while true {
            while place < patch.count, patch[place] == UInt8(ascii: " ") { place += 1 }
            guard place < patch.count else { break }
            let length = try number(in: patch, at: &place)
            guard place < patch.count else { throw DeltaError("the text patch ends within an operation") }
            let operation = patch[place]
            place += 1
            switch operation {
            case UInt8(ascii: "="), UInt8(ascii: "-"):
                guard length <= old.count - oldPlace else { throw DeltaError("the text patch reaches beyond the end of the old string") }
                if operation == UInt8(ascii: "=") { result.append(UnsafeRawBufferPointer(rebasing: old[oldPlace..<oldPlace + length])) }
                oldPlace += length
            case UInt8(ascii: "+"):
                guard length < patch.count - place, patch[place + length] == UInt8(ascii: "|") else {
                    throw DeltaError("an insertion of the text patch has no '|' where it should end")
                }
                result.append(UnsafeRawBufferPointer(rebasing: patch[place..<place + length]))
                place += length + 1
            default:
                throw DeltaError("unknown operation in the text patch")
            }
        }
        guard oldPlace == old.count else { throw DeltaError("the text patch does not use up the old string") }
        guard isUTF8(UnsafeRawBufferPointer(rebasing: result.bytes[start...])) else {
            throw DeltaError("the text patch cuts a character in two")
        }
    }

    private static func number(in patch: UnsafeRawBufferPointer, at place: inout Int) throws(DeltaError) -> Int {
        var value = 0
        let start = place
        while place < patch.count, patch[place].isDecimalDigit {
            // No string is as long as this, so a larger number fails in the comparison that follows.
            if value < 1 << 40 { value = value * 10 + Int(patch[place] - UInt8(ascii: "0")) }
            place += 1
        }
        guard place > start else { throw DeltaError("a length is missing in the text patch") }
        return value
    }
}
