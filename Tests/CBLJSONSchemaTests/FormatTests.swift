import Testing

@testable import CBLJSONSchema

@Suite struct FormatTests {
    static let cases: [(Format, valid: [String], invalid: [String])] = [
        (
            .dateTime, ["2020-02-29T23:59:59Z", "2016-12-31t18:29:60.5-05:30", "2020-01-01T00:00:00+00:00"],
            ["2021-02-29T00:00:00Z", "2020-01-01 00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T24:00:00Z", "2020-01-01T12:00:60Z", ""]
        ),
        (
            .date, ["2020-02-29", "2000-02-29", "0001-01-01"],
            ["1900-02-29", "2020-13-01", "2020-00-01", "2020-1-1", "20200101", "2020-01-32"]
        ),
        (.time, ["00:00:00Z", "23:59:60Z", "12:00:00.5+02:00"], ["24:00:00Z", "12:00:00", "12:00:00.Z", "12:00Z", "12:00:00+24:00"]),
        (
            .duration, ["P1Y2M3DT4H5M6S", "P4W", "PT0S", "P1D", "PT1H2M"],
            ["P", "PT", "P1", "1Y", "P1YT", "P2S", "P1Y3D", "P1M2Y", "P1W2D"]
        ),
        (
            .email, ["a@b.c", "a.b+c@d-e.f", "\"a b\"@c.d", "a@[127.0.0.1]", "a@[IPv6:::1]"],
            ["a", "@b", "a@", ".a@b", "a..b@c", "a b@c", "ä@b"]
        ),
        (.idnEmail, ["ä@ö.de", "a@b.c"], ["ä", "ä@"]),
        (.hostname, ["a", "a.b-c.d", "1.2", "xn--bcher-kva"], ["", "-a", "a-", "a..b", "a_b", "ab--c", "a."]),
        (.ipv4, ["0.0.0.0", "255.255.255.255"], ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.", "a.b.c.d", "1.2.3.1000"]),
        (
            .ipv6, ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7::"],
            [
                ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "::g", "1.2.3.4::", "::1.2.3.4:5", "1:", ":1",
                "::1%eth0",
            ]
        ),
        (
            .uri, ["http://a/b?c#d", "urn:a:b", "mailto:a@b", "http://[::1]:80/"],
            ["/a", "a", "http://a b", "http://a/%zz", "http://[a]/", "é:a", "//a"]
        ),
        (.uriReference, ["", "a/b", "#x", "//a", "?q", "http://a"], ["\\a", "a b", "1:b", "#a#b", "a[b]"]),
        (.iri, ["http://ä/ö"], ["ä", "http://ä ö"]), (.iriReference, ["ä", "#ö"], ["ä ö"]),
        (.uriTemplate, ["a/{b}/{+c,d*}", "{e:3}", ""], ["{", "{}", "a}", "{a:0}", "{a:}", "{a-b}", "{a..b}", "a b"]),
        (
            .uuid, ["123e4567-e89b-12d3-a456-426614174000"],
            ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", ""]
        ),
        (.jsonPointer, ["", "/", "/a/~0~1", "/é"], ["a", "/~", "/~2", "#/a"]),
        (.relativeJSONPointer, ["0", "1#", "2/a"], ["", "/a", "01", "-1", "1a"]), (.regex, ["^a+$", ""], ["(", "a**", "[", "\\a"]),
    ]

    @Test(arguments: cases) func formatsTellRightFromWrong(format: Format, valid: [String], invalid: [String]) {
        for text in valid { #expect(accepts(format, text), "\(format): \(text)") }
        for text in invalid { #expect(!accepts(format, text), "\(format): \(text)") }
    }

    private func accepts(_ format: Format, _ text: String) -> Bool { Array(text.utf8).withUnsafeBytes { format.accepts($0) } }

    @Test func whetherFormatsCountIsUpToDraftAndCaller() throws {
        let text = #"{"format": "date"}"#
        #expect(try Sample(text).isValid("\"never\""))
        #expect(try Sample(text, .init(draft: .draft7)).isValid("\"never\""))
        #expect(try !Sample(text, .init(draft: .draft4)).isValid("\"never\""))
        #expect(try !Sample(text, .init(formats: .asserted)).isValid("\"never\""))
        #expect(try Sample(text, .init(draft: .draft4, formats: .ignored)).isValid("\"never\""))
        #expect(try Sample(#"{"format": "of-my-own"}"#, .init(formats: .asserted)).isValid("\"anything\""))
        #expect(try Sample(text, .init(formats: .asserted)).isValid("17"))
    }
}
