import { Either, Redacted } from "effect"
import { type GroupRole, parseGroupRoles } from "../../../domain/kernel/GroupRole.ts"
import { findTemplateProblem } from "../../../domain/kernel/LogUrl.ts"
import { parseAllowedTarget } from "../../../domain/kernel/net/AllowedTarget.ts"
import { isCidr } from "../../../domain/kernel/net/Cidr.ts"
import { isHostName } from "../../../domain/kernel/net/HostName.ts"
import { hasCredentials, maskCredentials } from "../../../domain/kernel/net/UrlCredentials.ts"
import { parseSender, parseSmtpUrl } from "../../../domain/kernel/Smtp.ts"
import { publicKeyOf } from "../keys/SigningKeys.ts"

/** One setting of the program: its name, type, range, default, secret or not, and a line of text. */
export interface Setting<A> {
  readonly name: string
  /** The kind of value, for display: `integer 1..500`, `duration in seconds`, `comma-separated list`. */
  readonly type: string
  readonly secret: boolean
  /** Whether the tunables file of `SVC_HOME` may set it (secrets and the database may not be set there). */
  readonly tunable: boolean
  readonly line: string
  /** The value where the environment, its file and the tunables file set none. */
  readonly default: A
  readonly parse: (textSetting: string) => Either.Either<A, string>
  readonly print: (value: A) => string
}

type SettingOptions = { readonly tunable?: boolean }

/** A setting that is no secret. */
const publicSetting = <A>(
  name: string,
  line: string,
  kind: Pick<Setting<A>, "type" | "default" | "parse" | "print">,
  { tunable = true }: SettingOptions = {}
): Setting<A> => ({ name, line, secret: false, tunable, ...kind })

/** The value of a setting that is not set, and the bounds of any value, both included. */
interface NumberRange {
  readonly default: number
  readonly min: number
  readonly max: number
}

export const integer = (
  name: string,
  { default: fallback, max, min }: NumberRange,
  line: string,
  options?: SettingOptions
): Setting<number> =>
  publicSetting(name, line, {
    type: `integer ${min}..${max}`,
    default: fallback,
    parse: (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN
      return value >= min && value <= max
        ? Either.right(value)
        : Either.left(`must be a whole number from ${min} to ${max}, but is "${text}"`)
    },
    print: String
  }, options)

export const text = (
  name: string,
  { default: fallback }: { readonly default: string },
  line: string,
  options?: SettingOptions
): Setting<string> =>
  publicSetting(name, line, {
    type: "text",
    default: fallback,
    parse: Either.right,
    print: maskCredentials
  }, options)

export const decimal = (
  name: string,
  { default: fallback, max, min }: NumberRange,
  line: string
): Setting<number> =>
  publicSetting(name, line, {
    type: `number ${min}..${max}`,
    default: fallback,
    parse: (text) => {
      const value = /^\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN
      return value >= min && value <= max
        ? Either.right(value)
        : Either.left(`must be a number from ${min} to ${max}, but is "${text}"`)
    },
    print: String
  })

export const flag = (
  name: string,
  { default: fallback }: { readonly default: boolean },
  line: string
): Setting<boolean> =>
  publicSetting(name, line, {
    type: "true | false",
    default: fallback,
    parse: (text) => {
      const known = /^(true|false)$/i.test(text)
      return known
        ? Either.right(text.toLowerCase() === "true")
        : Either.left(`must be true or false, but is "${text}"`)
    },
    print: String
  })

export const oneOf = <A extends string>(
  name: string,
  { default: fallback, values }: { readonly default: A; readonly values: ReadonlyArray<A> },
  line: string
): Setting<A> =>
  publicSetting(name, line, {
    type: values.join(" | "),
    default: fallback,
    parse: (text) => {
      const value = values.find((value) => value === text.toLowerCase())
      return value === undefined
        ? Either.left(`must be one of ${values.join(", ")}, but is "${text}"`)
        : Either.right(value)
    },
    print: (value) => value
  })

export const list = (name: string, line: string): Setting<ReadonlyArray<string>> =>
  publicSetting<ReadonlyArray<string>>(name, line, {
    type: "comma-separated list",
    default: [],
    parse: (text) => Either.right(text.split(",").map((part) => part.trim()).filter((part) => part !== "")),
    print: (value) => value.join(",")
  })

export const url = (name: string, line: string): Setting<string> => ({
  ...text(name, { default: "" }, line),
  type: "http or https URL",
  parse: (text) =>
    hasCredentials(text)
      ? Either.left("must be a URL without a user name or password: it is shown to people")
      : text === "" || (/^https?:\/\//i.test(text) && URL.canParse(text))
      ? Either.right(text.replace(/^https?/i, (scheme) => scheme.toLowerCase())) // compared in many places
      : Either.left(`must be an http or https URL, but is "${text}"`)
})

/** A URL with placeholders for a task's values. */
export const urlTemplate = (name: string, line: string): Setting<string> => ({
  ...text(name, { default: "" }, line),
  type: "http or https URL with placeholders",
  parse: (text) => {
    if (hasCredentials(text)) {
      return Either.left("must be a URL without a user name or password: it is shown to people")
    }
    const problem = text === "" ? null : findTemplateProblem(text)
    return problem === null ? Either.right(text) : Either.left(problem)
  }
})

/** The environment alone sets it: what a public key proves is as good as the place it is in. */
export const publicKey = (name: string, line: string): Setting<string> => ({
  ...text(name, { default: "" }, line, { tunable: false }),
  type: "Ed25519 public key",
  parse: (text) =>
    text === "" || publicKeyOf(text) !== undefined
      ? Either.right(text)
      : Either.left(`must be 32 bytes as base64url (43 characters), but is "${text}"`)
})

/** Scheme, host and port of an https server that the program calls by itself. */
export const origin = (name: string, fallback: string, line: string): Setting<string> => ({
  ...text(name, { default: fallback }, line),
  type: "https origin",
  parse: (text) =>
    URL.canParse(text) && new URL(text).protocol === "https:" && new URL(text).origin === text
      ? Either.right(text)
      : Either.left(`must be an https origin such as ${fallback}, without a path, but is "${maskCredentials(text)}"`)
})

/** A list of which each part must pass; `wanted` says what a part is, such as `IP addresses`. */
export const listOf = (
  name: string,
  partDescription: string,
  isPart: (part: string) => boolean,
  line: string
): Setting<ReadonlyArray<string>> => {
  const parts = list(name, line)
  return {
    ...parts,
    parse: (text) =>
      Either.flatMap(parts.parse(text), (values) => {
        const invalid = values.find((value) => !isPart(value))
        return invalid === undefined
          ? Either.right(values)
          : Either.left(`must be ${partDescription}, but has "${invalid}"`)
      })
  }
}

export const ranges = (name: string, line: string) =>
  listOf(name, "IP addresses or ranges such as 10.0.0.0/8", isCidr, line)

/** Internal addresses that the program may call, each with its ports (`domain/kernel/net/AllowedTarget.ts`). */
export const targets = (name: string, line: string) =>
  listOf(
    name,
    "IP addresses or ranges with ports such as 10.0.0.0/8:443 or [fd00::/8]:443",
    (part) => parseAllowedTarget(part) !== null,
    line
  )

const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text

export const origins = (name: string, line: string) =>
  listOf(name, "origins such as https://app.example.com, without a path", isOrigin, line)

export const hostNames = (name: string, line: string) =>
  listOf(name, "host names or addresses without a port", isHostName, line)

type Secret = Setting<Redacted.Redacted | null>

const parseSecret = (isValid: (text: string) => boolean, problem: string): Secret["parse"] => (text) =>
  isValid(text) ? Either.right(Redacted.make(text)) : Either.left(problem)

export const secret = (name: string, line: string, least = 1): Secret => ({
  name,
  type: least > 1 ? `secret, at least ${least} characters` : "secret",
  secret: true,
  tunable: false,
  line,
  default: null,
  parse: parseSecret((text) => text.length >= least, `must have at least ${least} characters`),
  print: (value) => (value === null ? "" : "********")
})

/** A secret of so many bytes at least, in UTF-8. */
export const secretBytes = (name: string, line: string, least: number): Secret => ({
  ...secret(name, line),
  type: `secret, at least ${least} bytes`,
  parse: parseSecret((text) => Buffer.byteLength(text, "utf8") >= least, `must have at least ${least} bytes`)
})

/** A secret URL: its holder can write there. */
export const secretUrl = (name: string, line: string): Secret => ({
  ...secret(name, line),
  type: "secret URL",
  parse: parseSecret((text) => {
    const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null
    return url !== null && url.username === "" && url.password === ""
  }, "must be an http or https URL without a user name in it")
})

export const secretUrls = (name: string, line: string): Secret => ({
  ...secretUrl(name, line),
  type: "secret URLs",
  parse: (text) =>
    Either.map(
      Either.all(text.split(",").map((part) => secretUrl(name, line).parse(part.trim()))),
      () => Redacted.make(text)
    )
})

/** 32 bytes each; commas and white space stand between them. */
export const parseKeys = (text: string): ReadonlyArray<Buffer> =>
  text.split(/[\s,]+/).filter((part) => part !== "").map((part) => Buffer.from(part, "base64url"))

/** Several, so that a new key can be known everywhere before it is used, and an old one as long as it is needed. */
export const keys = (name: string, line: string): Secret => ({
  ...secret(name, line, 43),
  parse: parseSecret(
    (text) => parseKeys(text).length > 0 && parseKeys(text).every(({ length }) => length === 32),
    "must be keys of 32 bytes as base64url (43 characters), with commas between them"
  )
})

export const sentryProject = (name: string, line: string): Secret => ({
  ...secret(name, line),
  parse: parseSecret(
    (text) => /^https?:\/\/[^@/\s]+@[^/\s]+\/(.+\/)?\d+$/.test(text),
    "must look like https://key@host/project"
  )
})

export const smtpServer = (name: string, line: string): Secret => ({
  ...secret(name, line),
  parse: (text) => Either.map(parseSmtpUrl(text), () => Redacted.make(text))
})

/** Roles in projects by group of the sign-in provider. */
export const groupRoles = (name: string, line: string): Setting<ReadonlyArray<GroupRole>> =>
  publicSetting(name, line, {
    type: "comma-separated group=project:role",
    default: [],
    parse: parseGroupRoles,
    print: (value) => value.map(({ group, role, slug }) => `${group}=${slug}:${role}`).join(",")
  })

export const sender = (name: string, line: string): Setting<string> => ({
  ...text(name, { default: "" }, line),
  type: "e-mail address",
  parse: (text) => (text === "" ? Either.right(text) : Either.map(parseSender(text), () => text))
})
