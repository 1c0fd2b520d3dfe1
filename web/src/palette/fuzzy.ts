const wordStart = /[\s._\-/:@]/

/**
 * How well a text matches what was typed: null if its letters are not in the text in this order; more is better. A whole
 * part counts most, then letters at the starts of words, then letters that follow each other. Words match in any order.
 */
export const scoreMatch = (typed: string, text: string): number | null => {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word !== "")
  let sum = 0
  for (const word of words) {
    const score = scoreWord(word, text.toLowerCase())
    if (score === null) return null
    sum += score
  }
  return sum - text.length / 1_000 // of equal matches the shorter text
}

const scoreWord = (word: string, text: string): number | null => {
  const index = text.indexOf(word)
  if (index !== -1) return word.length * 4 + (index === 0 ? 4 : wordStart.test(text.charAt(index - 1)) ? 3 : 0)
  let score = 0
  let from = 0
  let last = -2
  for (const letter of word) {
    const found = text.indexOf(letter, from)
    if (found === -1) return null
    score += found === last + 1 ? 2 : found === 0 || wordStart.test(text.charAt(found - 1)) ? 2 : 0
    last = found
    from = found + 1
  }
  // letters that are scattered over a long text are no match that a person means
  return score >= word.length ? score : null
}

/** The best matches, best first; all in their order while nothing is typed. */
export const selectMatches = <A extends { readonly title: string }>(
  typed: string,
  items: ReadonlyArray<A>,
  most: number
): ReadonlyArray<A> => {
  if (typed.trim() === "") return items.slice(0, most)
  return items
    .flatMap((item) => {
      const score = scoreMatch(typed, item.title)
      return score === null ? [] : [{ item, score }]
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item)
}
