import { Console, Effect, type Option, Schema, Stream } from "effect"
import { type Channel, ChannelCreate } from "../../../domain/alerting/Channel.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { standardInput } from "../../io/StandardInput.ts"
import { type Column, formatAge, formatFields, formatTable } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, type Remote, withRemote } from "../../remote/Remote.ts"

interface Printing {
  readonly project: Option.Option<string>
  readonly json: boolean
}

interface OfChannel extends Printing {
  readonly channel: string
}

const stateOf = ({ disabled_reason, is_active }: Channel): string =>
  is_active ? "active" : disabled_reason === undefined ? "inactive" : "disabled"

const columns: ReadonlyArray<Column<Channel>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "TYPE", cell: ({ type }) => type },
  { head: "STATE", cell: stateOf },
  { head: "CHANGED", cell: ({ updated_at }, view) => formatAge(updated_at, view), dropRank: 1 },
  { head: "ID", cell: ({ id }) => id, dropRank: 2 }
]

/** What its owner should know. */
const notesOf = ({ disabled_reason, name, warning }: Channel): ReadonlyArray<string> => [
  ...(disabled_reason === undefined ? [] : [`${name}: disabled, because ${disabled_reason}`]),
  ...(warning === undefined ? [] : [`${name}: ${warning}`])
]

const formatChannel = (channel: Channel): string =>
  [
    formatFields([
      ["channel", channel.id],
      ["name", channel.name],
      ["type", channel.type],
      ["state", stateOf(channel)],
      ...Object.entries(channel.config).map(([field, value]) =>
        [field, typeof value === "string" ? value : JSON.stringify(value)] as const
      ),
      ["created", channel.created_at],
      ["changed", channel.updated_at]
    ]),
    ...notesOf(channel).map(escapeText)
  ].join("\n")

export const list = ({ json, project }: Printing) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.channels.list({ path: { slug }, withResponse: true }),
      (answer) =>
        printAnswer(
          answer,
          json,
          (channels, _text, view) =>
            [formatTable(columns, channels, view), ...channels.flatMap(notesOf).map(escapeText)].join("\n")
        )
    ))

/** The channel of this name or id. */
const findChannel = ({ api, slug }: Remote, given: string) =>
  Effect.gen(function*() {
    const channels = yield* api.channels.list({ path: { slug } })
    const [found, ...others] = channels.filter(({ id, name }) => name === given || id === given.toLowerCase())
    if (found === undefined) {
      return yield* new CliError({
        message: `no such channel: ${escapeText(given)}. svc channels list shows those of the project`
      })
    }
    if (others.length > 0) {
      return yield* new CliError({
        usage: true,
        message: `several channels are named ${escapeText(given)}: name one by its id, ${
          [found, ...others].map(({ id }) => id).join(" or ")
        }`
      })
    }
    return found
  })

export const show = ({ channel: given, json, project }: OfChannel) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const channel = yield* findChannel(remote, given)
      yield* Console.log(json ? JSON.stringify(channel) : formatChannel(channel))
    }))

const decodeConfig = Schema.decodeUnknown(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

/** From standard input: a command line is in the process list, and a config has secrets. */
const readConfig = standardInput.pipe(
  Stream.decodeText(),
  Stream.mkString,
  Effect.flatMap((text) =>
    Effect.mapError(
      decodeConfig(text),
      () =>
        new CliError({
          usage: true,
          message: "standard input must have the channel's config as a JSON object, such as {\"url\": \"https://…\"}"
        })
    )
  )
)

export const create = ({ inactive, json, name, project, type }: Printing & {
  readonly name: string
  readonly type: string
  readonly inactive: boolean
}) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const config = yield* readConfig
      const payload = yield* decodeInput(ChannelCreate, { name, type, config, is_active: !inactive })
      const answer = yield* api.channels.create({ path: { slug }, payload, withResponse: true })
      yield* printAnswer(answer, json, formatChannel)
    }))

export const test = ({ channel: given, json, project }: OfChannel) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id, name } = yield* findChannel(remote, given)
      const answer = yield* remote.api.channels.test({
        path: { slug: remote.slug, channel_id: id },
        withResponse: true
      })
      const [{ error, status_code, success }] = answer
      const code = status_code === null ? "" : ` (${status_code})`
      if (json || success) {
        yield* printAnswer(answer, json, () => `${escapeText(name)} accepted a test message${code}`)
      }
      if (!success) {
        return yield* new CliError({
          message: `${escapeText(name)} did not accept the test message${code}: ${
            escapeText(error ?? "no reason given")
          }`
        })
      }
    }))

const setActive = (is_active: boolean) => ({ channel: given, json, project }: OfChannel) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id } = yield* findChannel(remote, given)
      const path = { slug: remote.slug, channel_id: id }
      const answer = yield* remote.api.channels.update({ path, payload: { is_active }, withResponse: true })
      yield* printAnswer(answer, json, ({ name }) => `${is_active ? "enabled" : "disabled"} ${escapeText(name)}`)
    }))

export const enable = setActive(true)

export const disable = setActive(false)

export const remove = ({ channel: given, project, yes }: Omit<OfChannel, "json"> & { readonly yes: boolean }) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const channel = yield* findChannel(remote, given)
      const label = `the channel ${escapeText(channel.name)} (${channel.id})`
      yield* confirm(yes, `Delete ${label}? Defaults and subscriptions lose it.`)
      yield* remote.api.channels.remove({ path: { slug: remote.slug, channel_id: channel.id } })
      yield* Console.log(`deleted ${label}`)
    }))
