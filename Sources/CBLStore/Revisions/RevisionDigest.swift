import CBLBase

// How a new tree revision gets its ID: the same content under the same parent has the same ID on every device.
extension RevisionID {
    /// The ID of a new child of a revision, or of a first revision, made of what it says: its body as canonical JSON.
    ///
    /// Nil if the parent is not a tree ID, or already of the last generation.
    package static func next(after parent: RevisionID?, isDeleted: Bool, canonicalJSON body: UnsafeRawBufferPointer) -> RevisionID? {
        var sha1 = SHA1()
        var generation: UInt32 = 1
        if let parent {
            guard !parent.isVersion, parent.generation < UInt32.max else { return nil }
            generation = parent.generation + 1
            withUnsafeTemporaryAllocation(byteCount: maximumTextLength, alignment: 1) { buffer in
                guard let start = buffer.baseAddress else { return }
                let length = parent.withBinary { writeText(ofColumn: $0, to: start) }
                sha1.update(UInt8(length))
                sha1.update(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
            }
        } else {
            sha1.update(0)
        }
        sha1.update(isDeleted ? 1 : 0)
        sha1.update(body)
        return sha1.finish().withBytes { RevisionID(generation: generation, digest: $0) }
    }

    /// The ID of the tombstone that follows a revision.
    package static func tombstone(after parent: RevisionID) -> RevisionID? {
        next(after: parent, isDeleted: true, canonicalJSON: UnsafeRawBufferPointer(emptyJSON.utf8Bytes))
    }

    private static let emptyJSON: StaticString = "{}"
}

extension StaticString {
    var utf8Bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
