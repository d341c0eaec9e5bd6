extension PropertyPath {
    /// `.contact.emails[0]`; the whole document is `.`, and `a.*` is `.a.`.
    package var jsonForm: String {
        var text = ""
        for component in components {
            switch component {
            case .name(let name): text += "." + PropertyPath.escaped(name)
            case .index(let index): text += "[\(index)]"
            }
        }
        return endsInStar || text.isEmpty ? text + "." : text
    }

    /// A name as it stands in a path: with a backslash before what would end it. A backslash itself gets none, as with the vendor.
    static func escaped(_ name: String) -> String {
        func isSpecial(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "[") }
        guard name.utf8.contains(where: isSpecial) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if isSpecial(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
