package func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// A number with so many digits behind the point, right-aligned.
package func cell(_ value: Double, _ digits: Int, width: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((value * Double(scale)).rounded())
    var text = String(whole / scale)
    if digits > 0 { text += "." + String(whole % scale + scale).dropFirst() }
    return String(repeating: " ", count: max(0, width - text.count)) + text
}
