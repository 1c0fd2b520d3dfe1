import { Effect, Either, Layer, Schema } from "effect"
import { maxConfigBytes } from "../../../domain/alerting/Channel.ts"
import { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Vault } from "../../kernel/keys/Keys.ts"
import type { ChannelConfig } from "./ChannelType.ts"
import { type AnyChannelType, ChannelTypes, mask } from "./ChannelTypes.ts"

const isTexts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A secret as responses show it: of a webhook's URL the host stays, of an object the names. */
const maskValue = (field: string, value: unknown): unknown => {
  if (isTexts(value)) return Object.fromEntries(Object.keys(value).map((name) => [name, mask]))
  return field === "webhook_url" && typeof value === "string" && URL.canParse(value)
    ? `${new URL(value).origin}/${mask}`
    : mask
}

/** The config without the fields of the program, and with its secrets masked. */
export const maskConfig = ({ internal, secrets }: AnyChannelType, config: ChannelConfig): ChannelConfig =>
  Object.fromEntries(
    Object.entries(config).filter(([field]) => !internal.includes(field)).map(([field, value]) => [
      field,
      secrets.includes(field) && value !== undefined ? maskValue(field, value) : value
    ])
  )

/** Whether a secret of the input means the stored one. */
const isPlaceholder = (field: string, input: unknown, stored: unknown): boolean =>
  input === undefined || input === "" || input === mask || (stored !== undefined && input === maskValue(field, stored))

/** The value of a secret after a change, and whether any of it is the stored one. */
const mergeSecret = (
  field: string,
  input: unknown,
  stored: unknown
): { readonly value: unknown; readonly isKept: boolean } => {
  if (input === null) return { value: undefined, isKept: false }
  if (isTexts(input)) {
    const storedTexts = isTexts(stored) ? stored : {}
    const names = new Map(Object.keys(storedTexts).map((name) => [name.toLowerCase(), name]))
    const merged = Object.entries(input).map(([name, text]) => {
      const storedText = storedTexts[names.get(name.toLowerCase()) ?? name]
      const isKept = storedText !== undefined && isPlaceholder(name, text, storedText)
      return { name, value: isKept ? storedText : text, isKept }
    })
    return {
      value: Object.fromEntries(merged.map(({ name, value }) => [name, value])),
      isKept: merged.some(({ isKept }) => isKept)
    }
  }
  return isPlaceholder(field, input, stored)
    ? { value: stored, isKept: stored !== undefined }
    : { value: input, isKept: false }
}

const purpose = "channels.sealed_config"

const decodeStored = Schema.decodeSync(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

interface Merged {
  readonly config: ChannelConfig
  /** The secrets that the change does not set. */
  readonly keptSecrets: ReadonlyArray<string>
}

/** The stored config with the fields of a change: an absent field keeps its value, null removes one. */
const mergeConfig = ({ internal, secrets }: AnyChannelType, stored: ChannelConfig, input: ChannelConfig): Merged => {
  const visible = Object.entries(stored).filter(([field]) => !internal.includes(field))
  const plain = Object.entries({ ...Object.fromEntries(visible), ...input }).filter(([field, value]) =>
    !secrets.includes(field) && value !== null && value !== undefined
  )
  const merged = secrets.map((field) => ({ field, ...mergeSecret(field, input[field], stored[field]) }))
  const present = merged.filter(({ value }) => value !== undefined).map(({ field, value }) => [field, value] as const)
  return {
    config: Object.fromEntries([...plain, ...present]),
    keptSecrets: merged.filter(({ isKept }) => isKept).map(({ field }) => field)
  }
}

const unknownType = (names: ReadonlyArray<string>) => ValidationFailed.at("type", `must be one of ${names.join(", ")}`)

/** Reads and writes configs of channels: validated, merged with the stored one, and masked. */
export class ChannelConfigs extends Effect.Service<ChannelConfigs>()("svc/ChannelConfigs", {
  effect: Effect.gen(function*() {
    const types = yield* ChannelTypes
    const vault = yield* Vault

    const findType = (type: string): Effect.Effect<AnyChannelType, ValidationFailed> => {
      const found = types.find(type)
      return found === undefined ? unknownType(types.names) : Effect.succeed(found)
    }

    const decode = (type: AnyChannelType, input: ChannelConfig): Effect.Effect<ChannelConfig, ValidationFailed> => {
      const internal = type.internal.find((field) => field in input)
      if (internal !== undefined) return ValidationFailed.at(`config.${internal}`, "is unexpected")
      return Either.mapLeft(type.decode(input), (issues) => new ValidationFailed({ issues }))
    }

    /** What is wrong beyond the form, such as an address that is not called. */
    const check = (type: AnyChannelType, config: ChannelConfig): Effect.Effect<void, ValidationFailed> =>
      type.check(config).pipe(
        Effect.mapError(({ field, why }) => ValidationFailed.at(`config.${field}`, why))
      )

    /** A valid config from a caller's input. */
    const validate = Effect.fn("ChannelConfigs.validate")(function*(typeName: string, input: ChannelConfig) {
      const type = yield* findType(typeName)
      // nothing is stored: an empty optional secret is none, and a mask is no secret
      const masked = type.secrets.find((field) => JSON.stringify(input[field] ?? null).includes(mask))
      if (masked !== undefined) {
        return yield* ValidationFailed.at(`config.${masked}`, "is masked: give the secret itself")
      }
      const config = yield* decode(type, mergeConfig(type, {}, input).config)
      yield* check(type, config)
      return config
    })

    /** The stored config with a change of it, valid. */
    const change = Effect.fn("ChannelConfigs.change")(
      function*(typeName: string, stored: ChannelConfig, input: ChannelConfig, now: Timestamp) {
        const type = yield* findType(typeName)
        const internal = type.internal.find((field) => field in input)
        if (internal !== undefined) return yield* ValidationFailed.at(`config.${internal}`, "is unexpected")
        const { config: merged, keptSecrets } = mergeConfig(type, stored, input)
        if (Buffer.byteLength(JSON.stringify(merged), "utf8") > maxConfigBytes) {
          return yield* ValidationFailed.at("config", `must be at most ${maxConfigBytes} bytes of JSON`)
        }
        const config = yield* decode(type, merged)
        const moved = keptSecrets.filter((field) => type.destination(config, field) !== type.destination(stored, field))
        // else who may change the channel, but never saw its secrets, could have them sent to a server of their own
        if (moved.length > 0) {
          return yield* new ValidationFailed({
            issues: moved.map((field) => ({
              path: `config.${field}`,
              message: "must be given again, because the config sends it to another destination"
            }))
          })
        }
        yield* check(type, config)
        return type.replace({ ...stored }, { ...internalOf(type, stored), ...config }, now)
      }
    )

    return {
      /** The text for `channels.sealed_config` of the row with this id. */
      seal: (id: string, config: ChannelConfig) => vault.seal(purpose, id, JSON.stringify(config)),
      /** Dies where the key is missing. */
      open: (id: string, sealed: string): Effect.Effect<ChannelConfig> =>
        Effect.map(Effect.orDie(vault.open(purpose, id, sealed)), decodeStored),
      validate,
      change,
      check: (typeName: string, config: ChannelConfig) =>
        Effect.flatMap(findType(typeName), (type) => check(type, config)),
      /** As responses show it, with a warning where the type has one. */
      show: (typeName: string, config: ChannelConfig) =>
        Effect.map(Effect.orDie(findType(typeName)), (type) => {
          const warning = type.warning(config)
          return { config: maskConfig(type, config), ...(warning !== null && { warning }) }
        })
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(ChannelTypes.layer))
}

/** What the program keeps beside the caller's fields outlives a change. */
const internalOf = ({ internal }: AnyChannelType, stored: ChannelConfig): ChannelConfig =>
  Object.fromEntries(internal.filter((field) => field in stored).map((field) => [field, stored[field]]))
