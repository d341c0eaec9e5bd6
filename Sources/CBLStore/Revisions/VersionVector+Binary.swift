import CBLBase

// 0, then every version; the current and the merged ones carry a mark.
extension VersionVector {
    package init(binary bytes: UnsafeRawBufferPointer) throws(RevisionError) {
        func bad(_ reason: String) -> RevisionError { .badID(Hex.text(of: bytes), reason: reason) }
        guard bytes.first == 0, bytes.count > 1 else { throw bad("it is not a version vector") }
        var position = 1
        var versions: [Version] = []
        var marked = 0
        while position < bytes.count {
            guard let (version, isMarked) = Version.read(bytes, at: &position, after: versions.last) else {
                throw bad("a version is damaged")
            }
            if isMarked {
                guard marked == versions.count else { throw bad("its current versions do not stand together") }
                marked += 1
            }
            versions.append(version)
        }
        // A lone version, as revision IDs are passed around, has no mark.
        self.init(unchecked: versions, currentCount: max(marked, 1))
        if let reason = invalidity { throw bad(reason) }
    }

    package init(binary bytes: [UInt8]) throws(RevisionError) {
        let result = bytes.withUnsafeBytes { bytes in Result { () throws(RevisionError) in try VersionVector(binary: bytes) } }
        self = try result.get()
    }

    /// What the column `version` holds.
    package var binary: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 + versions.count * Version.maximumBinaryLength) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            let output = UnsafeMutableRawPointer(start)
            output.storeBytes(of: 0, as: UInt8.self)
            count = 1
            var previous: Version?
            for (place, version) in versions.enumerated() {
                count += version.write(to: output + count, after: previous, isMarked: place < currentCount)
                previous = version
            }
        }
    }
}
