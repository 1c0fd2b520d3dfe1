import { Console, Effect, Option } from "effect"
import { escapeText } from "../io/TerminalText.ts"
import { type Candidate, complete, type Completion } from "./Complete.ts"
import { splitLine } from "./CompletionScripts.ts"
import type { CommandDescription } from "./Describe.ts"

/** A person waits for the names: a brain that is away or slow gives none. */
const patience = "5 seconds"

/** Names of the brain for the parameter; none where it has none, is away, or refuses the key. */
const findNames = ({ names, project, typed }: Completion) =>
  Effect.gen(function*() {
    if (names === null) return []
    const [{ namesFor }, { withRemote }] = yield* Effect.promise(() =>
      Promise.all([import("../remote/Names.ts"), import("../remote/Remote.ts")])
    )
    const source = namesFor(names)
    if (source === undefined) return []
    const found = yield* withRemote(Option.fromNullable(project), source)
    return [...new Set(found)].filter((name) => name.startsWith(typed) && escapeText(name) === name)
      .map((value): Candidate => ({ value, description: "" }))
  }).pipe(Effect.timeout(patience), Effect.catchAllCause(() => Effect.succeed<ReadonlyArray<Candidate>>([])))

/** What bash replaces is its own word, which begins after the last `:`, `=` or `@` of the word that a person typed. */
const replacing = (typed: string, bashWord: string) => (value: string): string => {
  const kept = typed.endsWith(bashWord) ? typed.slice(0, typed.length - bashWord.length) : ""
  return value.startsWith(kept) ? value.slice(kept.length) : value
}

/**
 * Answers a completion script of `CompletionScripts.ts`: a candidate a line, with its description after a tab. `form` says
 * whether `given` are the words, or bash's word and its line.
 */
export const printCandidates = (
  root: ReadonlyMap<string, CommandDescription>,
  [form, ...given]: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const [bashWord = "", line = ""] = given
    const words = form === "bash" ? splitLine(line).slice(1) : given
    const completion = complete(root, words)
    const candidates = [...completion.candidates, ...(yield* findNames(completion))]
    const shorten = form === "bash" ? replacing(words.at(-1) ?? "", bashWord) : (value: string) => value
    const lines = candidates.map(({ description, value }) =>
      `${shorten(`${completion.prefix}${value}`)}${description === "" ? "" : `\t${description}`}`
    )
    if (lines.length > 0) yield* Console.log(lines.join("\n"))
  })
