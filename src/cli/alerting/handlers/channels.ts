import { Console, Effect, Schema } from "effect"
import { type Channel, ChannelCreate } from "../../../domain/alerting/Channel.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { isWholeId } from "../../io/ShortId.ts"
import { standardText } from "../../io/StandardInput.ts"
import { type Column, formatAge, formatFields, formatTable, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, show } from "../../remote/Handlers.ts"
import { printResponse, type Remote } from "../../remote/Remote.ts"
import type { definitions } from "../channels.ts"

const stateOf = ({ disabled_reason, is_active }: Channel): string =>
  is_active ? "active" : disabled_reason === undefined ? "inactive" : "disabled"

const columns: ReadonlyArray<Column<Channel>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "TYPE", cell: ({ type }) => type },
  { head: "STATE", cell: stateOf },
  { head: "CHANGED", cell: ({ updated_at }, view) => formatAge(updated_at, view), dropRank: 1 },
  idColumn("ID", ({ id }) => id, { dropRank: 2 })
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

/** The project's channel of this name or id, or part of an id. */
const findChannel = ({ api, slug }: Remote, given: string) =>
  Effect.flatMap(
    api.channels.list({ path: { slug } }),
    (channels) =>
      findOne(channels, { what: "channel", given, nameOf: ({ name }) => name, listedBy: "svc channels list" })
  )

/** A whole id needs no list, which the person may lack the role for. */
export const resolveChannelId = (remote: Remote, given: string) =>
  isWholeId(given) ? Effect.succeed(given) : Effect.map(findChannel(remote, given), ({ id }) => id)

const decodeConfig = Schema.decodeUnknown(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)

/** From standard input: a command line is in the process list, and a config has secrets. */
const readConfig = Effect.flatMap(standardText, (text) =>
  Effect.mapError(
    decodeConfig(text),
    () =>
      new CliError({
        usage: true,
        message: "standard input must have the channel's config as a JSON object, such as {\"url\": \"https://…\"}"
      })
  ))

const setActive = (is_active: boolean) =>
  show(function*(remote, { channel }: OptionsOf<typeof definitions.enable>) {
    const { id } = yield* findChannel(remote, channel)
    const path = { slug: remote.slug, channel_id: id }
    return yield* remote.api.channels.update({ path, payload: { is_active }, withResponse: true })
  }, ({ name }) => `${is_active ? "enabled" : "disabled"} ${escapeText(name)}`)

export const handlers: HandlersOf<typeof definitions> = {
  list: show(
    ({ api, slug }) => api.channels.list({ path: { slug }, withResponse: true }),
    (channels, _text, view) =>
      [formatTable(columns, channels, view), ...channels.flatMap(notesOf).map(escapeText)].join("\n")
  ),
  show: call(function*(remote, { channel: given, json }) {
    const channel = yield* findChannel(remote, given)
    yield* Console.log(json ? JSON.stringify(channel) : formatChannel(channel))
  }),
  create: show(function*({ api, slug }, { inactive, name, type }) {
    const config = yield* readConfig
    const payload = yield* decodeInput(ChannelCreate, { name, type, config, is_active: !inactive })
    return yield* api.channels.create({ path: { slug }, payload, withResponse: true })
  }, formatChannel),
  test: call(function*(remote, { channel, json }) {
    const { id, name } = yield* findChannel(remote, channel)
    const path = { slug: remote.slug, channel_id: id }
    const response = yield* remote.api.channels.test({ path, withResponse: true })
    const [{ error, status_code, success }] = response
    const code = status_code === null ? "" : ` (${status_code})`
    if (json || success) {
      yield* printResponse(response, json, () => `${escapeText(name)} accepted a test message${code}`)
    }
    if (!success) {
      const reason = escapeText(error ?? "no reason given")
      return yield* new CliError({ message: `${escapeText(name)} did not accept the test message${code}: ${reason}` })
    }
  }),
  enable: setActive(true),
  disable: setActive(false),
  delete: call(function*(remote, { channel, yes }) {
    const { id, name } = yield* findChannel(remote, channel)
    const label = `the channel ${escapeText(name)} (${id})`
    yield* confirm(yes, `Delete ${label}? Defaults and subscriptions lose it.`)
    yield* remote.api.channels.remove({ path: { slug: remote.slug, channel_id: id } })
    yield* Console.log(`deleted ${label}`)
  })
}
