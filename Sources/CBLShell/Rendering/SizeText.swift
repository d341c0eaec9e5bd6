import CBLFleece

/// Sizes for people.
enum SizeText {
    /// `0.008K`, `0.2K`, `3.4K`, `120K`: in units of 1024 bytes, with as many digits as say something. Hot: once for each row of `ls -l`.
    static func append(kilobytes size: Int, to buffer: inout ByteBuffer) {
        if size < 1 { return buffer.append("0K") }
        if size < 1024 { return appendFraction(millionths: (size * 1_000_000 + 512) / 1024, to: &buffer) }
        let tenths = (size / 1024 * 10) + (size % 1024 * 10 + 512) / 1024
        if tenths >= 100 {
            buffer.append(decimal: Int64((tenths + 5) / 10))
        } else {
            buffer.append(decimal: Int64(tenths / 10))
            if tenths % 10 > 0 {
                buffer.append(UInt8(ascii: "."))
                buffer.append(decimal: Int64(tenths % 10))
            }
        }
        buffer.append(UInt8(ascii: "K"))
    }

    /// A number below one, rounded to its first digit.
    private static func appendFraction(millionths: Int, to buffer: inout ByteBuffer) {
        var step = 1
        var decimals = 6
        while millionths >= step * 10 {
            step *= 10
            decimals -= 1
        }
        var digit = (millionths + step / 2) / step
        if digit == 10 {
            digit = 1
            decimals -= 1
        }
        if decimals > 0 {
            buffer.append(UInt8(ascii: "0"))
            buffer.append(UInt8(ascii: "."))
            for _ in 1..<decimals { buffer.append(UInt8(ascii: "0")) }
        }
        buffer.append(UInt8(ascii: "0") + UInt8(digit))
        buffer.append(UInt8(ascii: "K"))
    }

    /// `812 bytes`, `14.2 KB`, `1.3 GB`.
    static func text(_ size: Int) -> String {
        if size < 1000 { return size == 1 ? "1 byte" : "\(size) bytes" }
        var tenths = size / 100
        for unit in ["KB", "MB", "GB"] {
            if tenths < 10_000 { return tenths < 1000 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)" }
            tenths /= 1000
        }
        return "\(tenths / 10).\(tenths % 10) TB"
    }
}
