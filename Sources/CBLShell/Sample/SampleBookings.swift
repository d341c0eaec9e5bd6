/// The bookings of the sample database: three thousand of them, made by arithmetic, the same on every machine.
enum SampleBookings {
    static let count = 3000

    private static let guests = [
        "Ada", "Bo", "Chinwe", "Dora", "Emil", "Farid", "Grete", "Hiro", "Ines", "Jo", "Kofi", "Lena", "Mika", "Noor", "Olaf", "Pia",
    ]
    /// Hundredths of what a night costs, hotel by hotel; none where nobody knows.
    private static let prices: [Int?] = [14250, 8800, 11900, 10175, 3400, 17600, 9600, 7225, 4950, 13400, nil, 6100]

    static func booking(_ number: Int) -> SampleDocuments.Sample {
        var random = Generator(state: UInt64(number))
        let hotel = random.next(below: prices.count)
        let nights = 1 + random.next(below: 9)
        let (month, day) = (1 + random.next(below: 12), 1 + random.next(below: 28))
        let status = ["open", "cancelled", "cancelled"] + Array(repeating: "confirmed", count: 17)
        var json = #"{"guest":"\#(guests[random.next(below: guests.count)])","hotel":"hotel_\#(digits(hotel + 1, 3))","nights":\#(nights)"#
        json += #","arrives":"2027-\#(digits(month, 2))-\#(digits(day, 2))","status":"\#(status[random.next(below: status.count)])""#
        if let price = prices[hotel] { json += ",\"total\":\(price * nights / 100).\(digits(price * nights % 100, 2))" }
        return ("booking_" + digits(number, 4), json + "}")
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// Splitmix64: a few lines, and good enough for dice.
    private struct Generator {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
        }
    }
}
