/**
 * Marks in copies of values that agents, engines and the brain keep to show: a secret was masked, or a part was left out.
 * No copy with a mark may return to a worker, which would take it for the value. Works on canonical JSON text, so a mark
 * is found at any depth.
 */
import type { Issue } from "../kernel/Errors.ts"
import { REDACTED } from "../kernel/Redaction/Texts.ts"

const cutPatterns: ReadonlyArray<RegExp> = [
  // the brain's bound of one value (ValueTruncation.ts)
  /"svc_truncated":\s*true/,
  /\[svc cut \d+ bytes/,
  // long strings, by every agent (agents' protocol, section 4.3)
  /\d+ more bytes truncated\]/,
  // values that an agent or the brain left out (LeftOut.ts)
  /\[(?:more than \d+ (?:characters|values)(?: in one message)?|an object of more than \d+ keys): left out\]/,
  /\[cannot be read\]/,
  // Celery's reprs of long arguments: "('aaa...', ...)", "{'a': [...]}"
  /(?<!\\)"[([{](?:[^"\\]|\\.)*(?:, \.\.\.|\.\.\.(?:'|\\"),?|[([{]\.\.\.)[)\]}]+"/,
  // Celery's marks anywhere in such a repr: "({'a': {'b': {...}}}, 5)"
  /(?<!\\)"[([{](?:[^"\\]|\\.)*[([{]\.\.\.[)\]}](?:[,)\]}]|: )/,
  // the same where an agent has parsed the repr: a value of Python's `...`, and a set of it
  /"\{?Ellipsis\}?"(?!\s*:)/
]

/** Why the canonical text of a value is no value but a lossy copy of one; null where it has no mark. */
export const describeLoss = (text: string): string | null => {
  if (text.includes(REDACTED)) {
    return `has ${REDACTED} where a secret was masked; send the secret itself`
  }
  const [mark] = cutPatterns.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
  return mark === undefined
    ? null
    : `has ${
      mark.length > maxMarkLength ? `…${mark.slice(-maxMarkLength)}` : mark
    } where a part was left out; send the whole value`
}

const maxMarkLength = 60

/** The fields with lossy copies, of canonical texts by field. */
export const lossIssues = (texts: Readonly<Record<string, string | undefined>>): ReadonlyArray<Issue> =>
  Object.entries(texts).flatMap(([path, text]) => {
    const message = text === undefined ? null : describeLoss(text)
    return message === null ? [] : [{ path, message }]
  })
