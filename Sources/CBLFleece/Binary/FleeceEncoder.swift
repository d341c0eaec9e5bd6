/// Writes values into an encoding, in one pass and byte for byte as the reference does.
///
///     let encoder = FleeceEncoder(sharedKeys: table)
///     encoder.beginDictionary()
///     encoder.writeKey("name"); encoder.write("Ada")
///     encoder.endDictionary()
///     let data = try encoder.finish()
///
/// Writing never fails on the spot: the first thing that goes wrong is kept in ``failure`` and thrown by `finish`. One encoder serves many
/// documents and keeps its memory. Hot: it is most of an import, after parsing.
package final class FleeceEncoder {
    // Access to these fields is not checked at every step, which cost a quarter of an import: no method calls anything that could come back to this
    // object while it changes a field.

    /// The table that dictionary keys are looked up in, and added to.
    @exclusivity(unchecked) package var sharedKeys: SharedKeysBuilder? {
        didSet { lentKeys = sharedKeys.map(Unmanaged.passUnretained) }
    }
    /// The same, for `writeKey`: counting references for each key took a twentieth of an import.
    @exclusivity(unchecked) private(set) var lentKeys: Unmanaged<SharedKeysBuilder>?
    /// Whether `write(_:keys:)` gives the very bytes that the reference's copying gives: numbers as they are, and those of three or four bytes
    /// inside their slot, which makes the collection wide. Entries of the vendor's indexes are such copies, and must be found again.
    @exclusivity(unchecked) package var copiesLikeReference = false
    /// The first thing that went wrong since the last reset.
    @exclusivity(unchecked) package private(set) var failure: FleeceError?

    /// The bytes so far, always of even length and with `slack` bytes allocated behind them.
    @exclusivity(unchecked) var output = ByteBuffer(capacity: 4096)
    @exclusivity(unchecked) var strings = StringTable()
    /// The members of all open collections, innermost last.
    @exclusivity(unchecked) private var slots = FlatStack<PendingSlot>()
    /// The collections around the current one.
    @exclusivity(unchecked) private var frames = FlatStack<Frame>()
    @exclusivity(unchecked) private var current = Frame.root

    /// How far fixed-size stores may reach behind the last byte.
    static let slack = 32
    /// How far a narrow pointer reaches.
    static let narrowReach = 0x7FFE
    /// How far back a string may lie to be shared: the reference leaves some room for the collection that will point to it.
    static let sharingReach = narrowReach - 32

    struct Frame: BitwiseCopyable {
        /// Where this collection's members begin in `slots`.
        var firstSlot: Int
        /// The key that waits for its value; `noKey` if a key is due. Arrays always have the key 0.
        var key: UInt32
        var isDictionary: Bool
        /// Whether a member needs a slot of four bytes, wherever the pointers lead.
        var isWide = false

        static let noKey = UInt32.max
        /// The place of the root value, written like an array of one.
        static let root = Frame(firstSlot: 0, key: 0, isDictionary: false)
    }

    package init(sharedKeys: SharedKeysBuilder? = nil) {
        self.sharedKeys = sharedKeys
        lentKeys = sharedKeys.map(Unmanaged.passUnretained)
        output.reserve(FleeceEncoder.slack)
    }

    /// Forgets what was written.
    package func reset() {
        output.used = 0
        strings.removeAll()
        slots.truncate(to: 0)
        frames.truncate(to: 0)
        current = .root
        failure = nil
    }

    /// Whether numbers of keys mean the same in this encoding and in those that `keys` is the table of.
    @inline(__always)
    func numbersKeys(as keys: SharedKeys?) -> Bool { keys?.identity == sharedKeys?.state.identity }

    /// How many bytes were written so far.
    package var byteCount: Int { output.used }

    /// How many collections are open.
    package var depth: Int { frames.count }

    /// Whether the next thing to write is a dictionary key.
    package var expectsKey: Bool { current.key == Frame.noKey }

    /// Has `finish` throw this, unless something went wrong before.
    package func fail(_ error: FleeceError) {
        if failure == nil { failure = error }
    }

    // Members

    /// Makes `slot` the next item, the value of the pending key, or the root.
    @inline(__always)
    func add(_ slot: UInt32) {
        let key = current.key
        if key == Frame.noKey {
            fail(.misuse("a value was written where a dictionary key is due"))
            return
        }
        slots.push(PendingSlot(key: key, value: slot))
        if current.isDictionary { current.key = Frame.noKey }
    }

    /// Makes a value of three or four bytes the next member, within its slot. Only numbers can be that, and not at the root.
    func addWide(_ slot: UInt32) {
        current.isWide = true
        add(slot)
    }

    /// Whether the collection being written has wide slots already.
    @inline(__always) var isWide: Bool { current.isWide }

    /// Makes `slot` the key of the next value.
    @inline(__always)
    func setKey(_ slot: UInt32) {
        guard current.key == Frame.noKey else {
            fail(
                .misuse(
                    current.isDictionary
                        ? "a dictionary key was written where its value is due" : "a key was written outside of a dictionary"))
            return
        }
        current.key = slot
    }

    // Collections

    package func beginArray() { begin(isDictionary: false) }
    package func beginDictionary() { begin(isDictionary: true) }

    package func endArray() {
        guard end(isDictionary: false) else { return }
        let members = slots.suffix(from: current.firstSlot)
        close(writeArray(members, isWide: current.isWide))
    }

    package func endDictionary() {
        guard end(isDictionary: true) else { return }
        let members = slots.suffix(from: current.firstSlot)
        if let duplicate = sortByKey(members) { fail(.duplicateKey(name(ofKey: duplicate))) }
        close(writeDictionary(members, isWide: current.isWide))
    }

    @inline(__always)
    private func begin(isDictionary: Bool) {
        if current.key == Frame.noKey { fail(.misuse("a collection was begun where a dictionary key is due")) }
        if frames.count >= Limits.depth { fail(.tooDeep) }
        frames.push(current)
        current = Frame(firstSlot: slots.count, key: isDictionary ? Frame.noKey : 0, isDictionary: isDictionary)
    }

    @inline(__always)
    private func end(isDictionary: Bool) -> Bool {
        if frames.count > 0, current.isDictionary == isDictionary, !isDictionary || current.key == Frame.noKey { return true }
        fail(.misuse(frames.count == 0 ? "a collection was ended that had not begun" : "a collection was ended at the wrong place"))
        return false
    }

    /// Leaves the collection, whose encoding is `slot`, and adds it to the one around.
    @inline(__always)
    private func close(_ slot: UInt32) {
        slots.truncate(to: current.firstSlot)
        current = frames.pop() ?? .root
        add(slot)
    }

    // Finishing

    /// Ends the encoding and gives a copy of it. The encoder is then as good as new, also if this throws.
    package func finish() throws -> FleeceData {
        try withFinished { FleeceData(copying: $0) }
    }

    /// Ends the encoding and lends its bytes to `body`. The encoder is then as good as new, also if this throws.
    package func withFinished<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        defer { reset() }
        if failure == nil {
            if frames.count != 0 {
                fail(.misuse("\(frames.count) collections were not ended"))
            } else if slots.count != 1 {
                fail(.misuse(slots.count == 0 ? "nothing was written" : "\(slots.count) root values were written"))
            }
        }
        if let failure { throw failure }
        writeRoot(slots.suffix(from: 0)[0].value)
        if output.used > Limits.bytes { throw FleeceError.tooLarge }
        return try body(output.bytes)
    }
}
