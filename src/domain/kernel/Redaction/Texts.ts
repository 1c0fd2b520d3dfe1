/**
 * Secrets inside free text: exceptions, tracebacks, reasons, and strings anywhere in arguments and results. Only what
 * was found is replaced, so that a traceback stays readable. Every expression is linear in the length of the text: no
 * two parts of one can claim the same characters, and the long ones begin only where a word begins.
 */
import { extraSpellingPattern, spellingPattern } from "./Keys.ts"

/** Replaces a secret. Agents use the same text. */
export const REDACTED = "[REDACTED]"

/** Values that show by their own form what they are (agents' protocol, section 4.3). */
const FORMS: ReadonlyArray<readonly [form: RegExp, replacement: string]> = [
  // JSON Web Tokens
  [/(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]{5,}/g, REDACTED],
  // Authorization headers
  [/(?<!\w)(bearer)\s+[\w.~+/=-]{16,}/gi, `$1 ${REDACTED}`],
  [/(?<!\w)(authorization['"]?\s{0,4}[:=]\s{0,4}['"]?(?:basic|digest|token)\s{1,4})[\w.~+/=-]+/gi, `$1${REDACTED}`],
  // credentials in URLs: the host and the scheme stay
  [/(:\/\/)[^\s/@:"'\\]{0,256}:[^\s/@"'\\]{1,512}@/g, `$1${REDACTED}@`],
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  // Slack
  [/hooks\.slack\.com\/services\/[\w/]+/g, `hooks.slack.com/services/${REDACTED}`],
  [/(?<![\w-])xox[abeprs]-[\w-]{10,}/g, REDACTED],
  // Stripe, OpenAI, GitHub, GitLab, npm, AWS, Google, Twilio, SendGrid
  [/(?<![\w-])(?:sk|rk)_(?:live|test)_\w{10,}/g, REDACTED],
  [/(?<![\w-])whsec_\w{16,}/g, REDACTED],
  [/(?<![\w-])sk-(?:proj-|ant-)?[\w-]{20,}/g, REDACTED],
  [/(?<![\w-])gh[opsur]_\w{20,}/g, REDACTED],
  [/(?<![\w-])github_pat_\w{20,}/g, REDACTED],
  [/(?<![\w-])glpat-[\w-]{20,}/g, REDACTED],
  [/(?<![\w-])npm_\w{36,}/g, REDACTED],
  [/(?<![\w-])A[KS]IA[A-Z0-9]{16}(?!\w)/g, REDACTED],
  [/(?<![\w-])AIza[\w-]{35}/g, REDACTED],
  [/(?<![\w-])SK[0-9a-f]{32}(?!\w)/g, REDACTED],
  [/(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}/g, REDACTED]
]

/** Something of each form above, for one test of the whole text. */
export const formHintPattern = [
  "eyJ|bearer\\s|:\\/\\/|-----BEGIN",
  "xox[abeprs]-|[sr]k[_-]|whsec_|gh[opsur]_|github_pat|glpat-|npm_|A[KS]IA|AIza|SK[0-9a-f]{32}|SG\\."
].join("|")

const NAMES = [
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "secret",
  "token",
  "api key",
  "access key",
  "secret key",
  "private key",
  "authorization",
  "credentials",
  "cookie"
]

/**
 * `name=value` without spaces around the sign (query strings, connection strings, keyword arguments), and
 * `'name': value` with the name in quotes (the repr of a dict, JSON). A bare `name: value` is prose.
 */
const assignmentPattern = (names: ReadonlyArray<string>): RegExp =>
  new RegExp(
    `((?:${names.join("|")})(?:=|\\\\?['"]\\s{0,4}:\\s{0,4}))` +
      `(?!\\[REDACTED\\]|None\\b|True\\b|False\\b|null\\b|true\\b|false\\b)` +
      `(?:(")(?:[^"\\\\]|\\\\.)*"|(')(?:[^'\\\\]|\\\\.)*'|[^\\s,;&'"()[\\]{}]+)`,
    "gi"
  )

/** The name, and the secret in the quotes that it had. A function for each of 100 000 matches would take five times as long. */
const assignmentReplacement = `$1$2$3${REDACTED}$2$3`

/** Scrubs a text. `extra` names of keys count in assignments like the built-in ones. */
export const makeScrubber = (extra: ReadonlyArray<string>): (text: string) => string => {
  const assignment = assignmentPattern([
    ...NAMES.map(spellingPattern),
    ...extra.map(extraSpellingPattern).filter((name) => name !== "")
  ])
  return (text) => {
    let scrubbed = text
    for (const [form, replacement] of FORMS) scrubbed = scrubbed.replace(form, replacement)
    return scrubbed.replace(assignment, assignmentReplacement)
  }
}
