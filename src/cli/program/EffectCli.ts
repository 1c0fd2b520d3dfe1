import { Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import { isInteractive } from "../io/Confirm.ts"
import { findClosest } from "./Closest.ts"
import { type CommandDescription, type NamedCommand, subcommandsOf, usageOf } from "./Describe.ts"
import { CliError } from "./Explain.ts"

/**
 * Workarounds for what @effect/cli 0.77.2 prints, all of them here. Each says what the library does; remove it when the
 * library does it right.
 */

const unknownCommand = (
  path: ReadonlyArray<string>,
  word: string,
  names: ReadonlyMap<string, CommandDescription>
): CliError => {
  const prefix = path.join(" ")
  const meant = findClosest(word, names.keys())
  const hint = meant === undefined
    ? `it has ${[...names.keys()].toSorted().join(", ")}`
    : `did you mean ${prefix} ${meant}?`
  return new CliError({ message: `${prefix} has no command ${word}; ${hint}`, usage: true })
}

/**
 * The command of the program that the words before the first option name. For an unknown word the library lists the
 * commands of the program, also where the word belongs to a group.
 */
export const findCommand = (
  program: string,
  root: ReadonlyMap<string, CommandDescription>,
  given: ReadonlyArray<string>
): NamedCommand | CliError | undefined => {
  const [first, second] = given
  if (first === undefined || first.startsWith("-")) return undefined
  const command = root.get(first)
  if (command === undefined) return unknownCommand([program], first, root)
  const subcommands = subcommandsOf(command)
  if (subcommands.size === 0 || second === undefined || second.startsWith("-")) {
    return { path: [program, first], command }
  }
  const subcommand = subcommands.get(second)
  return subcommand === undefined
    ? unknownCommand([program, first], second, subcommands)
    : { path: [program, first, second], command: subcommand }
}

/**
 * Refuses built-in options that the library gets wrong: the scripts of `--completions` know no names, and bash's no option of a
 * subcommand; without a terminal, `--wizard` waits for keys forever.
 */
export const rejectBuiltIns = (program: string, given: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    if (given.includes("--completions")) {
      return yield* new CliError({ message: `${program} completion prints the script of a shell`, usage: true })
    }
    if (given.includes("--wizard") && !(yield* isInteractive)) {
      return yield* new CliError({ message: "--wizard asks questions: run it in a terminal", usage: true })
    }
  })

/** How the library prints the heading of a list of commands. Texts of the API contain no escape character (`TerminalText.ts`). */
const listHeading = "\u001b[0;1mCOMMANDS\u001b[0m"

/** The library aligns the descriptions of commands to the right of the longest command line, outside any window. */
const foldCommandList = (text: string): string =>
  text.includes(listHeading) ? text.replace(/^( {2}- \S.*?) {2,}(\S.*)\n\n?/gm, "$1\n      $2\n") : text

interface GivenOption {
  readonly option: string
  readonly value: string
}

/** The options on the command line, each with the word after it. */
const optionsOf = (given: ReadonlyArray<string>): ReadonlyArray<GivenOption> =>
  given.flatMap((word, index) => {
    if (!word.startsWith("--")) return []
    const [option = "", joined] = word.split(/=(.*)/s)
    return [{ option, value: joined ?? given[index + 1] ?? "" }]
  })

/**
 * An error with the option and its wrong value. For an option that takes a whole number the library names the value only;
 * for a choice of values, neither. For an unknown option it suggests no name.
 */
const repairError = (
  given: ReadonlyArray<string>,
  command: CommandDescription | undefined,
  message: string
): string => {
  const plain = stripVTControlCharacters(message)
  const number = /'(.*)' is not a integer/.exec(plain)?.[1]
  if (number !== undefined) {
    const option = optionsOf(given).find(({ value }) => value === number)?.option ?? ""
    return `${option} takes a whole number, not '${number}'`
  }
  const unknown = /unknown argument: '(--[^']*)'/.exec(plain)?.[1]
  if (unknown !== undefined && command !== undefined) {
    const suggestion = findClosest(unknown.split("=", 1)[0] ?? "", usageOf(command).match(/--[a-z-]+/g) ?? [])
    return `unknown option ${unknown}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`
  }
  const choice = /Expected one of the following cases: (.*)/.exec(plain)?.[1]?.trim()
  if (choice === undefined || command === undefined) return message
  const values = choice.split(", ")
  const takesChoice = (option: string) => usageOf(command).includes(`${option} ${values.join(" | ")}`)
  const invalidOption = optionsOf(given).find(({ option, value }) => takesChoice(option) && !values.includes(value))
  return invalidOption === undefined
    ? message
    : `${invalidOption.option} takes one of ${choice}; not '${invalidOption.value}'`
}

/** Whether the words request help instead of running the command. */
export const hasHelpOption = (given: ReadonlyArray<string>): boolean => given.includes("--help") || given.includes("-h")

/** Runs the library's program with what it prints repaired. `named` is the command that the words name, if any. */
export const withRepairedOutput = (
  given: ReadonlyArray<string>,
  named: NamedCommand | undefined
) =>
<A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.consoleWith((console) =>
    Effect.withConsole(run, {
      ...console,
      log: (...parts) => console.log(...parts.map((part) => foldCommandList(String(part)))),
      error: (...parts) => console.error(...parts.map((part) => repairError(given, named?.command, String(part))))
    })
  )
