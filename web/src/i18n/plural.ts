/** A number of things: its value chooses the form of a sentence, its text is what people read. */
export interface Count {
  readonly value: number
  readonly text: string
}

/** Chooses between the two forms of a sentence, whose "#" is the number. Other forms, as of Polish, no language here has. */
export const pluralOf = (language: string) => {
  const rules = new Intl.PluralRules(language)
  return (count: Count, one: string, other: string): string =>
    (rules.select(count.value) === "one" ? one : other).replaceAll("#", () => count.text)
}
