/// The shape of documents: which properties they have, how often, and what values those take.
package struct Shape: Hashable, Sendable {
    package let documents: Int
    package let damaged: Int
    /// The document itself: its properties are those of the documents.
    package let document: Property

    package var properties: [Property] { document.properties }

    package struct Property: Hashable, Sendable {
        package let name: PlaceName
        package let facts: PlaceFacts
        /// Of objects: the most frequent first, and by name where that says nothing.
        package let properties: [Property]
        /// Of arrays: all their items together. One, or none.
        package let items: [Property]
        /// Of maps, objects whose names are data: all their members together, and the names. One, or none.
        package let members: [Property]
        package let names: DistinctSketch?
        /// There is more inside than was looked at.
        package let isCut: Bool
    }
}

extension ShapeTally {
    /// What has been found out so far. Objects in which each name is rare and all hold the same are told to be maps here.
    package var shape: Shape {
        var tally = self
        tally.recogniseMaps(0)
        return Shape(documents: documents, damaged: damaged, document: tally.property(0))
    }

    // So many names at least, none of them in more than one of so many objects on the average.
    private static let fewestNames = 40
    private static let rareness = 12

    private mutating func recogniseMaps(_ place: Int) {
        if places[place].items > 0 { recogniseMaps(places[place].items) }
        if looksLikeMap(place) { _ = turnIntoMap(place) }
        if places[place].members > 0 { return recogniseMaps(places[place].members) }
        var child = places[place].firstChild
        while child > 0 {
            recogniseMaps(child)
            child = places[child].next
        }
    }

    private func looksLikeMap(_ place: Int) -> Bool {
        guard places[place].members == 0, places[place].childCount >= ShapeTally.fewestNames else { return false }
        var total = PlaceFacts()
        var child = places[place].firstChild
        while child > 0 {
            total.merge(places[child].facts)
            child = places[child].next
        }
        let main = [total.integers + total.doubles, total.strings, total.objects, total.arrays, total.booleans, total.blobs].max() ?? 0
        let average = places[place].childCount * places[place].facts.objects
        return total.count * ShapeTally.rareness <= average && main * 20 >= (total.count - total.nulls) * 19
    }

    private func property(_ place: Int) -> Shape.Property {
        let here = places[place]
        var properties: [Shape.Property] = []
        var child = here.firstChild
        while child > 0 {
            properties.append(property(child))
            child = places[child].next
        }
        properties.sort { one, other in
            let (first, second) = (one.facts.count, other.facts.count)
            return first != second ? first > second : one.name.bytes.lexicographicallyPrecedes(other.name.bytes)
        }
        return Shape.Property(
            name: here.name, facts: here.facts, properties: properties, items: here.items > 0 ? [property(here.items)] : [],
            members: here.members > 0 ? [property(here.members)] : [], names: here.names, isCut: here.isCut)
    }
}

extension PlaceName {
    var bytes: [UInt8] { if case .property(let name) = self { name } else { [] } }

    /// `name`, `[]` or `*`.
    package var text: String {
        switch self {
        case .document: ""
        case .property(let name): String(decoding: name, as: UTF8.self)
        case .items: "[]"
        case .anyName: "*"
        }
    }
}
