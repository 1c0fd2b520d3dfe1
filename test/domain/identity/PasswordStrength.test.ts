import { assert, describe, it } from "@effect/vitest"
import { dictionary } from "@zxcvbn-ts/language-common"
import fc from "fast-check"
import { findWeakness, foldText } from "../../../src/domain/identity/PasswordStrength.ts"

const ranked = dictionary["passwords-common"]
const common: ReadonlySet<string> = new Set(ranked.map(foldText))

const ann = ["ann.smith@acme-shop.example", "Ann", "Smith", "Ann Smith"]

const flawOf = (password: string, about: ReadonlyArray<string> = ann) =>
  findWeakness(password, (word) => common.has(word), about)

describe("a password that is easy to guess", () => {
  it("is each one of the list that is long enough", () => {
    const long = ranked.filter((password) => password.length >= 12)
    assert.isAbove(long.length, 300)
    assert.deepStrictEqual(long.filter((password) => flawOf(password, []) === null), [])
  })

  it("is each of the 3000 commonest, made longer as people do", () => {
    const longer = [
      (password: string) => password.repeat(Math.ceil(12 / password.length)),
      (password: string) => `${password}123456`,
      (password: string) => `${password.slice(0, 1).toUpperCase()}${password.slice(1)}2024!!`,
      (password: string) => `!!${password} 99.`
    ]
    for (const change of longer) {
      const passed = ranked.slice(0, 3000).map(change).filter((password) => flawOf(password, []) === null)
      // of a number with another one behind it some are neither in the list nor a pattern
      assert.deepStrictEqual(passed.filter((password) => /[a-z]/i.test(password)), [])
      assert.isBelow(passed.length, 250)
    }
  })

  it.each([
    "PASSWORD1234",
    "P@ssw0rd2024",
    "Passw0rd!!!!",
    "pa$$w0rd12345",
    "m0nkeym0nkey",
    "i l o v e y o u 2",
    "QwertyQwerty",
    "ｐａｓｓｗｏｒｄ１２３４",
    "aaaaaaaaaaaa",
    "abcdefghijkl",
    "lkjihgfedcba",
    "123456789012",
    "098765432109",
    "qwertyuiop[]",
    "asdfghjklasd",
    "abcabcabcabc",
    "x7#kx7#kx7#k",
    "йцукенгшщзхъ",
    "111122223333",
    "passwordpass",
    "sunshine#2025#",
    "🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎"
  ])("is %s", (password) => {
    assert.match(flawOf(password) ?? "", /commonly used/)
  })

  it.each([
    "ann.smith@acme-shop.example",
    "annsmith2024",
    "Ann Smith 1987",
    "smith-ann-12",
    "SmithSmith12",
    "acmeshop2025!",
    "svc123456789",
    "Ann5m1th!!!!"
  ])("is %s for Ann Smith, and may be good for another person", (password) => {
    assert.match(flawOf(password) ?? "", /must not consist of your name/)
  })

  it.each([
    "correct horse battery staple",
    "a long password",
    "my svc is fine",
    "Ann likes trains",
    "žluťoučký kůň",
    "密码应该很长而且没有规律",
    "7491-8830-4417",
    "☃☂★✿ab☯☮☢☣☠☤",
    "P:2=)8;x,Q.~"
  ])("is not %s", (password) => {
    assert.isNull(flawOf(password))
  })

  it("is no phrase of four words, and nothing random", () => {
    const word = fc.constantFrom(...dictionary["diceware-common"])
    fc.assert(
      fc.property(fc.array(word, { minLength: 4, maxLength: 6 }), (words) => {
        fc.pre(new Set(words).size === words.length && words.join("").length >= 12)
        assert.isNull(flawOf(words.join(" ")), words.join(" "))
      }),
      { seed: 1, numRuns: 1000 }
    )
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 9, maxLength: 9 }), (bytes) => {
        fc.pre(new Set(bytes).size > 6)
        assert.isNull(flawOf(Buffer.from(bytes).toString("base64url")))
      }),
      { seed: 1, numRuns: 1000 }
    )
  })

  it.each([
    ["a1".repeat(128), /consist of your name/],
    [`${"😀".repeat(127)}!!`, /commonly used/],
    [`${"ﷺ".repeat(255)}x`, null],
    [" ".repeat(256), /commonly used/]
  ])("is found among the longest passwords within the test's time: %#", (password, weakness) => {
    const flaw = flawOf(password, ["@".repeat(320), "a ".repeat(100)])
    if (weakness === null) assert.isNull(flaw)
    else assert.match(flaw ?? "", weakness)
  })
})
