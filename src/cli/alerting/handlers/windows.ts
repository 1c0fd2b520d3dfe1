import { Console, DateTime, Effect, type Option } from "effect"
import {
  type MaintenanceWindow,
  MaintenanceWindowCreate,
  MaintenanceWindowUpdate
} from "../../../domain/alerting/Notification/MaintenanceWindow.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { parseInstant } from "../../io/Since.ts"
import { type Column, formatTable, type View } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, type Remote, withRemote } from "../../remote/Remote.ts"

interface Printing {
  readonly project: Option.Option<string>
  readonly json: boolean
}

const stateOf = ({ ends_at, starts_at }: MaintenanceWindow, { nowMillis }: View): string => {
  if (Date.parse(ends_at) <= nowMillis) return "ended"
  return Date.parse(starts_at) <= nowMillis ? "lasts" : "planned"
}

const minuteOf = (time: string): string => time.slice(0, 16).replace("T", " ")

const columns: ReadonlyArray<Column<MaintenanceWindow>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "STATE", cell: stateOf },
  { head: "STARTS", cell: ({ starts_at }) => minuteOf(starts_at) },
  { head: "ENDS", cell: ({ ends_at }) => minuteOf(ends_at) },
  { head: "ID", cell: ({ id }) => id, dropRank: 1 }
]

export const list = ({ json, project }: Printing) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.maintenance_windows.list({ path: { slug }, withResponse: true }),
      (answer) => printAnswer(answer, json, (windows, _text, view) => formatTable(columns, windows, view))
    ))

export const create = ({ json, minutes, name, project, start }: Printing & {
  readonly name: string
  readonly start: string
  readonly minutes: number
}) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const starts_at = yield* parseInstant("--start", start)
      const ends_at = DateTime.formatIso(DateTime.add(DateTime.unsafeMake(starts_at), { minutes }))
      const payload = yield* decodeInput(MaintenanceWindowCreate, { name, starts_at, ends_at })
      const answer = yield* api.maintenance_windows.create({ path: { slug }, payload, withResponse: true })
      yield* printAnswer(
        answer,
        json,
        ({ ends_at, id, name }) => `no message is sent until ${minuteOf(ends_at)} UTC: ${escapeText(name)} (${id})`
      )
    }))

const findWindow = ({ api, slug }: Remote, given: string) =>
  Effect.gen(function*() {
    const windows = yield* api.maintenance_windows.list({ path: { slug } })
    const found = windows.find(({ id, name }) => id === given.toLowerCase() || name === given)
    return found ?? (yield* new CliError({
      message: `no such window: ${escapeText(given)}. svc windows list shows those of the project`
    }))
  })

export const end = ({ json, project, window: given }: Printing & { readonly window: string }) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id } = yield* findWindow(remote, given)
      const payload = yield* decodeInput(MaintenanceWindowUpdate, { ends_at: yield* parseInstant("--end", "now") })
      const path = { slug: remote.slug, window_id: id }
      const answer = yield* remote.api.maintenance_windows.update({ path, payload, withResponse: true })
      yield* printAnswer(answer, json, ({ name }) => `ended ${escapeText(name)}`)
    }))

export const remove = ({ project, window: given, yes }: Omit<Printing, "json"> & {
  readonly window: string
  readonly yes: boolean
}) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id, name } = yield* findWindow(remote, given)
      const label = `the window ${escapeText(name)} (${id})`
      yield* confirm(yes, `Delete ${label}? If it lasts, messages are sent again at once.`)
      yield* remote.api.maintenance_windows.remove({ path: { slug: remote.slug, window_id: id } })
      yield* Console.log(`deleted ${label}`)
    }))
