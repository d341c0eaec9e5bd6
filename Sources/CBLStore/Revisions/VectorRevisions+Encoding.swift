import CBLBase
import CBLFleece
import Glibc

extension VectorRevisions {
    /// Decides what is to be written. `body` is NULL for empty properties, and `extra` if there is nothing but the current revision.
    package func prepareSave() throws(RevisionError) -> SaveOutcome {
        guard let current, current.id != nil else { throw .notFound }
        let properties = current.properties ?? .emptyDictionary
        let body = VectorRevisions.isEmpty(properties) ? nil : properties
        return SaveOutcome(
            version: current.version.binary, body: body, extra: remotes.isEmpty && legacyParent == nil ? nil : try encodedExtra(properties),
            flags: documentFlags, needsNewSequence: current.version != savedVersion)
    }

    /// Tells the revisions that they were saved.
    package mutating func didSave() { savedVersion = current?.version }

    private func encodedExtra(_ properties: FleeceData) throws(RevisionError) -> [UInt8] {
        var writer = ExtraWriter(base: VectorRevisions.isEmpty(properties) ? nil : properties)
        var items = [try writer.writeCurrent(legacyParent)]
        if let last = remoteIDs.last {
            guard last <= VectorRevisions.maximumRemote else { throw .badHistory(reason: "remote \(last) is too many") }
            for remote in 1...last {
                items.append(try remotes[remote].map { revision throws(RevisionError) in try writer.write(revision) } ?? .null)
            }
        }
        return writer.finish(items)
    }

    static func isEmpty(_ properties: FleeceData) -> Bool {
        properties.bytes.isEmpty || properties.withRoot { $0.dictionary?.isEmpty ?? false }
    }
}

/// Lays out the column `extra`. Properties are taken over as they were encoded, since positions in Fleece are relative, and those that equal
/// the current ones are a pointer into the column `body`. Positions count from the start of `body`, which `extra` follows.
private struct ExtraWriter {
    enum Slot {
        case inline(UInt16)
        case pointer(Int)
        static let null = Slot.inline(0x3000)
        static let emptyDictionary = Slot.inline(0x7000)
    }

    private static let narrowReach = 0x7FFE
    private let base: FleeceData?
    private let baseCount: Int
    private var bytes = VectorRevisions.extraPrefix
    private var written: [(properties: FleeceData, slot: Slot)] = []

    init(base: FleeceData?) {
        self.base = base
        baseCount = base?.bytes.count ?? 0
        if let base, let root = ExtraWriter.rootPosition(base.bytes) { written.append((base, .pointer(root))) }
    }

    private var position: Int { baseCount + bytes.count }

    mutating func writeCurrent(_ legacyParent: RevisionID?) throws(RevisionError) -> Slot {
        let parent = legacyParent.map { id in writeData(id.binary) }
        var members: [(VectorRevisions.Key, Slot)] = [
            (.properties, try base.map { base throws(RevisionError) in try write(base) } ?? .emptyDictionary)
        ]
        if let parent { members.append((.legacyParent, parent)) }
        return writeDictionary(members)
    }

    mutating func write(_ revision: VectorRevisions.Revision) throws(RevisionError) -> Slot {
        var members: [(VectorRevisions.Key, Slot)] = []
        let flags = revision.flags.intersection([.deleted, .conflicted, .hasAttachments])
        if !flags.isEmpty { members.append((.flags, .inline(flags.rawValue))) }
        if let properties = revision.properties { members.append((.properties, try write(properties))) }
        members.append((.version, writeData(revision.version.binary)))
        return writeDictionary(members)
    }

    private mutating func write(_ properties: FleeceData) throws(RevisionError) -> Slot {
        if VectorRevisions.isEmpty(properties) { return .emptyDictionary }
        if let known = written.first(where: { ExtraWriter.areSame($0.properties, properties) }) { return known.slot }
        var encoding = properties
        // Encodings from before 2019 use the pointers' flag of today for longer distances.
        if encoding.bytes.count > ExtraWriter.narrowReach {
            encoding = try properties.withRoot { root throws(RevisionError) in try VectorRevisions.copy(root) }
        }
        guard let root = ExtraWriter.rootPosition(encoding.bytes) else { throw .corruptRevisions(reason: "properties are damaged") }
        let slot = Slot.pointer(position + root)
        // Without the pointer to the root.
        encoding.withBytes { bytes.append(contentsOf: $0.prefix(ExtraWriter.end($0))) }
        written.append((properties, slot))
        return slot
    }

    private static func areSame(_ a: FleeceData, _ b: FleeceData) -> Bool {
        guard a !== b else { return true }
        guard a.bytes.count == b.bytes.count, let left = a.bytes.baseAddress, let right = b.bytes.baseAddress else { return false }
        return memcmp(left, right, a.bytes.count) == 0
    }

    private mutating func writeData(_ data: [UInt8]) -> Slot {
        let slot = Slot.pointer(position)
        if data.count < 15 {
            bytes.append(0x50 | UInt8(data.count))
        } else {
            bytes.append(0x5F)
            withUnsafeTemporaryAllocation(byteCount: Varint.maximumLength, alignment: 1) { buffer in
                guard let start = buffer.baseAddress else { return }
                bytes.append(contentsOf: buffer[..<Varint.write(UInt64(data.count), to: start)])
            }
        }
        bytes.append(contentsOf: data)
        if !bytes.count.isMultiple(of: 2) { bytes.append(0) }
        return slot
    }

    private mutating func writeDictionary(_ members: [(key: VectorRevisions.Key, value: Slot)]) -> Slot {
        let sorted = members.sorted { $0.key.slot < $1.key.slot }
        return writeCollection(0x7000, count: members.count, sorted.flatMap { [.inline($0.key.slot), $0.value] })
    }

    private mutating func writeCollection(_ tag: UInt16, count: Int, _ slots: [Slot]) -> Slot {
        let start = position
        let isWide = slots.enumerated().contains { index, slot in
            if case .pointer(let target) = slot { start + 2 + 2 * index - target > ExtraWriter.narrowReach } else { false }
        }
        append(tag | (isWide ? 0x0800 : 0) | UInt16(count))
        for slot in slots {
            switch slot {
            case .inline(let value):
                append(value)
                if isWide { append(0) }
            case .pointer(let target): appendPointer(target, isWide: isWide)
            }
        }
        return .pointer(start)
    }

    private mutating func appendPointer(_ target: Int, isWide: Bool) {
        let offset = UInt32(truncatingIfNeeded: (position - target) / 2)
        let isExternal = target < baseCount
        if isWide {
            let pointer = 0x8000_0000 | (isExternal ? 0x4000_0000 : 0) | offset
            append(UInt16(truncatingIfNeeded: pointer >> 16))
            append(UInt16(truncatingIfNeeded: pointer))
        } else {
            append(0x8000 | (isExternal ? 0x4000 : 0) | UInt16(truncatingIfNeeded: offset))
        }
    }

    private mutating func append(_ number: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        bytes.append(UInt8(truncatingIfNeeded: number))
    }

    /// Ends the encoding with the array of all items and the pointer to it.
    mutating func finish(_ items: [Slot]) -> [UInt8] {
        guard case .pointer(let root) = writeCollection(0x6000, count: items.count, items) else { return [] }
        let isFar = position - root > ExtraWriter.narrowReach
        appendPointer(root, isWide: isFar)
        if isFar { append(0x8002) }
        return bytes
    }

    /// Where an encoding's root value begins; nil if it is inline, or damaged.
    private static func rootPosition(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let end = end(bytes)
        guard end < bytes.count else { return nil }
        let isWide = bytes.count - end == 6
        let distance =
            isWide ? Int(bytes.bigEndian(at: end, as: UInt32.self) & 0x3FFF_FFFF) : Int(bytes.bigEndian(at: end, as: UInt16.self) & 0x7FFF)
        let root = end - 2 * distance
        return distance > 0 && root >= 0 && bytes[root] < 0x80 ? root : nil
    }

    /// Where the root pointer begins: 2 bytes before the end, or 6 if it is a pointer to a wide one.
    private static func end(_ bytes: UnsafeRawBufferPointer) -> Int {
        let last = bytes.count - 2
        guard last >= 2, bytes[last] & 0x80 != 0 else { return bytes.count }
        let isPointerToPointer = last >= 4 && bytes.bigEndian(at: last, as: UInt16.self) == 0x8002 && bytes[last - 4] & 0x80 != 0
        return isPointerToPointer ? last - 4 : last
    }
}
