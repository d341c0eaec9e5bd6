import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// The regular-expression functions of SQL++: ECMAScript syntax on the bytes of UTF-8.
enum RegexFunctions {
    static let rows = [
        FunctionRow("regexp_contains", 2) { Call($0, $1, $2).matchesRegex() },
        FunctionRow("regexp_like", 2) { Call($0, $1, $2).matchesRegex() },
        FunctionRow("regexp_position", 2) { Call($0, $1, $2).regexPosition() },
        FunctionRow("regexp_replace", 3) { Call($0, $1, $2).regexReplace() },
        FunctionRow("regexp_replace", 4) { Call($0, $1, $2).regexReplace() },
    ]
}

extension Call {
    /// Runs `work` with the text and the compiled pattern of the arguments, unless they settle the result.
    private func withRegex(_ work: (RegularExpression, UnsafeRawBufferPointer) throws(RegularExpression.Failure) -> Void) {
        if propagates() { return }
        guard let text = self[0].text, let pattern = self[1].text else { return setNull() }
        do throws(RegularExpression.Failure) {
            if let kept = sqlite3_get_auxdata(context, 1) {
                return try work(Unmanaged<RegularExpression>.fromOpaque(kept).takeUnretainedValue(), text)
            }
            let regex = try RegularExpression(pattern)
            sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(regex).toOpaque()) {
                if let object = $0 { Unmanaged<RegularExpression>.fromOpaque(object).release() }
            }
            try work(regex, text)
        } catch {
            if Interrupts.isRequested { return sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
            fail(error.message)
        }
    }

    fileprivate func matchesRegex() {
        withRegex { (regex, text) throws(RegularExpression.Failure) in set(try regex.find(in: text)) }
    }

    fileprivate func regexPosition() {
        withRegex { (regex, text) throws(RegularExpression.Failure) in
            set(try regex.find(in: text) ? Int64(regex.group(0)?.lowerBound ?? 0) : -1)
        }
    }

    fileprivate func regexReplace() {
        withRegex { (regex, text) throws(RegularExpression.Failure) in
            guard let replacement = self[2].text, count < 4 || self[3].isNumber else { return setNull() }
            var rest = count < 4 ? -1 : self[3].int64
            guard rest != 0, try regex.find(in: text) else { return set(self[0]) }
            let output = database.text
            output.buffer.removeAll()
            var copied = 0
            let limit = byteLimit
            repeat {
                guard let match = regex.group(0) else { break }
                guard output.buffer.count <= limit else { return failTooBig() }
                output.buffer.append(slice(text, copied..<match.lowerBound))
                expand(replacement, text, match, after: copied, regex, to: &output.buffer)
                copied = match.upperBound
                rest = rest > 0 ? rest - 1 : rest
            } while try rest == 0 ? false : regex.findNext()
            output.buffer.append(slice(text, copied..<text.count))
            set(text: output.buffer.bytes)
        }
    }

    private func slice(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[range])
    }

    /// Appends a replacement, with `$1`, `$&`, `` $` ``, `$'` and `$$` filled in. `` $` `` is what lies between the previous match and this
    /// one, as in the vendor's library: not, as in ECMAScript, all that is before the match.
    private func expand(
        _ replacement: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ match: Range<Int>, after previous: Int,
        _ regex: RegularExpression,
        to buffer: inout ByteBuffer
    ) {
        var index = 0
        let limit = byteLimit
        while index < replacement.count, buffer.count <= limit {
            let byte = replacement[index]
            index += 1
            guard byte == UInt8(ascii: "$"), index < replacement.count else {
                buffer.append(byte)
                continue
            }
            let next = replacement[index]
            index += 1
            switch next {
            case UInt8(ascii: "$"): buffer.append(byte)
            case UInt8(ascii: "&"): buffer.append(slice(text, match))
            case UInt8(ascii: "`"): buffer.append(slice(text, previous..<match.lowerBound))
            case UInt8(ascii: "'"): buffer.append(slice(text, match.upperBound..<text.count))
            case 0x30...0x39:
                var number = Int(next - 0x30)
                if index < replacement.count, (0x30...0x39).contains(replacement[index]) {
                    number = number * 10 + Int(replacement[index] - 0x30)
                    index += 1
                }
                if let group = regex.group(number) { buffer.append(slice(text, group)) }
            default:
                buffer.append(byte)
                buffer.append(next)
            }
        }
    }
}
