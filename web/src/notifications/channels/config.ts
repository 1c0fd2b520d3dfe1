import type { ChannelField } from "./channelTypes.ts"

export type ChannelConfig = Readonly<Record<string, unknown>>

/** The name of the box that removes a stored optional secret. */
export const removalOf = (field: string) => `remove ${field}`

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value.trim() : ""
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => line.trim()).filter(Boolean)

/** `X-Team: shop` of each line; a line without a colon is a name without a value, which the API refuses by name. */
export const readPairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const colon = line.indexOf(":")
      return colon === -1 ? [line, ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    })
  )

export const writePairs = (pairs: unknown): string =>
  typeof pairs === "object" && pairs !== null
    ? Object.entries(pairs).map(([name, value]) => `${name}: ${String(value)}`).join("\n")
    : ""

export const writeLines = (lines: unknown): string => Array.isArray(lines) ? lines.join("\n") : ""

/** Undefined: the request has no such field. Null removes a stored one. */
const valueOf = ({ isRequired, kind, name }: ChannelField, form: FormData, isStored: boolean): unknown => {
  const text = textOf(form, name)
  const absent = isStored ? null : undefined
  switch (kind) {
    case "secret":
    case "secretUrl":
      if (form.has(removalOf(name))) return null
      return text === "" ? undefined : text // an absent secret keeps the stored one
    case "port":
      return Number(text)
    case "tls":
      return form.has(name)
    case "lines":
      return linesOf(text)
    case "pairs":
    case "secretPairs":
      return text === "" ? absent : readPairs(text)
    default:
      return text === "" && !isRequired ? absent : text
  }
}

/** What the form says, as a config to create or test, or as a change of a stored one. */
export const readConfig = (
  fields: ReadonlyArray<ChannelField>,
  form: FormData,
  stored: ChannelConfig | null
): ChannelConfig =>
  Object.fromEntries(
    fields.map((field) => [field.name, valueOf(field, form, stored?.[field.name] !== undefined)] as const)
      .filter(([, value]) => value !== undefined)
  )

/** Where messages go, in one line: the address without its secret. */
export const describeDestination = (config: ChannelConfig): string => {
  const to = config.url ?? config.webhook_url ?? config.chat_id
  if (typeof to === "string") return to
  return Array.isArray(config.to_addrs) ? config.to_addrs.join(", ") : ""
}
