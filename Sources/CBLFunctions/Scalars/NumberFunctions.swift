import Glibc

/// The numeric functions of SQL++.
enum NumberFunctions {
    static let rows = [
        FunctionRow("abs", 1) { Call($0, $1, $2).unary(fabs) },
        FunctionRow("acos", 1) { Call($0, $1, $2).unary(acos) },
        FunctionRow("asin", 1) { Call($0, $1, $2).unary(asin) },
        FunctionRow("atan", 1) { Call($0, $1, $2).unary(atan) },
        FunctionRow("ceil", 1) { Call($0, $1, $2).unary(ceil) },
        FunctionRow("cos", 1) { Call($0, $1, $2).unary(cos) },
        FunctionRow("degrees", 1) { Call($0, $1, $2).unary { $0 * 180 / .pi } },
        FunctionRow("exp", 1) { Call($0, $1, $2).unary(exp) },
        FunctionRow("floor", 1) { Call($0, $1, $2).unary(floor) },
        FunctionRow("ln", 1) { Call($0, $1, $2).unary(log) },
        FunctionRow("log", 1) { Call($0, $1, $2).unary(log10) },
        FunctionRow("radians", 1) { Call($0, $1, $2).unary { $0 * .pi / 180 } },
        FunctionRow("sin", 1) { Call($0, $1, $2).unary(sin) },
        FunctionRow("sqrt", 1) { Call($0, $1, $2).unary(sqrt) },
        FunctionRow("tan", 1) { Call($0, $1, $2).unary(tan) },
        FunctionRow("atan2", 2) { Call($0, $1, $2).binary(atan2) },
        FunctionRow("power", 2) { Call($0, $1, $2).binary(pow) },
        FunctionRow("e", 0) { Call($0, $1, $2).set(M_E) },
        FunctionRow("pi", 0) { Call($0, $1, $2).set(Double.pi) },
        FunctionRow("sign", 1) { Call($0, $1, $2).sign() },
        FunctionRow("round", 1) { Call($0, $1, $2).rounded(round) },
        FunctionRow("round", 2) { Call($0, $1, $2).rounded(round) },
        FunctionRow("round_even", 1) { Call($0, $1, $2).rounded(roundedToEven) },
        FunctionRow("round_even", 2) { Call($0, $1, $2).rounded(roundedToEven) },
        FunctionRow("trunc", 1) { Call($0, $1, $2).rounded(trunc) },
        FunctionRow("trunc", 2) { Call($0, $1, $2).rounded(trunc) },
        FunctionRow("div", 2) { Call($0, $1, $2).divide() },
        FunctionRow("idiv", 2) { Call($0, $1, $2).divideIntegers() },
    ]
}

// Only a fraction of exactly one half goes to the even neighbour.
private func roundedToEven(_ value: Double) -> Double {
    let floor = Glibc.floor(value)
    let fraction = value - floor
    if fraction > 0.5 { return floor + 1 }
    if fraction < 0.5 || floor.truncatingRemainder(dividingBy: 2) == 0 { return floor }
    return floor + 1
}

extension Call {
    fileprivate func unary(_ function: (Double) -> Double) {
        if propagates() { return }
        self[0].isNumber ? setFinite(function(self[0].double)) : setNull()
    }

    // NaN becomes NULL, that is MISSING, as it does everywhere in SQLite.
    fileprivate func binary(_ function: (Double, Double) -> Double) {
        if propagates() { return }
        guard self[0].isNumber, self[1].isNumber else { return setNull() }
        set(function(self[0].double, self[1].double))
    }

    fileprivate func sign() {
        if propagates() { return }
        guard self[0].isNumber else { return setNull() }
        let value = self[0].double
        set(Int64(value > 0 ? 1 : value < 0 ? -1 : 0))
    }

    fileprivate func rounded(_ function: (Double) -> Double) {
        if propagates() { return }
        for index in 0..<count where !self[index].isNumber { return setNull() }
        let value = self[0].double
        guard count > 1 else { return set(function(value)) }
        let scale = pow(10, trunc(self[1].double))
        set(function(value * scale) / scale)
    }

    fileprivate func divide() {
        if propagates() { return }
        guard self[0].isNumber, self[1].isNumber else { return setNull() }
        setFinite(self[0].double / self[1].double)
    }

    fileprivate func divideIntegers() {
        if propagates() { return }
        guard self[0].isNumber, self[1].isNumber else { return setNull() }
        let (dividend, divisor) = (self[0].int64, self[1].int64)
        if divisor == 0 { return setNull() }
        // The one quotient that does not fit.
        set(divisor == -1 ? 0 &- dividend : dividend / divisor)
    }
}
