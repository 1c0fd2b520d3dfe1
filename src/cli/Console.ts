import type { Console } from "effect"
import { stripVTControlCharacters } from "node:util"
import { escapeText } from "./TerminalText.ts"

const joinParts = (parts: ReadonlyArray<unknown>): string => parts.map(String).join(" ")

/** An error or warning as one line; it may quote what others wrote. */
export const errorLine = (text: string): string =>
  `svc: ${escapeText(stripVTControlCharacters(text).trim().replace(/\s+/g, " "))}`

/**
 * The console of the program: no colours unless `colours`, an error as one line on standard error (`svc: …`), and no blank
 * lines at the end.
 */
export const makeConsole = (console: Console.Console, colours: boolean): Console.Console => ({
  ...console,
  log: (...parts) => {
    const text = joinParts(parts).trimEnd()
    return console.log(colours ? text : stripVTControlCharacters(text))
  },
  error: (...parts) => console.error(errorLine(joinParts(parts)))
})
