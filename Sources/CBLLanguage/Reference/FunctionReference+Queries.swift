extension FunctionReference {
    static let aggregates = [
        function(
            .aggregates, "array_agg(x)", "The values of all rows as an array, without MISSING.",
            ["array_agg(name)": "[\"Ada\",\"Alan\",\"Grace\"]"]),
        function(.aggregates, "avg(x)", "The mean, as a float; MISSING values do not count.", ["avg(born)": "1877.6666666666667"]),
        function(
            .aggregates, "count(x)", "The rows in which x is not MISSING; count(*) counts all.",
            ["count(*)": "3", "count(note)": "1"]),
        function(.aggregates, "max(x)", "The greatest value in query order.", ["max(born)": "1912"]),
        function(.aggregates, "min(x)", "The least value in query order.", ["min(name)": "\"Ada\""]),
        function(.aggregates, "sum(x)", "The sum: an integer if all values are.", ["sum(born)": "5633", "sum(nothing)": "MISSING"]),
    ]

    static let dates = [
        function(
            .dates, "date_add_millis(millis, n, part)", "n parts later, in milliseconds since 1970.",
            ["date_add_millis(0, 1, 'day')": "86400000"]),
        function(
            .dates, "date_add_str(date, n, part[, format])",
            "n parts later. The parts: millennium century decade year quarter month week day hour minute second millisecond.",
            ["date_add_str('2024-02-28', 2, 'day')": "\"2024-03-01T00:00:00Z\""]),
        function(
            .dates, "date_diff_millis(a, b, part)", "How many parts a is after b, counted on the calendar.",
            ["date_diff_millis(86400000, 0, 'hour')": "24"]),
        function(
            .dates, "date_diff_str(a, b, part)", "How many parts a is after b, counted on the calendar.",
            ["date_diff_str('2024-03-01', '2023-12-31', 'month')": "3"]),
        function(
            .dates, "millis_to_str(millis[, format])", "A time in the local zone.",
            ["millis_to_str(0, '1111-11-11') >= '1969-12-31'": "true"]),
        function(
            .dates, "millis_to_tz(millis, minutes[, format])", "A time at an offset from UTC in minutes.",
            ["millis_to_tz(0, 90)": "\"1970-01-01T01:30:00+0130\""]),
        function(
            .dates, "millis_to_utc(millis[, format])",
            "A time in UTC. The format is an example such as 1111-11-11, or tokens such as %H:%M:%S.",
            ["millis_to_utc(1500)": "\"1970-01-01T00:00:01.500Z\"", "millis_to_utc(0, '1111-11-11')": "\"1970-01-01\""]),
        function(
            .dates, "str_to_millis(date)", "Milliseconds since 1970; without a zone the local one is meant.",
            ["str_to_millis('1970-01-02T00:00:00Z')": "86400000", "str_to_millis('soon')": "null"]),
        function(
            .dates, "str_to_tz(date, minutes[, format])", "The same moment at an offset from UTC in minutes.",
            ["str_to_tz('1970-01-01T12:00:00Z', -60)": "\"1970-01-01T11:00:00-0100\""]),
        function(
            .dates, "str_to_utc(date[, format])", "The same moment in UTC.",
            ["str_to_utc('2024-05-01T02:00:00+02:00')": "\"2024-05-01T00:00:00Z\""]),
    ]

    static let vectors = [
        function(
            .vectors, "approx_vector_distance(vector, target[, metric[, probes[, accurate]]])",
            "How far the document is from a vector, by a vector index. Needs one of that expression (mkindex --vector), and a LIMIT.",
            ["SELECT name AS example FROM _ ORDER BY APPROX_VECTOR_DISTANCE([born, 0], [1900, 0]) LIMIT 1": "\"Grace\""]),
        function(
            .vectors, "cosine_distance(a, b)",
            "1 minus the cosine of the angle between two arrays of numbers. The vendor has it in the Enterprise Edition.",
            ["cosine_distance([1, 0], [0, 1])": "1.0"]),
        function(
            .vectors, "euclidean_distance(a, b[, power])",
            "The distance of two arrays of numbers, or a power of it. The vendor has it in the Enterprise Edition.",
            ["euclidean_distance([0, 0], [3, 4])": "5.0", "euclidean_distance([0, 0], [3, 4], 2)": "25.0"]),
        function(
            .vectors, "prediction(model, input[, property])",
            "What a model makes of an object, or a property of that. Here words is one that counts them; --model makes a program one.",
            [
                "prediction(words, {'text': 'a b'}).count": "2", "prediction(words, {'text': 'a b'}, '.count')": "2",
                "prediction(words, null)": "MISSING",
            ]),
    ]

    static let special = [
        function(
            .special, "meta([source])",
            "The document's id, sequence, deleted, expiration and revisionID. Mentioning deleted, or META() alone, lets deleted documents in.",
            ["META().id": "\"ada\"", "META().sequence": "1", "META().expiration": "MISSING"]),
        function(
            .special, "match(index, query)",
            "Whether the document matches a full-text query: words, \"phrases\", prefix*, AND, OR, NOT. Only in WHERE, at the top or under AND.",
            ["SELECT name AS example FROM _ WHERE MATCH(names, 'ada OR lovelace')": "\"Ada\""]),
        function(
            .special, "rank(index)", "How well the document matches; higher is better. Needs a match() of the same index.",
            ["SELECT RANK(names) AS example FROM _ WHERE MATCH(names, 'ada')": "1.0"]),
    ]
}
