extension FunctionReference {
    static let strings = [
        function(
            .strings, "concat(a, b, …)", "The arguments as one text, like a || b. Numbers, booleans, null and JSON become text.",
            ["concat('a', 1, true)": "\"a1true\"", "concat('a', nothing)": "MISSING"]),
        function(
            .strings, "contains(text, part)", "Whether the text contains the part; COLLATE decides about case and accents.",
            ["contains('Couchbase', 'base')": "true", "contains('Couchbase', 'Base')": "false"]),
        function(.strings, "length(text)", "The number of characters (code points).", ["length('Größe')": "5", "length(1)": "null"]),
        function(.strings, "lower(text)", "In lower case, for all of Unicode.", ["lower('GRÖSSE')": "\"grösse\""]),
        function(
            .strings, "ltrim(text)", "Without white space at the beginning.", ["ltrim('  a ')": "\"a \""]),
        function(.strings, "rtrim(text)", "Without white space at the end.", ["rtrim('  a ')": "\"  a\""]),
        function(.strings, "trim(text)", "Without white space at both ends.", ["trim('  a ')": "\"a\""]),
        function(.strings, "upper(text)", "In upper case, for all of Unicode.", ["upper('straße')": "\"STRASSE\""]),
    ]

    static let patterns = [
        function(
            .patterns, "regexp_contains(text, pattern)", "Whether the ECMAScript pattern matches somewhere in the text.",
            ["regexp_contains('route 66', '[0-9]+$')": "true"]),
        function(
            .patterns, "regexp_like(text, pattern)", "The same as regexp_contains().", ["regexp_like('route 66', '^[0-9]')": "false"]),
        function(
            .patterns, "regexp_position(text, pattern)", "Where the first match begins, in bytes from 0; -1 if there is none.",
            ["regexp_position('route 66', '[0-9]')": "6", "regexp_position('route', '[0-9]')": "-1"]),
        function(
            .patterns, "regexp_replace(text, pattern, new[, count])",
            "The text with its matches, or the first count of them, replaced; $1 and $& in the new text stand for groups and the match.",
            [
                "regexp_replace('a1b22', '[0-9]+', '#')": "\"a#b#\"",
                "regexp_replace('a1b22', '[0-9]+', '<$&>', 1)": "\"a<1>b22\"",
            ]),
    ]

    static let numbers = [
        function(.numbers, "abs(x)", "The absolute value, as a float.", ["abs(-3)": "3.0"]),
        function(.numbers, "acos(x)", "The arc cosine, in radians.", ["acos(1)": "0.0", "acos(2)": "null"]),
        function(.numbers, "asin(x)", "The arc sine, in radians.", ["asin(0)": "0.0"]),
        function(.numbers, "atan(x)", "The arc tangent, in radians.", ["atan(0)": "0.0"]),
        function(.numbers, "atan2(y, x)", "The angle of the point (x, y), in radians.", ["atan2(0, 1)": "0.0"]),
        function(.numbers, "ceil(x)", "Rounded up.", ["ceil(1.2)": "2.0"]),
        function(.numbers, "cos(x)", "The cosine of an angle in radians.", ["cos(0)": "1.0"]),
        function(.numbers, "degrees(x)", "An angle in radians as degrees.", ["degrees(pi())": "180.0"]),
        function(
            .numbers, "div(a, b)", "The quotient as a float; a / b of two integers cuts it off.",
            ["div(5, 2)": "2.5", "div(5, 0)": "null", "5 / 2": "2"]),
        function(.numbers, "e()", "The base of natural logarithms.", ["e()": "2.718281828459045"]),
        function(.numbers, "exp(x)", "e to the power of x.", ["exp(0)": "1.0"]),
        function(.numbers, "floor(x)", "Rounded down.", ["floor(-1.2)": "-2.0"]),
        function(.numbers, "greatest(a, b, …)", "The greatest argument in query order.", ["greatest(1, 3, 2)": "3"]),
        function(
            .numbers, "idiv(a, b)", "The quotient of the integer parts, toward zero.", ["idiv(7.9, 2)": "3", "idiv(1, 0)": "null"]),
        function(.numbers, "least(a, b, …)", "The least argument in query order.", ["least(1, 'a')": "1"]),
        function(.numbers, "ln(x)", "The natural logarithm.", ["ln(1)": "0.0", "ln(0)": "null"]),
        function(.numbers, "log(x)", "The logarithm to the base 10.", ["log(1000)": "3.0"]),
        function(.numbers, "pi()", "π.", ["pi()": "3.141592653589793"]),
        function(.numbers, "power(x, y)", "x to the power of y.", ["power(2, 10)": "1024.0"]),
        function(.numbers, "radians(x)", "An angle in degrees as radians.", ["radians(180)": "3.141592653589793"]),
        function(
            .numbers, "round(x[, digits])", "Rounded, a half away from zero; the digits may be negative.",
            ["round(1.85, 1)": "1.9", "round(12345.678, -2)": "12300.0"]),
        function(.numbers, "round_even(x[, digits])", "Rounded, a half to the even neighbour.", ["round_even(-2.5)": "-2.0"]),
        function(.numbers, "sign(x)", "-1, 0 or 1.", ["sign(-0.5)": "-1"]),
        function(.numbers, "sin(x)", "The sine of an angle in radians.", ["sin(0)": "0.0"]),
        function(.numbers, "sqrt(x)", "The square root.", ["sqrt(16)": "4.0", "sqrt(-1)": "null"]),
        function(.numbers, "tan(x)", "The tangent of an angle in radians.", ["tan(0)": "0.0"]),
        function(.numbers, "trunc(x[, digits])", "Rounded toward zero.", ["trunc(-1.89, 1)": "-1.8"]),
    ]

    static let unknowns = [
        function(
            .unknowns, "ifmissing(a, b, …)", "The first argument that is not MISSING.",
            ["ifmissing(nothing, 'none')": "\"none\"", "ifmissing(note, 'none')": "null"]),
        function(
            .unknowns, "ifmissingornull(a, b, …)", "The first argument that is neither MISSING nor null; else null.",
            ["ifmissingornull(nothing, note, 'none')": "\"none\""]),
        function(
            .unknowns, "ifnull(a, b, …)", "The first argument that is not null; it may be MISSING.",
            ["ifnull(note, 'none')": "\"none\"", "ifnull(nothing, 'none')": "MISSING"]),
        function(
            .unknowns, "missingif(a, b)", "MISSING if both are equal, else a.", ["missingif(1, 1)": "MISSING", "missingif(1, 2)": "1"]),
        function(.unknowns, "nullif(a, b)", "null if both are equal, else a.", ["nullif(1, 1.0)": "null", "nullif('a', 'b')": "\"a\""]),
    ]

    static let types = [
        function(
            .types, "type(x)", "boolean, number, string, array, object or binary.", aliases: ["typename"],
            ["type(name)": "\"string\"", "type(tags)": "\"array\"", "type(note)": "null", "typename(1)": "\"number\""]),
        function(
            .types, "isarray(x)", "Whether it is an array.", aliases: ["is_array"], ["isarray(tags)": "true", "is_array('a')": "false"]),
        function(
            .types, "isatom(x)", "Whether it is a boolean, number or string.", aliases: ["is_atom"],
            ["isatom(1)": "true", "is_atom(tags)": "false"]),
        function(
            .types, "isboolean(x)", "Whether it is true or false; a comparison is a number.", aliases: ["is_boolean"],
            ["isboolean(TRUE)": "true", "is_boolean(1 = 1)": "false"]),
        function(
            .types, "isnumber(x)", "Whether it is a number.", aliases: ["is_number"], ["isnumber(1.5)": "true", "is_number('1')": "false"]),
        function(
            .types, "isobject(x)", "Whether it is an object.", aliases: ["is_object"],
            ["isobject(address)": "true", "is_object(tags)": "false"]),
        function(
            .types, "isstring(x)", "Whether it is a string.", aliases: ["is_string"],
            ["isstring(name)": "true", "is_string(nothing)": "MISSING"]),
        function(
            .types, "toarray(x)", "Arrays, null and MISSING as they are; anything else as an array of it.", aliases: ["to_array"],
            ["toarray(name)": "[\"Ada\"]", "to_array(tags)": "[\"maths\",\"code\"]"]),
        function(
            .types, "toatom(x)", "The value itself, or the only member of an array or object; else null.", aliases: ["to_atom"],
            ["toatom([7])": "7", "to_atom(tags)": "null"]),
        function(
            .types, "toboolean(x)", "false for 0, an empty text, array or object; true for everything else.", aliases: ["to_boolean"],
            ["toboolean('false')": "true", "to_boolean([])": "false"]),
        function(
            .types, "tonumber(x)", "The number that a text begins with, 0 if none; null for arrays and objects.", aliases: ["to_number"],
            ["tonumber('12')": "12", "tonumber('1e3')": "1000.0", "to_number(tags)": "null"]),
        function(
            .types, "toobject(x)", "Objects, null and MISSING as they are; anything else as {}.", aliases: ["to_object"],
            ["toobject(address)": "{\"city\":\"London\"}", "to_object(1)": "{}"]),
        function(
            .types, "tostring(x)", "Booleans and numbers as text; null for arrays and objects.", aliases: ["to_string"],
            ["tostring(1.5)": "\"1.5\"", "to_string(TRUE)": "\"true\""]),
    ]

    static let arrays = [
        function(.arrays, "array_avg(array)", "The mean of the numbers, as a float.", ["array_avg([1, 2, 6])": "3.0"]),
        function(
            .arrays, "array_contains(array, x)", "Whether an item equals x.",
            ["array_contains(tags, 'code')": "true", "array_contains(name, 'A')": "null"]),
        function(
            .arrays, "array_count(array)", "The number of items that are not null; of a property also the members of an object.",
            ["array_count(tags)": "2", "array_count([1, NULL])": "1"]),
        function(.arrays, "array_ifnull(array)", "The first item that is not null.", ["array_ifnull([NULL, 2, 3])": "2"]),
        function(
            .arrays, "array_length(array)", "The number of items; 0 for anything else.",
            ["array_length(tags)": "2", "array_length(name)": "0"]),
        function(.arrays, "array_max(array)", "The greatest number, as a float.", ["array_max([1, 3, 2])": "3.0"]),
        function(.arrays, "array_min(array)", "The least number, as a float.", ["array_min([1, 3, 2])": "1.0"]),
        function(
            .arrays, "array_of(a, …)", "An array of the arguments without MISSING ones; like [a, …].",
            ["array_of(1, nothing, 'a')": "[1,\"a\"]"]),
        function(.arrays, "array_sum(array)", "The sum of the numbers, as a float.", ["array_sum([1, 2, 3])": "6.0"]),
    ]
}
