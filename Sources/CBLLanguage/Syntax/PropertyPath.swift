/// The way to a property: `contact.emails[0]`. Names are as they are, without quotes or escapes.
package struct PropertyPath: Sendable, Hashable {
    package enum Component: Sendable, Hashable {
        case name(String)
        /// Counts from the end if negative.
        case index(Int)
    }

    package var components: [Component]
    /// Written with a star at the end, `a.*`: in JSON a path that ends in a dot, `.a.`. The star alone is the path without components.
    package var endsInStar: Bool

    package init(_ components: [Component] = [], endsInStar: Bool = false) {
        self.components = components
        self.endsInStar = endsInStar
    }

    /// The document itself: `*`, in JSON `["."]`.
    package static let whole = PropertyPath()
}
