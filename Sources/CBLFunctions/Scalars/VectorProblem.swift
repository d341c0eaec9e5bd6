/// Why a value is no vector, in the vendor's words.
package enum VectorProblem: String, CaseIterable, Sendable {
    case dimensions = "vector has wrong number of dimensions"
    case number = "array contains a non-numeric value"
    case length = "data is wrong length to be a vector"
    case type = "value is wrong type to be a vector"
}
