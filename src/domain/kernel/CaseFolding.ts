/**
 * Which letters a search treats as equal (docs/api.md, The list). Two letters are the same where one is the
 * other's upper or lower case form in Unicode and both forms are one character: `ä` and `Ä`, `σ`, `ς` and `Σ`, `ß` and
 * `ẞ`. No language plays a part, and no letter becomes two: `ß` is not `ss`. Letters of ASCII have forms in ASCII only:
 * the Turkish `ı` and `İ` are not `i`, and the Kelvin sign is not `k`.
 *
 * Only the search term is expanded. Both databases then compare the same forms, independent of their own case rules. A
 * term of ASCII letters is not expanded: both databases apply this rule to it themselves.
 */

/** Where Unicode has letters with case beyond ASCII: testing all characters would take 25 ms. */
const blocks = [[0x80, 0x2fff], [0xa640, 0xabff], [0xfb00, 0x118ff], [0x16e00, 0x16eff], [0x1df00, 0x1e9ff]] as const

const hasCase = /\p{Changes_When_Casemapped}/u

const isSingleLetter = (text: string): boolean => text.codePointAt(0)! > 0x7f && [...text].length === 1

/** The letters beyond ASCII that case changes, each with the other letters that are the same. */
const buildCaseClasses = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const classes = new Map<string, Set<string>>()
  const join = (one: string, other: string) => {
    const left = classes.get(one) ?? new Set([one])
    for (const letter of classes.get(other) ?? [other]) left.add(letter)
    for (const letter of left) classes.set(letter, left)
  }
  for (const [first, last] of blocks) {
    for (let point = first; point <= last; point++) {
      const letter = String.fromCodePoint(point)
      if (!hasCase.test(letter)) continue
      for (const form of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (form !== letter && isSingleLetter(form)) join(letter, form)
      }
    }
  }
  return classes
}

let caseClasses: ReadonlyMap<string, ReadonlySet<string>> | undefined

const beyondAscii = /[^\p{ASCII}]/u

/** All forms of a letter beyond ASCII, itself among them; undefined where there is no other form. */
export const caseFormsOf = (letter: string): ReadonlySet<string> | undefined =>
  beyondAscii.test(letter) ? (caseClasses ??= buildCaseClasses()).get(letter) : undefined
