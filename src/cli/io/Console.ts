import type { Console } from "effect"
import { stripVTControlCharacters } from "node:util"
import { escapeText } from "./TerminalText.ts"

const joinParts = (parts: ReadonlyArray<unknown>): string => parts.map(String).join(" ")

/** An error or warning of the program as one line; it may quote what others wrote. */
export const errorLine = (program: string, text: string): string =>
  `${program}: ${escapeText(stripVTControlCharacters(text).trim().replace(/\s+/g, " "))}`

/**
 * The console of the program: no colours unless `colours`, an error as one line on standard error (`svc: …`), and no blank
 * lines at the end.
 */
export const makeConsole = (program: string, console: Console.Console, colours: boolean): Console.Console => ({
  ...console,
  log: (...parts) => {
    const text = joinParts(parts).trimEnd()
    return console.log(colours ? text : stripVTControlCharacters(text))
  },
  error: (...parts) => console.error(errorLine(program, joinParts(parts)))
})
