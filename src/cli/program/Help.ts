import {
  argumentsOf,
  argumentUsageOf,
  type CommandDescription,
  descriptionOf,
  isGroup,
  type NamedCommand,
  nameOf,
  optionsOf,
  type Parameter,
  subcommandsOf
} from "./Describe.ts"

/** Commands under one heading of the program's `--help`. */
export interface Section {
  readonly heading: string
  readonly commands: ReadonlyArray<CommandDescription>
}

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

/** `-o, --output <text>`, `--scope <text>...`, `<task>...`. */
const headOf = ({ isRepeated, names, placeholder }: Parameter): string =>
  `${names.join(", ")}${placeholder === null ? "" : ` ${placeholder}`}${isRepeated ? "..." : ""}`

const formatParameters = (heading: string, parameters: ReadonlyArray<Parameter>): ReadonlyArray<string> =>
  parameters.length === 0 ? [] : [
    "",
    heading,
    ...formatRows(parameters.map((parameter) => {
      const { choices, description, isRequired, placeholder } = parameter
      return [
        headOf(parameter),
        [
          description,
          ...(choices.length === 0 ? [] : [`One of: ${choices.join(", ")}.`]),
          ...(isRequired && placeholder !== null ? ["Required."] : [])
        ].join(" ")
      ] as const
    }))
  ]

/** How a command is typed, with each of its arguments and options. */
export const commandHelp = ({ command, path }: NamedCommand): string => {
  const options = formatParameters("Options", optionsOf(command))
  return [
    ...wrap(descriptionOf(command)),
    "",
    `Usage: ${path.join(" ")}${options.length === 0 ? "" : " [options]"}${argumentUsageOf(command)}`,
    ...formatParameters("Arguments", argumentsOf(command)),
    ...options
  ].join("\n")
}

/** The commands of a group, each with its description; and its own options, where it does something itself. */
export const groupHelp = ({ command, path }: NamedCommand, runsAlone: boolean): string => {
  const prefix = path.join(" ")
  return [
    ...wrap(descriptionOf(command)),
    "",
    ...(runsAlone ? [`Usage: ${prefix} [options]`, ...formatParameters("Options", optionsOf(command)), ""] : []),
    `Usage: ${prefix} <command> [options]`,
    "",
    "Commands",
    ...formatRows(
      [...subcommandsOf(command)].map(([name, below]) =>
        [`${name}${argumentUsageOf(below)}`, descriptionOf(below)] as const
      )
    ),
    "",
    `${prefix} <command> --help explains a command.`
  ].join("\n")
}
