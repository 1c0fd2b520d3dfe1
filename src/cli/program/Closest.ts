import { AutoCorrect, CliConfig } from "@effect/cli"

/** The name closest to `word`, for "did you mean"; undefined where none is close. */
export const findClosest = (word: string, names: Iterable<string>): string | undefined => {
  const maxEdits = Math.max(1, Math.floor(word.length / 3))
  const [best] = Array.from(
    names,
    (name) => ({ name, edits: AutoCorrect.levensteinDistance(word, name, CliConfig.defaultConfig) })
  )
    .filter(({ edits }) => edits <= maxEdits)
    .toSorted((a, b) => a.edits - b.edits)
  return best?.name
}
