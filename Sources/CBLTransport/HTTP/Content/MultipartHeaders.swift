extension HTTPHeaders {
    /// Of a part, up to the empty line. They come by mail as well, so there may be blanks in front of a name, and behind it.
    init(part bytes: [UInt8]) throws(MultipartFailure) {
        self.init()
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0D) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard rest.popFirst() == 0x0A else { throw .malformed("a line in the headers of a part does not end with CR and LF") }
            if line.isEmpty { continue }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("a header of a part has no name") }
            let name = trimmed(String(decoding: line[..<colon], as: UTF8.self))
            let value = trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self))
            guard HTTPHeaders.isWritable(name: name, value: value) else { throw .malformed("a header of a part cannot be one") }
            guard fields.count < HTTPHeadReader.maximumFields else { throw .tooMuch("a part has too many headers") }
            add(name, value)
        }
    }
}
