internal import CBLSystemICU
import CBLSystemSQLite

/// Compares text as the vendor's Unicode collations do: a fast rule of its own while both texts are ASCII, ICU for all else.
///
/// One belongs to one connection. It is called for every step of every search in an index.
final class UnicodeCollation {
    let name: CollationName
    // Each ASCII character's place in the order; the two forms of a letter share one.
    private let ranks: UnsafePointer<UInt8>
    private var collator: OpaquePointer?
    /// Why the last comparison could not be made.
    private(set) var failure: ICU.Missing?

    init(_ name: CollationName) {
        self.name = name
        ranks = UnicodeCollation.ranks
    }

    deinit {
        if let collator, let icu = try? ICU.load() { icu.functions.collator_close?(collator) }
    }

    /// Negative, zero or positive, as the first text sorts before, with or after the second.
    func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int32 {
        let common = min(first.count, second.count)
        guard common > 0, let a = first.baseAddress, let b = second.baseAddress else {
            return first.count == second.count ? 0 : first.count < second.count ? -1 : 1
        }
        var index = 0
        while index + 8 <= common {
            let word = a.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word != b.loadUnaligned(fromByteOffset: index, as: UInt64.self) || word & 0x8080_8080_8080_8080 != 0 { break }
            index += 8
        }
        var caseDifference: Int32 = 0
        while index < common {
            let x = a.load(fromByteOffset: index, as: UInt8.self)
            let y = b.load(fromByteOffset: index, as: UInt8.self)
            if x | y >= 0x80 { return compareByLocale(first, second) }
            if x != y {
                let (rankOfX, rankOfY) = (ranks[Int(x)], ranks[Int(y)])
                if rankOfX != rankOfY { return rankOfX < rankOfY ? -1 : 1 }
                if caseDifference == 0 { caseDifference = x > y ? -1 : 1 }
            }
            index += 1
        }
        if first.count != second.count { return first.count < second.count ? -1 : 1 }
        return name.ignoresCase ? 0 : caseDifference
    }

    /// By the locale's rules, whatever the texts are.
    func compareByLocale(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int32 {
        do throws(ICU.Missing) {
            let icu = try ICU.load()
            if collator == nil { collator = try open(icu) }
            var status = cblite_icu_no_error
            let order = icu.functions.collator_compare(
                collator, first.assumingMemoryBound(to: CChar.self).baseAddress, Int32(truncatingIfNeeded: first.count),
                second.assumingMemoryBound(to: CChar.self).baseAddress, Int32(truncatingIfNeeded: second.count), &status)
            return order
        } catch {
            failure = error
            return 0
        }
    }

    private func open(_ icu: ICU) throws(ICU.Missing) -> OpaquePointer {
        var status = cblite_icu_no_error
        guard let collator = icu.functions.collator_open(name.locale, &status), !ICU.isFailure(status) else {
            throw ICU.Missing(message: "the Unicode library has no collation for the locale \"\(name.locale)\"")
        }
        let strength =
            switch (name.ignoresCase, name.ignoresDiacritics) {
            case (false, false): cblite_icu_tertiary
            case (true, false): cblite_icu_secondary
            case (_, true): cblite_icu_primary
            }
        icu.functions.collator_set_attribute(collator, cblite_icu_strength, strength, &status)
        if name.ignoresDiacritics && !name.ignoresCase {
            icu.functions.collator_set_attribute(collator, cblite_icu_case_level, cblite_icu_on, &status)
        }
        return collator
    }

    nonisolated(unsafe) private static let ranks: UnsafePointer<UInt8> = {
        let ranks = UnsafeMutablePointer<UInt8>.allocate(capacity: 128)
        ranks.initialize(repeating: 0, count: 128)
        let order = Array("\t\n\r `^_-,;:!?.'\"()[]{}@*/\\&#%+<=>|~$0123456789".utf8)
        var rank: UInt8 = 1
        for byte in order {
            ranks[Int(byte)] = rank
            rank += 1
        }
        for letter in 0..<26 {
            ranks[0x61 + letter] = rank
            ranks[0x41 + letter] = rank
            rank += 1
        }
        for byte in 0..<128 where ranks[byte] == 0 {
            ranks[byte] = rank
            rank += 1
        }
        return UnsafePointer(ranks)
    }()
}
