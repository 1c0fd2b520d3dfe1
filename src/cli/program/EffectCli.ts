import { Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import { isInteractive } from "../io/Confirm.ts"
import { findClosest } from "./Closest.ts"
import { CliError } from "./Explain.ts"
import { type CommandDescription, type NamedCommand, subcommandsOf, usageOf } from "./Help.ts"

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

const shells = ["bash", "fish", "sh", "zsh"]

/**
 * Refuses built-in options that the library gets wrong: for an unknown shell, `--completions` lists the commands of the program; without a
 * terminal, `--wizard` waits for keys forever.
 */
export const rejectBuiltIns = (given: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const index = given.indexOf("--completions")
    if (index !== -1 && !shells.includes(given[index + 1] ?? "")) {
      return yield* new CliError({
        message: `--completions takes the name of a shell: ${shells.join(", ")}`,
        usage: true
      })
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

/**
 * The script of `--completions bash`. The library's own never finds the options of a subcommand: for `svc` it stores
 * `svc__tasks` and compares with `svc,tasks`, and doubles a dash in a name to `__`. It also completes a flag, which takes no value, with
 * nothing, and offers the values of a choice as one word.
 */
const repairBashScript = (program: string, script: string): string =>
  script
    .replace(/^( +)(svc[\w-]*),(\S+)\)$/gm, (_, indent: string, _program: string, path: string) => {
      const words = path.split(",")
      const last = words.pop()?.replaceAll("__", "-") ?? ""
      const parent = words.length === 0 ? program : [program.replaceAll("-", "__"), ...words].join("__")
      return `${indent}${parent},${last})`
    })
    .replace(/^ +--?[a-z-]+\)\n +COMPREPLY=\( "\$\{cur\}" \)\n +return 0\n +;;\n/gm, "")
    .replace(/compgen -W "[\w,-]+"/g, (values) => values.replaceAll(",", " "))

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

/** Runs the library's program of this name with what it prints repaired. `named` is the command that the words name, if any. */
export const withRepairedOutput = (
  program: string,
  given: ReadonlyArray<string>,
  named: NamedCommand | undefined
) => {
  const repairText = (text: string): string => {
    if (given.includes("--completions")) return repairBashScript(program, text)
    return foldCommandList(text)
  }
  return <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.consoleWith((console) =>
      Effect.withConsole(run, {
        ...console,
        log: (...parts) => console.log(...parts.map((part) => repairText(String(part)))),
        error: (...parts) => console.error(...parts.map((part) => repairError(given, named?.command, String(part))))
      })
    )
}
