import { CliConfig, CommandDescriptor, HelpDoc, Usage } from "@effect/cli"
import { HashMap, HashSet } from "effect"
import { stripVTControlCharacters } from "node:util"

export type CommandDescription = CommandDescriptor.Command<unknown>

/** Commands under one heading of the program's `--help`. */
export interface Section {
  readonly heading: string
  readonly commands: ReadonlyArray<CommandDescription>
}

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

const descriptionOf = (command: CommandDescription): string =>
  /DESCRIPTION\n\n(.*?)\n/s.exec(helpOf(command))?.[1]?.trim() ?? ""

/** The arguments in a command's usage: `<task>`, `[<revision>]`, `<task>...`. */
export const argumentsOf = (command: CommandDescription): string =>
  (usageOf(command).match(/ \[?<[\w-]+>\]?(\.\.\.)?/g) ?? []).join("")

const columns = 80

/** The words of a text on lines of at most 80 columns: the first begins with `head`, the others are indented by its width. */
const wrap = (text: string, head = ""): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = head
  for (const word of text.split(" ")) {
    if (line.length + word.length > columns && line.trim() !== "") {
      lines.push(line.trimEnd())
      line = " ".repeat(head.length)
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()]
}

/** Names with their descriptions beside them. */
const formatRows = (pairs: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const indent = Math.max(...pairs.map(([name]) => name.length)) + 4
  return pairs.flatMap(([name, text]) => wrap(text, `  ${name}`.padEnd(indent)))
}

/** What a program's `--help` shows besides its commands. */
export interface ProgramDescription {
  readonly name: string
  /** One line: what it does. */
  readonly summary: string
  readonly examples: ReadonlyArray<readonly [string, string]>
}

/** Every command of a program in at most 80 columns. A group lists the names of its commands. */
export const rootHelp = (
  { examples, name, summary }: ProgramDescription,
  version: string,
  sections: ReadonlyArray<Section>
): string =>
  [
    `${name} ${version}: ${summary}`,
    "",
    `Usage: ${name} <command> [options]`,
    ...sections.flatMap(({ commands, heading }) => [
      "",
      heading,
      ...formatRows(commands.map((command) => {
        return [
          nameOf(command),
          isGroup(command) ? [...subcommandsOf(command).keys()].join(", ") : descriptionOf(command)
        ] as const
      }))
    ]),
    "",
    "Examples",
    ...formatRows(examples),
    "",
    `${name} <command> --help explains a command.`
  ].join("\n")

/** Options that the library adds to every command. */
const builtInOptions = /--(completions|log-level|help|wizard|version)\b/

/** What the library says of an argument or option besides our description: the type of its value, and how often it is given. */
const libraryWords =
  /^(A user-defined piece of text\.|A true or false value\.|An? (integer|floating point number)\.|One of the following: .*|This (setting|option|argument) .*)$/

/** What people type for a value of a type of the library. */
const placeholders: Readonly<Record<string, string>> = { text: "<text>", integer: "<number>", float: "<number>" }

/** `--state <…>` for the library's `--state pending | received`, and `-o, --output <text>` for `(-o, --output text)`. */
const headOf = (usage: string): string => {
  const [, names = usage, type = "", repeated = ""] =
    /^\(?((?:-\w, )?--[\w-]+)(?: ([^.)]+))?\)?(\.\.\.)?$/.exec(usage) ?? []
  return type === "" ? names : `${names} ${placeholders[type] ?? "<choice>"}${repeated}`
}

/**
 * The arguments or the options of a command, each with its description. The library prints an entry's usage, and below it
 * indented the type of its value, its description, and whether it is optional.
 */
const entriesOf = (
  command: CommandDescription,
  heading: "ARGUMENTS" | "OPTIONS"
): ReadonlyArray<readonly [string, string]> => {
  const text = new RegExp(`\\n${heading}\\n\\n(.*?)(?=\\n[A-Z]+\\n\\n|$)`, "s").exec(helpOf(command))?.[1] ?? ""
  return text.split(/\n(?=\S)/).flatMap((part) => {
    const [usage = "", ...lines] = part.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    if (usage === "" || builtInOptions.test(usage)) return []
    const own = lines.filter((line) => !libraryWords.test(line))
    const choices = lines.find((line) => line.startsWith("One of the following: "))?.replace(
      "One of the following",
      "One of"
    )
    const isRequired = heading === "OPTIONS" &&
      !lines.some((line) => line === "A true or false value." || /^This (setting|option) /.test(line))
    const description = [
      ...own,
      ...(choices === undefined ? [] : [`${choices}.`]),
      ...(isRequired ? ["Required."] : [])
    ]
    return [[heading === "OPTIONS" ? headOf(usage) : usage, description.join(" ")]]
  })
}

const formatEntries = (command: CommandDescription, heading: "ARGUMENTS" | "OPTIONS"): ReadonlyArray<string> => {
  const entries = entriesOf(command, heading)
  return entries.length === 0 ? [] : ["", heading === "OPTIONS" ? "Options" : "Arguments", ...formatRows(entries)]
}

/** How a command is typed, with each of its arguments and options. */
export const commandHelp = ({ command, path }: NamedCommand): string => {
  const options = formatEntries(command, "OPTIONS")
  return [
    ...wrap(descriptionOf(command)),
    "",
    `Usage: ${path.join(" ")}${options.length === 0 ? "" : " [options]"}${argumentsOf(command)}`,
    ...formatEntries(command, "ARGUMENTS"),
    ...options
  ].join("\n")
}

/** The commands of a group, each with its description; and its own options, where it does something itself. */
export const groupHelp = ({ command, path }: NamedCommand, runsAlone: boolean): string => {
  const prefix = path.join(" ")
  return [
    ...wrap(descriptionOf(command)),
    "",
    ...(runsAlone ? [`Usage: ${prefix} [options]`, ...formatEntries(command, "OPTIONS"), ""] : []),
    `Usage: ${prefix} <command> [options]`,
    "",
    "Commands",
    ...formatRows(
      [...subcommandsOf(command)].map(([name, below]) =>
        [`${name}${argumentsOf(below)}`, descriptionOf(below)] as const
      )
    ),
    "",
    `${prefix} <command> --help explains a command.`
  ].join("\n")
}
