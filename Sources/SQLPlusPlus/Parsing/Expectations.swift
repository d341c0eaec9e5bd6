/// Something that the grammar would have taken at a place.
enum Expectation: Hashable {
    case word(Keyword)
    case symbol(String)
    case expression
    case infix
    case name
    case string
    case integer
    case collation
    case end
    case closingQuote(UInt8, opened: Int)
}

/// What was looked for in vain at the rightmost place.
struct Expectations {
    private(set) var place = 0
    private(set) var list: [Expectation] = []

    mutating func note(_ expectation: Expectation, at place: Int) {
        guard place >= self.place else { return }
        if place > self.place {
            self.place = place
            list.removeAll(keepingCapacity: true)
        }
        if !list.contains(expectation) { list.append(expectation) }
    }
}
