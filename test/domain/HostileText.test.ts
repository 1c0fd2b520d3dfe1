/**
 * A megabyte of hostile text costs the event loop little: of each operation on texts of others, the text that it takes
 * longest for is compared with one plain pass over as many characters in the same run. The measured ratios are 1 to 10; a
 * replacement by a call for each character is at 25 to 100, and what is quadratic at thousands.
 */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/domain/kernel/CanonicalJson.ts"
import { compileGlob } from "../../src/domain/kernel/Glob.ts"
import * as Redaction from "../../src/domain/kernel/Redaction.ts"
import { toStorable } from "../../src/domain/kernel/Text.ts"
import { truncateText } from "../../src/domain/kernel/TruncateText.ts"
import { describeFailure } from "../../src/domain/tasks/Failure/Fingerprint.ts"
import { exceptionLineOf } from "../../src/domain/tasks/Failure/TruncatedStack.ts"
import { describeLoss } from "../../src/domain/tasks/LossyCopy.ts"
import { truncateValues } from "../../src/domain/tasks/ValueTruncation.ts"
import { decodeHelloFrame } from "../../src/protocol/Hello.ts"
import { csvFormat, escapeFormula } from "../../src/services/kernel/Export/Formats.ts"

const characters = 1_000_000

const texts: Readonly<Record<string, string>> = {
  letters: "x",
  quotes: "\"",
  apostrophes: "'",
  controls: "\u0001",
  nuls: "\0",
  "nuls and letters": "\0x",
  "halves of surrogate pairs": "\ud800",
  emoji: "\u{1f4a5}",
  backslashes: "\\",
  newlines: "\n",
  formulas: ";=",
  blanks: "; \"",
  assignments: "token=x ",
  "quoted assignments": "'token': 'x' ",
  "open assignments": "password='",
  urls: "://:",
  "private keys": "-----BEGIN PRIVATE KEY-----",
  tokens: "eyJ ",
  "parts of a glob": "aaab",
  "open brackets": "[(..",
  frames: "  File \"a.py\", line 1, in f\n",
  "letters of a key, not its last": [..."клиентскийноме"].map((letter) => letter.repeat(4)).join("")
}

const redaction = Redaction.make(["customerid", "клиентский номер"])
const csv = csvFormat<string>(["text"], (text) => [escapeFormula(text)])
const literals = compileGlob("*b*aab*c*d")
const sets = compileGlob("a*[!x]?*[a-z]a*Z")

/** What is done to texts that agents and tasks write; JSON text has as many characters. */
const operations: Readonly<Record<string, (text: string, json: string) => unknown>> = {
  "redaction of a text": (text) => redaction.text(`password=x ${text}`),
  "redaction of JSON": (_, json) => redaction.json(`["password=x ",${json}]`),
  "parsing of JSON": (_, json) => parse(json),
  "truncation of a traceback": (_, json) => truncateValues(new Map([["traceback", json]]), 65_536),
  "truncation of arguments": (_, json) => truncateValues(new Map([["args", `[${json}]`]]), 65_536),
  "a storable text": (text) => toStorable(text),
  "a truncated text": (text) => truncateText(text, 500),
  "a csv cell": (text) => csv.slice([text], true),
  "a glob of literals": (text) => literals(text),
  "a glob of sets": (text) => sets(`a${text}`),
  "the fingerprint of an exception": (text) => describeFailure({ exception: text, traceback: null }),
  "the fingerprint of a traceback": (text) =>
    describeFailure({ exception: null, traceback: `Traceback (most recent call last):\n${text}` }),
  "the exception of a traceback": (text) => exceptionLineOf(`Traceback (most recent call last):\n${text}`),
  "marks of lossy copies": (_, json) => describeLoss(json),
  "a hello": (_, json) => decodeHelloFrame(`{"id":"h","payload":{"host":{"name":${json}}},"type":"hello","v":2}`)
}

/** Microseconds of the process, the least of several: other programs share the machine. */
const cost = (run: () => unknown): number => {
  let least = Infinity
  for (let round = 0; round < 5; round++) {
    const { user } = process.cpuUsage()
    run()
    least = Math.min(least, process.cpuUsage().user - user)
  }
  return least
}

/** Counts the words: one step for each character, as the least that any look at it takes. */
const pass = (text: string): number => {
  let words = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 32) words++
  return words
}

const repeat = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length)

/** JSON text of about so many characters. */
const jsonOf = (part: string): string => {
  const escaped = JSON.stringify(part.toWellFormed()).length - 2
  return JSON.stringify(repeat(part, Math.floor(characters / escaped) * part.length).toWellFormed())
}

const most = 20

describe.each(Object.entries(operations))("%s", (_name, operation) => {
  it.each(Object.keys(texts))("of %s takes few times as long as a look at each character", (name) => {
    const part = texts[name]!
    const text = repeat(part, characters)
    const json = jsonOf(part)
    const plain = Math.max(cost(() => pass(text)), 1000)
    const ratio = cost(() => operation(text, json)) / plain
    assert.isBelow(ratio, most, `${(ratio * plain / 1000).toFixed(0)} ms of CPU beside ${(plain / 1000).toFixed(0)} ms`)
  })
})
