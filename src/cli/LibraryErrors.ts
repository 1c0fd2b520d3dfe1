import { stripVTControlCharacters } from "node:util"
import { findClosest } from "./Closest.ts"
import { type CommandDescription, usageOf } from "./Help.ts"

interface GivenOption {
  readonly option: string
  readonly value: string
}

/** The options on the command line, with the values that stand behind them. */
const optionsOf = (given: ReadonlyArray<string>): ReadonlyArray<GivenOption> =>
  given.flatMap((word, at) => {
    if (!word.startsWith("--")) return []
    const [option = "", joined] = word.split(/=(.*)/s)
    return [{ option, value: joined ?? given[at + 1] ?? "" }]
  })

/**
 * An error of @effect/cli that says which option has which wrong value. For an option that takes a whole number the
 * library names the value only, for one that has a choice of values neither. An unknown option gets the closest name.
 */
export const errorWithOption = (given: ReadonlyArray<string>, command: CommandDescription | undefined, message: string): string => {
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
  const wrongOption = optionsOf(given).find(({ option, value }) => takesChoice(option) && !values.includes(value))
  return wrongOption === undefined ? message : `${wrongOption.option} takes one of ${choice}; not '${wrongOption.value}'`
}
