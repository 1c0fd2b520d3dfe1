import { Console, DateTime, Effect } from "effect"
import {
  type MaintenanceWindow,
  MaintenanceWindowCreate,
  MaintenanceWindowUpdate
} from "../../../domain/alerting/Notification/MaintenanceWindow.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { parseInstant } from "../../io/Since.ts"
import { type Column, idColumn, type View } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { Remote } from "../../remote/Remote.ts"
import type { definitions } from "../windows.ts"

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
  idColumn("ID", ({ id }) => id, { dropRank: 1 })
]

const findWindow = ({ api, slug }: Remote, given: string) =>
  Effect.flatMap(
    api.maintenance_windows.list({ path: { slug } }),
    (windows) => findOne(windows, { what: "window", given, nameOf: ({ name }) => name, listedBy: "svc windows list" })
  )

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }) => api.maintenance_windows.list({ path: { slug }, withResponse: true })),
  create: show(function*({ api, slug }, { minutes, name, start }) {
    const starts_at = yield* parseInstant("--start", start)
    const ends_at = DateTime.formatIso(DateTime.add(DateTime.unsafeMake(starts_at), { minutes }))
    const payload = yield* decodeInput(MaintenanceWindowCreate, { name, starts_at, ends_at })
    return yield* api.maintenance_windows.create({ path: { slug }, payload, withResponse: true })
  }, ({ ends_at, id, name }) => `no message is sent until ${minuteOf(ends_at)} UTC: ${escapeText(name)} (${id})`),
  end: show(function*(remote, { window }) {
    const { id } = yield* findWindow(remote, window)
    const payload = yield* decodeInput(MaintenanceWindowUpdate, { ends_at: yield* parseInstant("--end", "now") })
    const path = { slug: remote.slug, window_id: id }
    return yield* remote.api.maintenance_windows.update({ path, payload, withResponse: true })
  }, ({ name }) => `ended ${escapeText(name)}`),
  delete: call(function*(remote, { window, yes }) {
    const { id, name } = yield* findWindow(remote, window)
    const label = `the window ${escapeText(name)} (${id})`
    yield* confirm(yes, `Delete ${label}? If it lasts, messages are sent again at once.`)
    yield* remote.api.maintenance_windows.remove({ path: { slug: remote.slug, window_id: id } })
    yield* Console.log(`deleted ${label}`)
  })
}
