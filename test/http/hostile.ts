/** What no caller should send and some will. */

export const megabyte = "x".repeat(1024 * 1024)

/** `levels` arrays in each other. */
export const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

const texts: Readonly<Record<string, string>> = {
  "a NUL": "a\0b",
  "a lone surrogate": "a\ud800",
  "a path": "../..//%2e%2e%2f%00?a=b#c",
  "white space": " \t\r\n\u2028",
  "no text": "",
  "year 0": "0000-01-01T00:00:00Z",
  "year 0 less an hour": "0000-01-01T00:00:00+01:00",
  "year -1": "-0001-01-01T00:00:00Z",
  "year 10000": "10000-01-01T00:00:00Z",
  "no date": "2026-13-45T99:99:99Z",
  "a wildcard": "%_\\'\"; DROP TABLE tasks--"
}

/** JSON as it is in a body, by what is wrong with it. JSON.stringify escapes lone surrogates. */
export const jsonValues: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, JSON.stringify(text)])),
  "1e400": "1e400",
  "2^63": "9223372036854775808",
  "-1": "-1",
  "1.5": "1.5",
  "-0.0": "-0.0",
  "null": "null",
  "true": "true",
  "an array": "[]",
  "an object": "{}",
  "200 arrays": nested(200),
  "3000 arrays": nested(3000),
  "an array of null": "[null]",
  "an array of numbers": "[1, 1e400]",
  "an array of NUL": "[\"\\u0000\"]",
  "an array of lone surrogates": "[\"\\udfff\"]",
  "a prototype": "{\"__proto__\":{\"a\":1},\"constructor\":{\"prototype\":{\"a\":1}}}",
  "a key with a NUL": "{\"\\u0000\":\"\\u0000\"}",
  "a key with a lone surrogate": "{\"\\ud800\":1}"
}

/** Of these no UTF-8 text can be made. */
export const undecodable: ReadonlyArray<string> = ["%", "%zz", "%E0%A4%A", "%ED%A0%80", "%ff", "a%2"]

/** Values of path parameters that name nothing, encoded. */
export const unknownNames: ReadonlyArray<string> = [
  "%00",
  "a%00b",
  "nobody",
  "%20",
  "..%2F..",
  "a%2Fb%2Fc",
  "%25",
  "%2500",
  "%252e%252e",
  "-1",
  "1e400",
  "%F0%9F%92%A9",
  "%E2%80%A8",
  "x".repeat(1500),
  "x".repeat(8000),
  "00000000-0000-0000-0000-000000000000"
]

/** Values of query parameters, encoded. */
export const queryValues: Readonly<Record<string, string>> = {
  "a NUL": "a%00b",
  "nothing": "",
  "white space": "%20%09%0A",
  "8 kB": "x".repeat(8000),
  "1e400": "1e400",
  "2^63": "9223372036854775808",
  "2^31": "2147483648",
  "0": "0",
  "-1": "-1",
  "1.5": "1.5",
  "hexadecimal": "0x10",
  "a word": "NaN",
  "year 0": "0000-01-01T00:00:00Z",
  "year 0 less an hour": "0000-01-01T00:00:00%2B01:00",
  "year -1": "-0001-01-01T00:00:00Z",
  "year 10000": "10000-01-01T00:00:00Z",
  "a comma": ",",
  "a path": "..%2F..%2F%25",
  "a wildcard": "%25_%5C'%22;",
  "JSON": "%7B%22a%22%3A1%7D",
  "no character of any language": "%F0%9F%92%A9"
}

const cursor = (value: string): string => Buffer.from(value).toString("base64url")

/** Cursors that no list gave out. */
export const badCursors: ReadonlyArray<string> = [
  "",
  "random",
  "!!!!",
  "a%00b",
  "x".repeat(5000),
  cursor("{}"),
  cursor("[]"),
  cursor("null"),
  cursor("[1]"),
  cursor("[\"\"]"),
  cursor("[\"a\\u0000\"]"),
  cursor("[\"\\ud800\"]"),
  cursor("[\"x\",\"y\",\"z\"]"),
  cursor(`["${"0".repeat(1000)}"]`),
  cursor("[\"'; DROP TABLE tasks--\"]"),
  cursor("[\"10000-01-01T00:00:00Z\",\"00000000-0000-0000-0000-000000000000\"]"),
  Buffer.from([255, 254, 0, 1]).toString("base64url")
]

/** Bodies that are no JSON, or no UTF-8. */
export const malformed: ReadonlyArray<Buffer | string> = [
  "{",
  "nothing",
  "{\"a\":1,}",
  "{'a':1}",
  "{\"a\":01}",
  "\"\u0001\"",
  "{} {}",
  "\0",
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from("{}", "utf16le")
]
