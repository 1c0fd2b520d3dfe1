import { Console } from "effect"
import { normalizePath, type SearchablePath, SearchablePathCreate } from "../../../domain/tasks/SearchablePath.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../searchable-paths.ts"

const formatStatus = ({ filled_to, status }: SearchablePath): string =>
  filled_to === null ? status : `${status}, back to ${filled_to.slice(0, 19).replace("T", " ")}`

const columns: ReadonlyArray<Column<SearchablePath>> = [
  { head: "TASK", cell: ({ task_name }) => task_name, maxLength: 60, minLength: 12 },
  { head: "PATH", cell: ({ path }) => path, maxLength: 60, minLength: 12 },
  { head: "STATUS", cell: formatStatus },
  idColumn("ID", ({ id }) => id, { dropRank: 1 })
]

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }) => api.searchable_paths.list({ path: { slug }, withResponse: true })),
  add: show(function*({ api, slug }, { name, path }) {
    const payload = yield* decodeInput(SearchablePathCreate, { task_name: name, path })
    return yield* api.searchable_paths.create({ path: { slug }, payload, withResponse: true })
  }, (added) => `${escapeText(added.path)} of ${escapeText(added.task_name)} is searchable (${formatStatus(added)})`),
  remove: call(function*({ api, slug }, { name, path }) {
    const paths = yield* api.searchable_paths.list({ path: { slug } })
    const found = paths.find((one) => one.task_name === name && one.path === normalizePath(path))
    if (found === undefined) {
      return yield* new CliError({
        message: `${path} of ${name} is not searchable; 'svc searchable-paths list' has those that are`
      })
    }
    yield* api.searchable_paths.remove({ path: { slug, path_id: found.id } })
    yield* Console.log(`${escapeText(found.path)} of ${escapeText(found.task_name)} is not searchable any more`)
  })
}
