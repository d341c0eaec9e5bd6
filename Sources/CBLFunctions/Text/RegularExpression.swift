import CBLBase
import CBLSQLite
internal import CBLSystemICU

/// A compiled regular expression of ECMAScript. Not for two threads at a time.
package final class RegularExpression {
    package struct Failure: Error {
        package let message: String
        /// How many characters of the pattern stand before the one that is wrong, where that is known.
        package var place: Int?
    }

    /// What a pattern's characters are.
    package enum Units {
        /// Bytes, as the functions of queries have it.
        case bytes
        /// Characters of Unicode, as ECMAScript has it with the flag `u`.
        case characters
    }

    private let icu: ICU
    private let handle: OpaquePointer
    private let kind: Units
    // The text being searched, which ICU does not copy.
    private var units = UnsafeMutableBufferPointer<UInt16>(start: nil, count: 0)
    private var count = 0
    /// When the search in the current text has taken too long, all its matches together.
    private var end = Instant.now
    private static let patience = Duration.seconds(5)

    package init(_ pattern: UnsafeRawBufferPointer, over kind: Units = .bytes, ignoringCase: Bool = false) throws(Failure) {
        self.kind = kind
        do throws(ICU.Missing) { icu = try ICU.load() } catch { throw Failure(message: error.message) }
        let translation = try RegexTranslation(pattern, over: kind)
        let units = translation.units
        var status = cblite_icu_no_error
        var wrong = cblite_parse_error()
        let flags = ignoringCase ? cblite_icu_regex_case_insensitive : 0
        let handle = icu.functions.regex_open(units, Int32(units.count), flags, &wrong, &status)
        guard let handle, !ICU.isFailure(status) else {
            throw translation.failure(reportedAs: status, behind: Int(wrong.offset))
        }
        self.handle = handle
        // Patterns can ask for more steps than there is time, or for more memory than there is.
        icu.functions.regex_set_time_limit(handle, 5000, &status)
        icu.functions.regex_set_stack_limit(handle, 16 << 20, &status)
    }

    deinit {
        icu.functions.regex_close(handle)
        units.deallocate()
    }

    /// Goes to the first match in a text; false if there is none.
    package func find(in text: UnsafeRawBufferPointer) throws(Failure) -> Bool {
        // ICU refuses a text without an address, even if it is empty.
        if units.count < max(text.count, 1) {
            units.deallocate()
            units = .allocate(capacity: max(text.count, 1) * 2)
        }
        end = Instant.now + RegularExpression.patience
        switch kind {
        case .bytes:
            for index in 0..<text.count { units[index] = RegexTranslation.unit(text[index]) }
            count = text.count
        case .characters: count = fillWithCharacters(text)
        }
        var status = cblite_icu_no_error
        icu.functions.regex_set_text(handle, units.baseAddress, Int32(truncatingIfNeeded: count), &status)
        return try check(icu.functions.regex_find(handle, 0, &status), status)
    }

    /// UTF-8 becomes UTF-16, which never has more units than the former has bytes.
    private func fillWithCharacters(_ text: UnsafeRawBufferPointer) -> Int {
        var count = 0
        while count < text.count, text[count] < 0x80 {
            units[count] = UInt16(text[count])
            count += 1
        }
        guard count < text.count else { return count }
        let rest = UnsafeRawBufferPointer(rebasing: text[count...])
        for unit in String(decoding: rest, as: UTF8.self).utf16 where count < units.count {
            units[count] = unit
            count += 1
        }
        return count
    }

    /// Goes to the next match.
    package func findNext() throws(Failure) -> Bool {
        guard Instant.now < end, !Interrupts.isRequested else { throw Failure(message: "the regular expression takes too long") }
        var status = cblite_icu_no_error
        return try check(icu.functions.regex_find_next(handle, &status), status)
    }

    private func check(_ found: Int8, _ status: Int32) throws(Failure) -> Bool {
        switch status {
        case _ where !ICU.isFailure(status): return found != 0
        case cblite_icu_regex_time_out: throw Failure(message: "the regular expression takes too long")
        case cblite_icu_regex_stack_overflow: throw Failure(message: "the regular expression takes too much memory")
        default: throw Failure(message: "the regular expression cannot be searched for (ICU error \(status))")
        }
    }

    /// The units of a group of the current match; 0 is the whole. Nil for a group that took no part.
    package func group(_ number: Int) -> Range<Int>? {
        var status = cblite_icu_no_error
        guard number <= icu.functions.regex_group_count(handle, &status) else { return nil }
        let start = icu.functions.regex_start(handle, Int32(number), &status)
        let end = icu.functions.regex_end(handle, Int32(number), &status)
        guard !ICU.isFailure(status), start >= 0, end >= start else { return nil }
        return Int(start)..<Int(end)
    }
}
