/// First in, first out.
struct Queue<Element> {
    private var items: [Element] = []
    private var start = 0

    var count: Int { items.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { start < items.count ? items[start] : nil }

    mutating func append(_ element: Element) { items.append(element) }
    mutating func append(contentsOf elements: some Sequence<Element>) { items.append(contentsOf: elements) }

    mutating func popFirst() -> Element? {
        guard start < items.count else { return nil }
        let element = items[start]
        start += 1
        // Moves what is left once in as many steps.
        if start > 64, start * 2 > items.count {
            items.removeFirst(start)
            start = 0
        }
        return element
    }
}

extension Queue: Sendable where Element: Sendable {}
