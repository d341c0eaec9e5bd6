import CBLFleece

/// The smallest rectangle around what GeoJSON describes: its `bbox`, or that of all its coordinates.
package enum GeoJSON {
    package static func bounds(of value: Value, _ keys: SharedKeys?) -> ViewRectangle? {
        var bounds: ViewRectangle?
        var budget = WalkBudget(for: value)
        add(value, keys, to: &bounds, depth: 0, &budget)
        return bounds.flatMap { $0.isSound ? $0 : nil }
    }

    private static func add(_ value: Value, _ keys: SharedKeys?, to bounds: inout ViewRectangle?, depth: Int, _ budget: inout WalkBudget) {
        guard let object = value.dictionary, depth < 16, budget.visit() else { return }
        if let box = object.value(forKey: "bbox", keys)?.array, box.count == 4 || box.count == 6 {
            let half = box.count / 2
            if let x0 = box[0].double, let y0 = box[1].double, let x1 = box[half].double, let y1 = box[half + 1].double {
                return extend(&bounds, ViewRectangle(x0: x0, y0: y0, x1: x1, y1: y1))
            }
        }
        if let coordinates = object.value(forKey: "coordinates", keys) { addCoordinates(coordinates, to: &bounds, depth: 0, &budget) }
        if let geometry = object.value(forKey: "geometry", keys) { add(geometry, keys, to: &bounds, depth: depth + 1, &budget) }
        for member in ["geometries", "features"] {
            guard let parts = object.value(forKey: member, keys)?.array else { continue }
            for part in parts { add(part, keys, to: &bounds, depth: depth + 1, &budget) }
        }
    }

    private static func addCoordinates(_ value: Value, to bounds: inout ViewRectangle?, depth: Int, _ budget: inout WalkBudget) {
        guard let array = value.array, depth < 8, budget.visit() else { return }
        if array.count >= 2, let x = array[0].double, let y = array[1].double { return extend(&bounds, ViewRectangle(x: x, y: y)) }
        for item in array { addCoordinates(item, to: &bounds, depth: depth + 1, &budget) }
    }

    private static func extend(_ bounds: inout ViewRectangle?, _ other: ViewRectangle) {
        guard let old = bounds else { return bounds = other }
        bounds = ViewRectangle(
            x0: min(old.x0, other.x0), y0: min(old.y0, other.y0), x1: max(old.x1, other.x1), y1: max(old.y1, other.y1))
    }

    /// The GeoJSON of a point or a rectangle.
    static func write(_ rectangle: ViewRectangle, to encoder: FleeceEncoder) {
        let isPoint = rectangle.x0 == rectangle.x1 && rectangle.y0 == rectangle.y1
        encoder.beginDictionary()
        encoder.writeKey("type")
        encoder.write(isPoint ? "Point" : "Polygon")
        encoder.writeKey("coordinates")
        func pair(_ x: Double, _ y: Double) {
            encoder.beginArray()
            encoder.write(x)
            encoder.write(y)
            encoder.endArray()
        }
        if isPoint {
            pair(rectangle.x0, rectangle.y0)
        } else {
            encoder.beginArray()
            encoder.beginArray()
            pair(rectangle.x0, rectangle.y0)
            pair(rectangle.x0, rectangle.y1)
            pair(rectangle.x1, rectangle.y1)
            pair(rectangle.x1, rectangle.y0)
            pair(rectangle.x0, rectangle.y0)
            encoder.endArray()
            encoder.endArray()
        }
        encoder.endDictionary()
    }
}
