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

/** Names with their descriptions beside them, wrapped at 80 columns. */
const formatRows = (pairs: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const indent = Math.max(...pairs.map(([name]) => name.length)) + 4
  return pairs.flatMap(([name, text]) => {
    const lines: Array<string> = []
    let line = `  ${name}`.padEnd(indent)
    for (const word of text.split(" ")) {
      if (line.length + word.length > columns && line.trim() !== "") {
        lines.push(line.trimEnd())
        line = " ".repeat(indent)
      }
      line += `${word} `
    }
    return [...lines, line.trimEnd()]
  })
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

/**
 * The options of a group itself and their descriptions. The library prints an option, below it indented the type of its
 * value, its description, and whether it is optional.
 */
const ownOptionsOf = (command: CommandDescription): ReadonlyArray<readonly [string, string]> => {
  const text = /\nOPTIONS\n\n(.*?)(?=\n[A-Z]+\n\n|$)/s.exec(helpOf(command))?.[1] ?? ""
  return text.split(/\n(?=\S)/).flatMap((part) => {
    const [name = "", _type, ...lines] = part.split("\n").map((line) => line.trim()).filter((line) => line !== "")
    const description = lines.filter((line) => line !== "This setting is optional.").join(" ")
    return name === "" || builtInOptions.test(name) ? [] : [[name.replace(/^\((.*)\)$/, "$1"), description]]
  })
}

/** The commands of a group, each with its description; and its own options, where it does something itself. */
export const groupHelp = ({ command, path }: NamedCommand, runsAlone: boolean): string => {
  const prefix = path.join(" ")
  const options = runsAlone ? ownOptionsOf(command) : []
  return [
    descriptionOf(command),
    "",
    ...(options.length === 0 ? [] : [`Usage: ${prefix} [options]`, "", "Options", ...formatRows(options), ""]),
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
