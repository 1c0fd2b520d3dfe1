/** Which key names hold secrets. */

/** The end of a name, in lower case and without separators, that says so beyond doubt: `dbPassword`, `X-API-Key`. */
const ENDINGS = [
  "password",
  "passwords",
  "passwd",
  "passphrase",
  "secret",
  "secrets",
  "token",
  "accesstokens",
  "refreshtokens",
  "apitokens",
  "authtokens",
  "bearertokens",
  "sessiontokens",
  "apikey",
  "apikeys",
  "secretkey",
  "accesskey",
  "privatekey",
  "signingkey",
  "encryptionkey",
  "authorization",
  "credential",
  "credentials",
  "cookie",
  "cookies",
  "socialsecurity",
  "socialsecuritynumber",
  "creditcard",
  "creditcardnumber",
  "cardnumber"
]

/** Short ones, that count only as the whole last word: `smtp_pass`, but not `compass`. */
const LAST_WORDS = ["pass", "pwd", "auth", "jwt", "ssn", "cvv", "cvc"]

/** Suffixes that keep the key secret: `password_hash`, `authorizationHeader`, `password2`. */
const TAIL = /(?:[ _.-]?(?:hash|digest|confirmation|confirm|repeat|again|value|header|plain|plaintext|[0-9]{1,2}))$/

const SPLIT_CAMEL = /([a-z0-9])([A-Z])/g
const SEPARATORS = /[^\p{L}\p{N}]+/gu

/** A name as lower-case words: `X-API-Key`, `xApiKey` and `x_api_key` are the same three. */
const wordsOf = (name: string): string => name.replace(SPLIT_CAMEL, "$1_$2").toLowerCase().replace(SEPARATORS, "_")

/** Characters of a key that are read: its end decides, and a key may have a megabyte. */
const maxReadLength = 200

const squash = (words: string): string => words.replaceAll("_", "")

const MAX_CACHED_KEYS = 4096
const MAX_CACHED_KEY_LENGTH = 64

/** Whether a key's value is secret. `extra` names match like the built-in ones: as the end of a key, in any spelling. */
export const makeSecretKeyTest = (extra: ReadonlyArray<string>): (key: string) => boolean => {
  const extraEndings = extra.map((name) => squash(wordsOf(name))).filter((name) => name !== "")
  const endings = [...ENDINGS, ...extraEndings]
  const longest = Math.max(maxReadLength, ...extra.map((name) => 2 * name.length))
  const hasHint = makeHint(extra)
  const isSecret = (key: string): boolean => {
    const end = key.slice(-longest)
    if (!hasHint(end)) return false // nearly all keys, in a tenth of the time
    const words = wordsOf(end).replace(/_+$/, "")
    return hasSecretEnding(words) || hasSecretEnding(words.replace(TAIL, ""))
  }
  const hasSecretEnding = (words: string): boolean => {
    const squashed = squash(words)
    const lastWord = words.slice(words.lastIndexOf("_") + 1)
    return endings.some((ending) => squashed.endsWith(ending)) || LAST_WORDS.includes(lastWord)
  }
  // Tasks have the same few keys again and again.
  const cache = new Map<string, boolean>()
  return (key) => {
    const before = cache.get(key)
    if (before !== undefined) return before
    const secret = isSecret(key)
    if (cache.size >= MAX_CACHED_KEYS) cache.clear()
    if (key.length <= MAX_CACHED_KEY_LENGTH) cache.set(key, secret)
    return secret
  }
}

/**
 * What may stand within a key's name, as in JSON text, where a control character is six. No letter is a separator: letters
 * that could be both would be tried in each way, which takes exponential time.
 */
const SEPARATOR = "(?:\\\\u[0-9a-f]{4}|\\\\[bfnrt]|[^\\p{L}\\p{N}]){0,8}"

/** What every name above has in it, as the source of a case-insensitive Unicode expression. */
export const keyHintPattern = [
  "pass|pwd|secret|token|auth|jwt|ssn|social|card|cv[vc]|cookie|credential",
  `(?:api|access|private|signing|encryption)${SEPARATOR}key`
].join("|")

/** Whether a key may be secret at all: a part of each name above, or how an extra name begins, is in it. */
const makeHint = (extra: ReadonlyArray<string>): (key: string) => boolean => {
  const firstLetters = extra.map((name) => Array.from(squash(wordsOf(name)).slice(0, 2)).join(SEPARATOR))
  const hint = new RegExp([keyHintPattern, ...firstLetters.filter((letters) => letters !== "")].join("|"), "iu")
  return (key) => hint.test(key)
}

/** What every key in JSON text has in it that is a spelling of `name`, as the source of a case-insensitive Unicode expression. */
export const extraHintPattern = (name: string): string => [...squash(wordsOf(name))].join(SEPARATOR)

/** `name` of these words in any spelling, as the source of a case-insensitive expression. */
export const spellingPattern = (name: string): string => name.split(" ").join("[ _.-]?")

/** The same for a name of people's, whose words are not known: `customer_id` is a spelling of `customerid`. */
export const extraSpellingPattern = (name: string): string =>
  wordsOf(name).split("_").filter((word) => word !== "").map((word) => [...word].join("[_.-]?")).join("[ _.-]?")
