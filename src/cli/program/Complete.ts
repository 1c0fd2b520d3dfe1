import {
  argumentsOf,
  type CommandDescription,
  descriptionOf,
  optionsOf,
  type Parameter,
  subcommandsOf
} from "./Describe.ts"

/** A word that may follow on the command line; a shell that can shows the description beside it. */
export interface Candidate {
  readonly value: string
  readonly description: string
}

/** What may follow: these candidates, or the names that only a brain knows. */
export interface Completion {
  readonly candidates: ReadonlyArray<Candidate>
  /** The parameter whose value is typed, such as `--queue` or `<schedule>`, and the group of its command; null: none. */
  readonly names: { readonly group: string; readonly parameter: string } | null
  /** What was typed of the value. */
  readonly typed: string
  /** What stands before the value in its word: `--queue=`. */
  readonly prefix: string
  /** The project of the command line; null: that of the environment. */
  readonly project: string | null
}

const nothing: Completion = { candidates: [], names: null, typed: "", prefix: "", project: null }

const startingWith = (typed: string, candidates: ReadonlyArray<Candidate>): Completion => ({
  ...nothing,
  typed,
  candidates: candidates.filter(({ value }) => value.startsWith(typed))
})

const commandsOf = (typed: string, commands: ReadonlyMap<string, CommandDescription>): Completion =>
  startingWith(typed, [...commands].map(([value, command]) => ({ value, description: descriptionOf(command) })))

const helpOption: Candidate = { value: "--help", description: "Explain this command." }

const takesValue = ({ placeholder }: Parameter): boolean => placeholder !== null

/** The value of `--project` on the command line; null: it is not there. */
const projectOf = (words: ReadonlyArray<string>): string | null => {
  const joined = words.find((word) => word.startsWith("--project="))
  if (joined !== undefined) return joined.slice("--project=".length)
  const index = words.indexOf("--project")
  return index === -1 ? null : words[index + 1] ?? null
}

interface Typing {
  readonly group: string
  /** The words of the command before the one that is typed. */
  readonly before: ReadonlyArray<string>
  readonly current: string
}

const completeValue = (parameter: Parameter | undefined, { before, group }: Typing, typed: string, prefix = "") => {
  if (parameter === undefined) return nothing
  const { choices, names } = parameter
  const values = startingWith(typed, choices.map((value) => ({ value, description: "" })))
  const name = names.at(-1) ?? ""
  return {
    ...values,
    prefix,
    names: choices.length > 0 ? null : { group, parameter: name },
    project: projectOf(before)
  } satisfies Completion
}

/** The position of the argument that is typed: the words before it without options and their values. */
const positionOf = (before: ReadonlyArray<string>, options: ReadonlyArray<Parameter>): number => {
  let position = 0
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ""
    if (!word.startsWith("-")) position++
    else if (options.some((option) => takesValue(option) && option.names.includes(word))) index++
  }
  return position
}

const completeParameter = (command: CommandDescription, typing: Typing): Completion => {
  const { before, current } = typing
  const options = optionsOf(command)
  const optionOf = (word: string | undefined) =>
    options.find((option) => takesValue(option) && option.names.includes(word ?? ""))
  const awaiting = optionOf(before.at(-1))
  if (awaiting !== undefined) return completeValue(awaiting, typing, current)
  const [, joined, value = ""] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? []
  if (joined !== undefined) return completeValue(optionOf(joined), typing, value, `${joined}=`)
  if (current.startsWith("-")) {
    const unused = options.filter(({ isRepeated, names }) => isRepeated || !names.some((name) => before.includes(name)))
    return startingWith(current, [
      ...unused.map(({ description, names }) => ({ value: names.at(-1) ?? "", description })),
      helpOption
    ])
  }
  const parameters = argumentsOf(command)
  const last = parameters.at(-1)
  const parameter = parameters[positionOf(before, options)] ?? (last?.isRepeated === true ? last : undefined)
  return completeValue(parameter, typing, current)
}

/** What may follow on the command line: `words` are those after the program's name, the last one as far as it is typed. */
export const complete = (
  root: ReadonlyMap<string, CommandDescription>,
  words: ReadonlyArray<string>
): Completion => {
  const current = words.at(-1) ?? ""
  const [first, ...rest] = words.slice(0, -1)
  if (first === undefined) {
    return current.startsWith("-")
      ? startingWith(current, [helpOption])
      : commandsOf(current, root)
  }
  const command = root.get(first)
  if (command === undefined) return nothing
  const commands = subcommandsOf(command)
  const [second = "", ...others] = rest
  const subcommand = commands.get(second)
  if (subcommand !== undefined) return completeParameter(subcommand, { group: first, before: others, current })
  return commands.size > 0 && rest.length === 0 && !current.startsWith("-")
    ? commandsOf(current, commands)
    : completeParameter(command, { group: first, before: rest, current })
}
