import { assert, describe, it } from "@effect/vitest"
import { caseFormsOf } from "../../../src/domain/kernel/CaseFolding.ts"

const forms = (letter: string) => [...caseFormsOf(letter) ?? []].sort().join("")

describe("the forms of a letter", () => {
  it("are its cases of one character, whatever the language", () => {
    for (
      const [given, expected] of [
        ["ä", "Ää"],
        ["Ä", "Ää"],
        ["ж", "Жж"],
        ["σ", "Σςσ"],
        ["ς", "Σςσ"],
        ["Σ", "Σςσ"],
        ["ß", "ßẞ"],
        ["ǅ", "Ǆǅǆ"],
        ["𐐀", "𐐀𐐨"]
      ]
    ) {
      assert.strictEqual(forms(given!), expected)
    }
  })

  it("are none for ASCII, for what has no case, and where a form would be ASCII or two characters", () => {
    for (const letter of ["a", "K", "1", "%", "日", "ı", "İ", "\u212a", "ſ", "ŉ", "ﬁ", "😀"]) {
      assert.strictEqual(caseFormsOf(letter), undefined, letter)
    }
  })

  it("are the same from each of them, and known wherever Unicode has case", () => {
    const isOne = (text: string) => text.codePointAt(0)! > 0x7f && [...text].length === 1
    for (let point = 0x80; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const letter = String.fromCodePoint(point)
      const others = [letter.toLowerCase(), letter.toUpperCase()].filter((form) => form !== letter && isOne(form))
      if (others.length === 0) continue
      for (const form of [letter, ...others]) {
        if (caseFormsOf(form)?.has(letter) !== true) assert.fail(`${letter} ${form}`)
      }
    }
  })
})
