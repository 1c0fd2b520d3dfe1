import { Redacted } from "effect"
import type { SettingsShape } from "../../../services/kernel/Settings.ts"

/** Replaces what was removed. */
const mask = "***"

/** Shorter secrets are ordinary words too often to be replaced inside other words. */
const minSecretLength = 6

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Words of engineering that mix letters and digits: versions, units, algorithms, percentiles. */
const mixedWord =
  /^(v\d+|p\d{2,3}|\d{1,9}(ns|us|ms|s|m|h|d|k|kb|mb|gb|kib|mib|gib)|sha(1|256|512)|utf8|http[12]|h2c?|ipv[46]|node\d\d|base64(url)?|x64|arm64|\d{4}-\d\d-\d\dT\d\d)$/i
const plainSegment = /^([a-z]{0,24}|\d{1,10})$/i

/** A run of characters that credentials are made of is shown only if all of it are plain words or short numbers. */
const isPlain = (run: string): boolean =>
  uuid.test(run) || mixedWord.test(run) ||
  (run.length <= 60 && run.split(/[-_+=~%$]/).every((segment) => plainSegment.test(segment)))

const run = /[\w+=~%$-]+/g

/** `name: value` and `name=value` where the name announces a secret or a task's data: the rest of the line is masked. */
const announced =
  /\b(authorization|cookie|set-cookie|pass(?:word|wd|phrase)?|pwd|secret|token|api[-_ ]?key|private[-_ ]?key|hmac|signature|dsn|credentials?|args|kwargs|result|override\w*)\b(\\?["'])?\s*[:=].*/gi
const scheme = /\b(bearer|basic|digest)\s+\S+/gi
const jsonWebToken = /\beyJ[\w-]*\.[\w.-]*/g
const userInfo = /\/\/[^\s/?#]*@/g
const query = /\?\S+/g
const email = /[\w.+%-]+@[\w.-]+/g

export type Redact = (text: string) => string

/**
 * Makes a function that leaves words and short numbers of a text, and masks the rest: everything that is shaped like a
 * credential, e-mail addresses, queries and user names of URLs, and the given secrets, whatever they look like.
 */
export const makeRedact = (secrets: ReadonlySet<string>): Redact => {
  const known = [...secrets].filter(({ length }) => length >= minSecretLength).sort((a, b) => b.length - a.length)
  return (text) =>
    known.reduce((masked, secret) => masked.replaceAll(secret, mask), text)
      .replace(announced, (_all, name: string) => `${name}: ${mask}`)
      .replace(scheme, (_all, name: string) => `${name} ${mask}`)
      .replace(jsonWebToken, mask)
      .replace(userInfo, `//${mask}@`)
      .replace(query, `?${mask}`)
      .replace(email, mask)
      .replace(run, (word) => (isPlain(word) ? word : mask))
}

/** The secret, and the parts that a message may quote: of a list, and of a URL, as they are and decoded. */
const partsOf = (secret: string): ReadonlyArray<string> =>
  [secret, ...secret.split(/[\s,]+/)].flatMap((part) => {
    if (!URL.canParse(part)) return [part]
    const { password, pathname, searchParams, username } = new URL(part)
    return [part, password, decodeURIComponent(password), username, pathname.slice(1), ...searchParams.values()]
  })

/** Every secret of the settings, and these others, with their parts. */
export const listSecrets = (settings: SettingsShape, others: ReadonlyArray<string>): ReadonlySet<string> => {
  const ofSettings = Object.values(settings).filter((value) => Redacted.isRedacted(value)).map((value) =>
    String(Redacted.value(value))
  )
  return new Set([...ofSettings, ...others].flatMap(partsOf))
}
