import CBLBase

// Writes what `RevisionTree+Decoding.swift` reads, in the form of a file's generation.
extension RevisionTree {
    /// What releases could read.
    package enum Form: Sendable {
        /// 2.x: the column `body`, all bodies in it.
        case withBodies
        /// 3.0 and 3.1: the column `extra`. The body of the current revision is not in it: it is the column `body`.
        case withoutSeparator
        /// 3.2 and later: and behind the remotes a separator, which older ones refuse, and what remotes refused.
        case current
    }

    func encoded(_ form: Form = .current) -> [UInt8] {
        let firstBody = form == .withBodies ? 0 : 1
        var length = 4 + 4 * (remotes.count + (form == .current ? 1 + rejected.count : 0))
        for (index, revision) in revisions.enumerated() { length += entryLength(revision, withBody: index >= firstBody) }
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            var output = UnsafeMutableRawPointer(start)
            for (index, revision) in revisions.enumerated() { write(revision, withBody: index >= firstBody, to: &output) }
            RevisionTree.put(UInt32(0), to: &output)
            for entry in remotes {
                RevisionTree.put(entry.remote, to: &output)
                RevisionTree.put(UInt16(truncatingIfNeeded: entry.index), to: &output)
            }
            if form == .current {
                RevisionTree.put(UInt32(0), to: &output)
                for index in rejected {
                    RevisionTree.put(UInt16(0), to: &output)
                    RevisionTree.put(UInt16(truncatingIfNeeded: index), to: &output)
                }
            }
            count = output - UnsafeMutableRawPointer(start)
        }
    }

    private func entryLength(_ revision: Revision, withBody: Bool) -> Int {
        RevisionTree.entryHeader + revision.id.withBinary(\.count) + Varint.length(of: revision.sequence)
            + (withBody ? revision.body?.bytes.count ?? 0 : 0)
    }

    private func write(_ revision: Revision, withBody: Bool, to output: inout UnsafeMutableRawPointer) {
        let body = withBody ? revision.body : nil
        RevisionTree.put(UInt32(truncatingIfNeeded: entryLength(revision, withBody: withBody)), to: &output)
        RevisionTree.put(UInt16(truncatingIfNeeded: revision.parent ?? RevisionTree.maximumCount), to: &output)
        var flags = revision.flags.subtracting([.new, .hasBody])
        if body != nil { flags.insert(.hasBody) }
        RevisionTree.put(flags.rawValue, to: &output)
        revision.id.withBinary { id in
            RevisionTree.put(UInt8(id.count), to: &output)
            RevisionTree.put(id, to: &output)
        }
        // Revisions of this save do not know their sequence yet: 0 stands for the record's.
        output += Varint.write(revision.sequence, to: output)
        body?.withBytes { RevisionTree.put($0, to: &output) }
    }

    private static func put(_ number: some FixedWidthInteger, to output: inout UnsafeMutableRawPointer) {
        withUnsafeBytes(of: number.bigEndian) { put($0, to: &output) }
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, to output: inout UnsafeMutableRawPointer) {
        UnsafeMutableRawBufferPointer(start: output, count: bytes.count).copyMemory(from: bytes)
        output += bytes.count
    }
}
