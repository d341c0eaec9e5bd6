internal import CBLFunctions
import Foundation

/// Dates as documents hold them, to the millisecond.
package enum ISO8601 {
    /// In UTC, such as `2026-11-23T06:31:58.000Z`.
    package static func text(_ date: Date) -> String { DateText.preciseText(milliseconds(date)) }

    package static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { DateText.localInstant(UnsafeRawBufferPointer($0)) }.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// Since 1970, the nearest one: as Foundation's formatters write a date.
    static func milliseconds(_ date: Date) -> Int64 { Int64(cutting: (date.timeIntervalSince1970 * 1000 + 0.5).rounded(.down)) }
}
