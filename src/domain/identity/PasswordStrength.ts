/**
 * Whether an attacker tries a password first: a common one, the person's own name or address, or a pattern. Variants count
 * too: digits and signs at the ends, digits in place of letters, and repetition.
 */

const lower = (text: string): string => text.normalize("NFKC").toLowerCase()

/** Letters and digits in one case and form: what the spellings of one word have in common. */
export const foldText = (text: string): string => lower(text).replace(/[^\p{L}\p{N}]/gu, "")

/** Neighbours in the alphabet, among the digits, and on keyboards. */
const rows = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "qsdfghjklm",
  "zxcvbnm",
  "yxcvbnm",
  "wxcvbn",
  "йцукенгшщзхъ",
  "фывапролджэ",
  "ячсмитьбю"
]

const areNeighbours = (a: string, b: string): boolean =>
  a === b || rows.some((row) => row.includes(a + b) || row.includes(b + a))

/** A text whose runs have four or more characters on average is a pattern: `abcdef654321`, `aaaaaaqwerty`. */
const isPattern = (text: string): boolean => {
  const characters = [...text]
  const runs = characters.filter((character, index) =>
    index === 0 || !areNeighbours(characters[index - 1] ?? "", character)
  )
  return characters.length > 0 && runs.length * 4 <= characters.length
}

/** The part that a text repeats, the last time perhaps incomplete; else the text. */
const repeatedUnitOf = (text: string): string => {
  for (let length = 1; length <= (text.length * 2) / 3; length++) {
    const unit = text.slice(0, length)
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return unit
  }
  return text
}

const letters: Readonly<Record<string, string>> = { "0": "o", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s" }

/** A repetition of this few characters is a pattern, whatever they are. */
const maxShortUnit = 4

/** Digits and signs that stand for letters as those letters. */
const replaceSigns = (text: string, one: "i" | "l"): string =>
  text.replace(/[013457@$!|]/g, (sign) => letters[sign] ?? one)

/**
 * Up to this many digits and signs around a word add no strength. Longer affixes count as weak only if they are common
 * themselves.
 */
const maxDecoration = 6

/** A text without some or all of the digits and signs at its ends. */
const stripDecoration = (text: string, isKnown: (word: string) => boolean): ReadonlyArray<string> => {
  const [before = ""] = /^[^\p{L}]*/u.exec(text) ?? []
  const [after = ""] = /[^\p{L}]*$/u.exec(text.slice(before.length)) ?? []
  const candidates: Array<string> = []
  for (let start = 0; start <= Math.min(before.length, maxDecoration); start++) {
    for (let end = 0; end <= after.length && start + end <= maxDecoration; end++) {
      candidates.push(text.slice(start, text.length - end))
    }
  }
  const decorationText = foldText(before + after)
  if (isPattern(decorationText) || isKnown(decorationText)) {
    candidates.push(text.slice(before.length, text.length - after.length))
  }
  return candidates
}

const isGuessable = (text: string, isKnown: (word: string) => boolean): boolean =>
  stripDecoration(text, isKnown).some((word) =>
    // texts that are mostly signs are not checked by their few letters
    foldText(word).length * 2 >= word.length &&
    [word, replaceSigns(word, "i"), replaceSigns(word, "l")].some((spelling) => isKnown(foldText(spelling)))
  )

/** Names that people use as passwords of this program. */
const product = ["svc"]

/** The words of a person's texts (name, e-mail address), folded: each text, its parts, and each two parts together. */
const wordsOf = (texts: ReadonlyArray<string>): ReadonlySet<string> => {
  const parts = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)).map(foldText).filter((part) => part !== "")
    .slice(0, 20)
  const pairs = parts.flatMap((first) => parts.map((second) => first + second))
  const halves = texts.flatMap((text) => text.split("@"))
  return new Set(
    [...product, ...texts.map(foldText), ...halves.map(foldText), ...parts, ...pairs].filter((word) => word !== "")
  )
}

/**
 * Returns why a password is weak, to be shown after the field name, or null. `isCommon` receives folded texts;
 * `personalTexts` are the user's names and e-mail address.
 */
export const findWeakness = (
  password: string,
  isCommon: (folded: string) => boolean,
  personalTexts: ReadonlyArray<string>
): string | null => {
  const personalWords = wordsOf(personalTexts)
  const normalized = lower(password)
  const forms = foldText(password).length * 2 >= normalized.length ? [normalized, foldText(password)] : [normalized]
  const hasWeakForm = (isKnown: (word: string) => boolean) =>
    [normalized, ...forms.map(repeatedUnitOf)].some((text) => isGuessable(text, isKnown))
  if (hasWeakForm((word) => personalWords.has(word))) {
    return "must not consist of your name, your e-mail address or the program's name"
  }
  const isSimple = forms.some((text) =>
    isPattern(text) || (repeatedUnitOf(text) !== text && repeatedUnitOf(text).length <= maxShortUnit)
  )
  return isSimple || hasWeakForm(isCommon)
    ? "is a commonly used password; use several unrelated words"
    : null
}
