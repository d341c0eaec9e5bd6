import CBLFleece
internal import CBLSystemICU
import CBLSystemSQLite

/// The string functions of SQL++.
enum StringFunctions {
    static let rows = [
        FunctionRow("concat", -1) { Call($0, $1, $2).concatenate() },
        FunctionRow("contains", 2) { Call($0, $1, $2).containsText() },
        FunctionRow("contains", 3) { Call($0, $1, $2).containsText() },
        FunctionRow("fl_like", 2) { Call($0, $1, $2).like() },
        FunctionRow("fl_like", 3) { Call($0, $1, $2).like() },
        FunctionRow("N1QL_length", 1) { (context, count, values) in
            let call = Call(context, count, values)
            if call.propagates() { return }
            guard let text = call[0].text else { return call.setNull() }
            call.set(Int64(text.count { $0 & 0xC0 != 0x80 }))
        },
        FunctionRow("N1QL_lower", 1) { Call($0, $1, $2).changeCase(toUpper: false) },
        FunctionRow("N1QL_upper", 1) { Call($0, $1, $2).changeCase(toUpper: true) },
        FunctionRow("N1QL_trim", 1) { Call($0, $1, $2).trim(left: true, right: true) },
        FunctionRow("N1QL_ltrim", 1) { Call($0, $1, $2).trim(left: true, right: false) },
        FunctionRow("N1QL_rtrim", 1) { Call($0, $1, $2).trim(left: false, right: true) },
        FunctionRow("N1QL_trim", 2) { Call($0, $1, $2).refuseTrimSet() },
        FunctionRow("N1QL_ltrim", 2) { Call($0, $1, $2).refuseTrimSet() },
        FunctionRow("N1QL_rtrim", 2) { Call($0, $1, $2).refuseTrimSet() },
    ]
}

extension Call {
    fileprivate func concatenate() {
        guard count >= 2 else { return fail("concat() requires two or more parameters") }
        let output = database.text
        output.buffer.removeAll()
        for index in 0..<count {
            if self[index].isMissing { return setMissing() }
            append(self[index], to: &output.buffer)
            guard output.buffer.count <= byteLimit else { return failTooBig() }
        }
        set(text: output.buffer.bytes)
    }

    fileprivate func containsText() {
        if propagates(2) { return }
        guard let text = self[0].text, let part = self[1].text else { return set(false) }
        guard let collation = collation(2) else { return }
        let found = TextPattern.contains(text, part, collation)
        report(collation, isDone: found != nil) ?? set(found == true)
    }

    fileprivate func like() {
        if propagates(2) { return }
        guard let text = self[0].matchText, let pattern = self[1].matchText else { return set(false) }
        guard let collation = collation(2) else { return }
        let matches = TextPattern.isLike(text, pattern, collation)
        report(collation, isDone: matches != nil) ?? set(matches == true)
    }

    /// The collation that an argument names, kept by the statement. Text is compared by Unicode's rules whatever the name says, which only
    /// tells whether case and diacritics count.
    private func collation(_ index: Int) -> UnicodeCollation? {
        if let kept = sqlite3_get_auxdata(context, Int32(index)) {
            return Unmanaged<UnicodeCollation>.fromOpaque(kept).takeUnretainedValue()
        }
        let name = index < count ? self[index].string ?? "" : "BINARY"
        guard let parsed = CollationName(name) else {
            fail("no such collation: \(name)")
            return nil
        }
        let collation = UnicodeCollation(parsed)
        sqlite3_set_auxdata(context, Int32(index), Unmanaged.passRetained(collation).toOpaque()) {
            if let object = $0 { Unmanaged<UnicodeCollation>.fromOpaque(object).release() }
        }
        return collation
    }

    /// Reports what kept a collation from comparing, or from coming to an end; nil if nothing did.
    private func report(_ collation: UnicodeCollation, isDone: Bool) -> Void? {
        if !isDone { return failTakingTooLong("the search in a text") }
        guard let failure = collation.failure else { return nil }
        return fail(failure.message)
    }

    fileprivate func changeCase(toUpper: Bool) {
        if propagates() { return }
        guard let text = self[0].text else { return setNull() }
        let output = database.text
        output.buffer.removeAll()
        if text.allSatisfy({ $0 < 0x80 }) {
            for byte in text {
                let isOther = toUpper ? (0x61...0x7A).contains(byte) : (0x41...0x5A).contains(byte)
                output.buffer.append(isOther ? byte ^ 0x20 : byte)
            }
            return set(text: output.buffer.bytes)
        }
        do throws(ICU.Missing) {
            let icu = try ICU.load()
            var status = cblite_icu_no_error
            guard let map = ICU.rootCaseMap(icu) else { return fail("the Unicode library has no case mapping") }
            // No character grows to more than three times its bytes.
            var changed = [CChar](repeating: 0, count: text.count * 3 + 16)
            let capacity = Int32(truncatingIfNeeded: changed.count)
            let convert = toUpper ? icu.functions.upper : icu.functions.lower
            let length = convert?(
                map, &changed, capacity, text.assumingMemoryBound(to: CChar.self).baseAddress, Int32(text.count), &status)
            guard let length, !ICU.isFailure(status), length >= 0, length <= capacity else { return fail("the case cannot be changed") }
            changed.withUnsafeBytes { set(text: UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) }
        } catch {
            fail(error.message)
        }
    }

    fileprivate func trim(left: Bool, right: Bool) {
        guard var text = self[0].text else { return set(self[0]) }
        if left {
            while let width = text.leadingBlank { text = UnsafeRawBufferPointer(rebasing: text[width...]) }
        }
        if right {
            while let width = text.trailingBlank { text = UnsafeRawBufferPointer(rebasing: text[..<(text.count - width)]) }
        }
        set(text: text)
    }

    fileprivate func refuseTrimSet() { fail("two-parameter trim() is unimplemented") }
}

extension Argument {
    /// Text, or the digits of a number; nil for all else.
    fileprivate var matchText: UnsafeRawBufferPointer? {
        guard isText || isNumber, let start = sqlite3_value_text(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}

extension UnsafeRawBufferPointer {
    /// The number of bytes of the white space character that this begins with; nil if it does not.
    fileprivate var leadingBlank: Int? {
        guard let first else { return nil }
        if first < 0x80 { return first == 0x20 || (0x09...0x0D).contains(first) ? 1 : nil }
        var reader = TextReader(self)
        guard let scalar = reader.next().flatMap(Unicode.Scalar.init), scalar.properties.isWhitespace else { return nil }
        return reader.offset
    }

    fileprivate var trailingBlank: Int? {
        guard var start = indices.last else { return nil }
        while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
        let last = UnsafeRawBufferPointer(rebasing: self[start...])
        return last.leadingBlank == last.count ? last.count : nil
    }
}
