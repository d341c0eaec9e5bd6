/// How a terminal shows what is printed next, as one letter, so that a line of styles fits below a line of text:
///
///     {"name": "Ada"}
///      bbbbbb  ggggg
///
/// `k r g y b m c w` are the colours black, red, green, yellow, blue, magenta, cyan and white, in capitals if they are bold; `+` is any
/// other colour. Without a colour, `*` is bold, `_` underlined, `.` dim and `#` in reverse.
struct ScreenStyle {
    private var color: Character?
    private var isBold = false
    private var isDim = false
    private var isUnderlined = false
    private var isReverse = false

    var letter: Character {
        if isReverse { return "#" }
        if let color { return isBold ? Character(color.uppercased()) : color }
        return isUnderlined ? "_" : isBold ? "*" : isDim ? "." : " "
    }

    /// Acts on the parameters of a control sequence that ends in `m`.
    mutating func apply(_ parameters: String) {
        var codes = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }[...]
        while let code = codes.popFirst() {
            switch code {
            case 0: self = ScreenStyle()
            case 1: isBold = true
            case 2: isDim = true
            case 4: isUnderlined = true
            case 7: isReverse = true
            case 22: (isBold, isDim) = (false, false)
            case 24: isUnderlined = false
            case 27: isReverse = false
            case 30...37: color = Array("krgybmcw")[code - 30]
            case 90...97: color = Array("krgybmcw")[code - 90]
            case 38:
                color = "+"
                // One number of a palette, or three of a colour.
                codes = codes.dropFirst(codes.first == 5 ? 2 : codes.first == 2 ? 4 : 0)
            case 48: codes = codes.dropFirst(codes.first == 5 ? 2 : codes.first == 2 ? 4 : 0)
            case 39: color = nil
            default: break
            }
        }
    }
}
