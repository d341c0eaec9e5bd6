import CBLBase

/// The words that a full-text index leaves out, as a hash table over their bytes.
struct StopWords {
    // All words one after the other; each filled slot names one by its place.
    private let bytes: [UInt8]
    private let slots: [(start: Int32, count: Int32)]

    /// A list of words with blanks between them.
    init(list: UnsafeRawBufferPointer) {
        var slotCount = 64
        let bytes = Array(list)
        let words = bytes.indices.split { bytes[$0] == UInt8(ascii: " ") || bytes[$0] == UInt8(ascii: "\n") }
        while slotCount < words.count * 3 { slotCount *= 2 }
        var slots = [(start: Int32, count: Int32)](repeating: (0, 0), count: slotCount)
        for word in words {
            let slot = bytes.withUnsafeBytes { StopWords.slot(of: UnsafeRawBufferPointer(rebasing: $0[word]), in: slots, bytes: $0) }
            slots[slot] = (Int32(word.startIndex), Int32(word.count))
        }
        self.bytes = bytes
        self.slots = slots
    }

    /// The built-in list of a language: `en` or `english`, `fr` or `french`. Other languages have none.
    init?(language: String) {
        let text: String
        switch language {
        case "en", "english": text = englishStopWords
        case "fr", "french": text = frenchStopWords
        default: return nil
        }
        self = Array(text.utf8).withUnsafeBytes(StopWords.init(list:))
    }

    func contains(_ word: UnsafeRawBufferPointer) -> Bool {
        guard !word.isEmpty else { return false }
        return bytes.withUnsafeBytes { slots[StopWords.slot(of: word, in: slots, bytes: $0)].count > 0 }
    }

    // The slot that holds a word, or the free one where it belongs.
    private static func slot(
        of word: UnsafeRawBufferPointer, in slots: [(start: Int32, count: Int32)], bytes: UnsafeRawBufferPointer
    ) -> Int {
        let mask = slots.count - 1
        var slot = Int(FNV1a.hash(word)) & mask
        while slots[slot].count > 0 {
            let (start, count) = (Int(slots[slot].start), Int(slots[slot].count))
            if UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]).elementsEqual(word) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }
}

// The lists of the Snowball project, less what it says to leave out.

private let englishStopWords = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they
    them their theirs themselves what which who whom this that these those am is are was were be been being have has had having do
    does did doing would should could ought i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd
    we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't
    wouldn't shan't shouldn't can't cannot couldn't mustn't let's that's who's what's here's there's when's where's why's how's a an
    the and but if or because as until while of at by for with about against between into through during before after above below to
    from up down in out on off over under again further then once here there when where why how all any both each few more most other
    some such no nor not only own same so than too very
    """

private let frenchStopWords = """
    au aux avec ce ces dans de des du elle en et eux il je la le leur lui ma mais me même mes moi mon ne nos notre nous on ou par pas
    pour qu que qui sa se ses son sur ta te tes toi ton tu un une vos votre vous c d j l à m n s t y été étée étées étés étant suis es
    est sommes êtes sont serai seras sera serons serez seront serais serait serions seriez seraient étais était étions étiez étaient
    fus fut fûmes fûtes furent sois soit soyons soyez soient fusse fusses fût fussions fussiez fussent ayant eu eue eues eus ai as
    avons avez ont aurai auras aura aurons aurez auront aurais aurait aurions auriez auraient avais avait avions aviez avaient eut
    eûmes eûtes eurent aie aies ait ayons ayez aient eusse eusses eût eussions eussiez eussent ceci cela celà cet cette ici ils les
    leurs quel quels quelle quelles sans soi
    """
