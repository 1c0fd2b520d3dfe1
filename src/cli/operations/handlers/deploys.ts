import { Effect } from "effect"
import { type Deploy, DeployCreate, ListDeploys } from "../../../domain/operations/Deploy.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { parseInstant } from "../../io/Since.ts"
import { type Column, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../deploys.ts"

const secondOf = (time: string): string => time.slice(0, 19).replace("T", " ")

const columns: ReadonlyArray<Column<Deploy>> = [
  { head: "VERSION", cell: ({ version }) => version, maxLength: 40, minLength: 12 },
  { head: "DEPLOYED", cell: ({ at }) => secondOf(at) },
  { head: "NOTE", cell: ({ note }) => note, maxLength: 60, dropRank: 2 },
  idColumn("ID", ({ id }) => id, { dropRank: 1 })
]

export const handlers: HandlersOf<typeof definitions> = {
  mark: show(function*({ api, slug }, { at: given, note, url, version }) {
    const at = given === "now" ? {} : { at: yield* parseInstant("--at", given) } // the brain's clock, not this machine's
    const payload = yield* decodeInput(DeployCreate, { version, ...at, ...givenOf({ note, url }) })
    return yield* api.deploys.create({ path: { slug }, payload, withResponse: true })
  }, ({ at, version }) => `marked ${escapeText(version)}, deployed ${secondOf(at)} UTC`),
  list: list(columns, ({ api, slug }, { limit }) =>
    Effect.flatMap(
      decodeInput(ListDeploys, { limit: String(limit) }, "options"),
      (urlParams) => api.deploys.list({ path: { slug }, urlParams, withResponse: true })
    ))
}
