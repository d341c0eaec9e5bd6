internal import CBLViews
import CouchbaseLiteSwift

/// A part of the plane, or, if it is no larger, a point.
public struct ViewBox: Hashable, Sendable {
    /// The lowest x.
    public var x0: Double
    /// The lowest y.
    public var y0: Double
    /// The highest x.
    public var x1: Double
    /// The highest y.
    public var y1: Double

    /// From the lower left to the upper right.
    public init(x0: Double, y0: Double, x1: Double, y1: Double) {
        (self.x0, self.y0, self.x1, self.y1) = (x0, y0, x1, y1)
    }

    /// A point.
    public init(x: Double, y: Double) { self.init(x0: x, y0: y, x1: x, y1: y) }

    init(_ core: ViewRectangle) { self.init(x0: core.x0, y0: core.y0, x1: core.x1, y1: core.y1) }

    var core: ViewRectangle { ViewRectangle(x0: x0, y0: y0, x1: x1, y1: y1) }
}

/// What a map function calls to put a row into the index, for the document that it looks at.
///
///     emit(document["name"])
///     emit([document["country"], document["city"]], 1)
///     emit(text: document["abstract"], language: "en")
///
/// It is for that one call: afterwards it does nothing.
public final class MapEmitter {
    @exclusivity(unchecked) var core: Emitter?

    init() {}

    /// A row with a key and perhaps a value. A key that is nil, or a property that is missing, is no row. The document as value stands for what it says
    /// when the row is read.
    ///
    /// What is written as a literal is a ``ViewKey``, whose parts may be of various kinds.
    @_disfavoredOverload
    public func callAsFunction(_ key: (any ViewValue)?, _ value: (any ViewValue)? = nil) {
        guard let key else { return }
        core?.emit(key.viewKey.item, value?.viewKey.item ?? .missing)
    }

    /// A row with a key of several parts: `emit(["FR", city, 1789])`.
    public func callAsFunction(_ key: ViewKey, _ value: (any ViewValue)? = nil) {
        core?.emit(key.item, value?.viewKey.item ?? .missing)
    }

    /// A row whose key is a property, or nothing if that is missing.
    public func callAsFunction(_ key: MapValue, _ value: (any ViewValue)? = nil) {
        core?.emit(key.current, value?.viewKey.item ?? .missing)
    }

    /// A row whose key and value are properties, or nothing if the first is missing.
    public func callAsFunction(_ key: MapValue, _ value: MapValue) { core?.emit(key.current, value.current) }

    /// A text that full-text queries find, by its words' stems in the language, which is a code such as `en`.
    public func callAsFunction(text: String?, language: String? = nil, _ value: (any ViewValue)? = nil) {
        guard let text else { return }
        core?.emit(text: text, language: language, value?.viewKey.item ?? .missing)
    }

    /// A property that full-text queries find, or nothing if it is no text.
    public func callAsFunction(text: MapValue, language: String? = nil, _ value: (any ViewValue)? = nil) {
        core?.emit(text: text.current, language: language, value?.viewKey.item ?? .missing)
    }

    /// A point that queries with a box find.
    public func callAsFunction(x: Double, y: Double, _ value: (any ViewValue)? = nil) { self(box: ViewBox(x: x, y: y), value) }

    /// A rectangle that queries with a box find.
    public func callAsFunction(box: ViewBox, _ value: (any ViewValue)? = nil) {
        core?.emit(rectangle: box.core, value?.viewKey.item ?? .missing)
    }

    /// A property in GeoJSON that queries with a box find by what surrounds it, or nothing if it has no coordinates.
    public func callAsFunction(geoJSON: MapValue, _ value: (any ViewValue)? = nil) {
        core?.emit(geoJSON: geoJSON.current, value?.viewKey.item ?? .missing)
    }
}
