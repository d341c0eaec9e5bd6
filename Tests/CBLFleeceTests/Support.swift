@testable import CBLFleece

/// The bytes that hexadecimal digits spell; blanks are for the reader.
func hex(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
        guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { continue }
        if let first = high {
            bytes.append(first << 4 | UInt8(digit))
            high = nil
        } else {
            high = UInt8(digit)
        }
    }
    return bytes
}

func hex(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

extension FleeceData {
    var hexadecimal: String { hex(bytes) }
}

extension String {
    /// Without the blanks that make a vector legible.
    var packed: String { filter { $0 != " " } }
}
