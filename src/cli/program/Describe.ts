import { CliConfig, CommandDescriptor, HelpDoc, Usage } from "@effect/cli"
import { HashMap, HashSet } from "effect"
import { stripVTControlCharacters } from "node:util"

export type CommandDescription = CommandDescriptor.Command<unknown>

/** A command that the command line names, and the words that lead to it, with the program's name first. */
export interface NamedCommand {
  readonly path: ReadonlyArray<string>
  readonly command: CommandDescription
}

export const nameOf = (command: CommandDescription): string =>
  HashSet.toValues(CommandDescriptor.getNames(command))[0] ?? ""

/** The commands of a group. For a command without subcommands the library returns the command itself. */
export const subcommandsOf = (command: CommandDescription): ReadonlyMap<string, CommandDescription> => {
  const subcommands = HashMap.toEntries(CommandDescriptor.getSubcommands(command)).toSorted(([a], [b]) =>
    a.localeCompare(b, "en")
  )
  return subcommands.some(([name]) => name === nameOf(command)) ? new Map() : new Map(subcommands)
}

/** Whether the command has subcommands. Without one it prints its help, except `metrics-token`, which prints the token. */
export const isGroup = (command: CommandDescription): boolean => subcommandsOf(command).size > 0

const helpOf = (command: CommandDescription): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(CommandDescriptor.getHelp(command, CliConfig.defaultConfig)))

/** A command's name, options and arguments on one line, as the library prints them. */
export const usageOf = (command: CommandDescription): string =>
  stripVTControlCharacters(HelpDoc.toAnsiText(Usage.getHelp(CommandDescriptor.getUsage(command)))).trim()

export const descriptionOf = (command: CommandDescription): string =>
  /DESCRIPTION\n\n(.*?)\n/s.exec(helpOf(command))?.[1]?.trim() ?? ""

/** The arguments in a command's usage: `<task>`, `[<revision>]`, `<task>...`. */
export const argumentUsageOf = (command: CommandDescription): string =>
  (usageOf(command).match(/ \[?<[\w-]+>\]?(\.\.\.)?/g) ?? []).join("")

/** An argument or an option of a command. */
export interface Parameter {
  /** Of an option `--output`, after a short name such as `-o`; of an argument its name in angle brackets. */
  readonly names: ReadonlyArray<string>
  /** What a person types for its value, such as `<text>`; null: an option without a value. */
  readonly placeholder: string | null
  /** The only values; empty: others too. */
  readonly choices: ReadonlyArray<string>
  readonly description: string
  readonly isRepeated: boolean
  readonly isRequired: boolean
}

/** Options that the library adds to every command. */
const builtInOptions = /--(completions|log-level|help|wizard|version)\b/

/** What the library says of a parameter besides our description: the type of its value, and how often it is given. */
const libraryWords =
  /^(A user-defined piece of text\.|A true or false value\.|An? (integer|floating point number)\.|One of the following: .*|This (setting|option|argument) .*)$/

const placeholders: Readonly<Record<string, string>> = { text: "<text>", integer: "<number>", float: "<number>" }

/**
 * The parameters under a heading of the library's help. It prints the usage of each, such as `(-o, --output text)` or
 * `--state pending | received`, and below it indented the type of its value, its description, and whether it is optional.
 */
const parametersUnder = (heading: "ARGUMENTS" | "OPTIONS", command: CommandDescription): ReadonlyArray<Parameter> => {
  const text = new RegExp(`\\n${heading}\\n\\n(.*?)(?=\\n[A-Z]+\\n\\n|$)`, "s").exec(helpOf(command))?.[1] ?? ""
  return text.split(/\n(?=\S)/).flatMap((part) => {
    const [usage = "", ...lines] = part.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    if (usage === "" || builtInOptions.test(usage)) return []
    const [, names = "", type] = /^\(?((?:-\w, )?--[\w-]+|<[\w-]+>)(?: ([^.)]+))?\)?(?:\.\.\.)?$/.exec(usage) ?? []
    const choices = /^One of the following: (.*)$/m.exec(lines.join("\n"))?.[1]?.split(", ") ?? []
    const isOptional = lines.some((line) =>
      line === "A true or false value." || /^This \w+ (is optional|may be)/.test(line)
    )
    return [{
      names: names.split(", "),
      placeholder: type === undefined ? null : placeholders[type] ?? "<choice>",
      choices,
      description: lines.filter((line) => !libraryWords.test(line)).join(" "),
      isRepeated: usage.endsWith("..."),
      isRequired: !isOptional
    }]
  })
}

export const optionsOf = (command: CommandDescription): ReadonlyArray<Parameter> => parametersUnder("OPTIONS", command)

/** In the order in which they are typed. */
export const argumentsOf = (command: CommandDescription): ReadonlyArray<Parameter> =>
  parametersUnder("ARGUMENTS", command)
