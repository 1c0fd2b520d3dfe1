import { Effect, Either, ParseResult, Schema } from "effect"
import type { Issue } from "../../../domain/kernel/Errors.ts"
import { toStorable } from "../../../domain/kernel/Text.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { Outbound } from "../../kernel/Outbound.ts"
import type { Settings } from "../../kernel/Settings.ts"
import {
  type ChannelConfig,
  type ChannelType,
  type ConfigRefused,
  type Dispatch,
  SendFailed,
  type SendReceipt,
  type TargetRate
} from "./ChannelType.ts"
import { discord } from "./Types/Discord.ts"
import { email } from "./Types/Email.ts"
import { pagerduty } from "./Types/PagerDuty.ts"
import { slack } from "./Types/Slack.ts"
import { teams } from "./Types/Teams.ts"
import { telegram } from "./Types/Telegram.ts"
import { webhook } from "./Types/Webhook.ts"

/** What responses show instead of a secret. */
export const mask = "********"

/** A channel type whose config is any object: each method reads it by the type's schema. */
export interface AnyChannelType {
  readonly type: string
  readonly secrets: ReadonlyArray<string>
  readonly internal: ReadonlyArray<string>
  readonly rate: TargetRate
  /** Left: what is wrong, by the fields of the config. */
  readonly decode: (input: ChannelConfig) => Either.Either<ChannelConfig, ReadonlyArray<Issue>>
  readonly destination: (config: ChannelConfig, secret: string) => string
  readonly check: (config: ChannelConfig) => Effect.Effect<void, ConfigRefused>
  readonly warning: (config: ChannelConfig) => string | null
  readonly replace: (stored: ChannelConfig, next: ChannelConfig, now: Timestamp) => ChannelConfig
  readonly target: (config: ChannelConfig) => string
  /** Texts of the receipt and of the failure hold no secret of the config. */
  readonly send: (config: ChannelConfig, dispatch: Dispatch) => Effect.Effect<SendReceipt, SendFailed>
}

/** Texts that a response must not repeat: the values of secret fields, and of a URL also its path, which has the token. */
const secretTextsOf = (secrets: ReadonlyArray<string>, config: ChannelConfig): ReadonlyArray<string> =>
  secrets.flatMap((field) => {
    const value = config[field]
    return typeof value === "object" && value !== null ? Object.values(value) : [value]
  }).flatMap((value) => {
    if (typeof value !== "string") return []
    const url = URL.canParse(value) ? new URL(value) : null
    return url === null ? [value] : [value, url.pathname + url.search, url.pathname]
  }).filter((value) => value.length >= 6)

const maskTexts = (secrets: ReadonlyArray<string>, text: string): string =>
  toStorable(secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), text))

const eraseConfig = <Config extends object, Encoded>(
  channelType: ChannelType<Config, Encoded, Outbound | Settings>,
  provide: <A, E>(effect: Effect.Effect<A, E, Outbound | Settings>) => Effect.Effect<A, E>
): AnyChannelType => {
  const { internal, rate, schema, secrets, type } = channelType
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "error", errors: "all" })
  const read = Schema.decodeUnknownSync(schema)
  // the cast: what a schema of a config makes is a plain object
  const toConfig = (config: Config) => config as unknown as ChannelConfig
  return {
    type,
    secrets,
    internal,
    rate,
    decode: (input) =>
      Either.mapBoth(decode(input), {
        onLeft: (error) =>
          ParseResult.ArrayFormatter.formatErrorSync(error).slice(0, 20).map(({ message, path }) => ({
            path: ["config", ...path].join("."),
            message
          })),
        onRight: toConfig
      }),
    destination: (config, secret) => channelType.destination(read(config), secret),
    check: (config) => provide(channelType.check(read(config))),
    warning: (config) => channelType.warning?.(read(config)) ?? null,
    replace: (stored, next, now) =>
      channelType.replace === undefined ? next : toConfig(channelType.replace(read(stored), read(next), now)),
    target: (config) => `${type} ${channelType.target(read(config))}`,
    send: (config, dispatch) => {
      const texts = secretTextsOf(secrets, config)
      const maskBody = (body: string | null) => (body === null ? null : maskTexts(texts, body))
      return provide(channelType.send(read(config), dispatch)).pipe(Effect.mapBoth({
        onFailure: (failed) =>
          new SendFailed({
            ...failed,
            reason: maskTexts(texts, failed.reason),
            response_body: maskBody(failed.response_body)
          }),
        onSuccess: (receipt) => ({ ...receipt, response_body: maskBody(receipt.response_body) })
      }))
    }
  }
}

/** Every type of channel, by its name. */
export class ChannelTypes extends Effect.Service<ChannelTypes>()("svc/ChannelTypes", {
  effect: Effect.gen(function*() {
    const services = yield* Effect.context<Outbound | Settings>()
    const erase = <Config extends object, Encoded>(one: ChannelType<Config, Encoded, Outbound | Settings>) =>
      eraseConfig(one, Effect.provide(services))
    const all = [
      erase(webhook),
      erase(email),
      erase(slack),
      erase(telegram),
      erase(pagerduty),
      erase(discord),
      erase(teams)
    ]
    const byName = new Map(all.map((one) => [one.type, one]))
    return {
      names: [...byName.keys()],
      find: (type: string): AnyChannelType | undefined => byName.get(type)
    } as const
  })
}) {
  static readonly layer = this.Default
}
