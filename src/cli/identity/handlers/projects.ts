import { Console } from "effect"
import { CreateProject, type Project, UpdateProject } from "../../../domain/kernel/Project.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatFields, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../projects.ts"

const columns: ReadonlyArray<Column<Project>> = [
  { head: "SLUG", cell: ({ slug }) => slug },
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENVIRONMENT", cell: ({ environment }) => environment, maxLength: 20, dropRank: 1 },
  { head: "TIMEZONE", cell: ({ timezone }) => timezone, dropRank: 2 },
  idColumn("ID", ({ id }) => id, { dropRank: 3 })
]

const formatProject = (project: Project): string =>
  formatFields([
    ["project", project.slug],
    ["id", project.id],
    ["name", project.name],
    ["description", project.description],
    ["environment", project.environment],
    ["timezone", project.timezone],
    ["payloads for", project.payload_role],
    ["addresses", project.allowed_cidrs?.join(", ") ?? null],
    ["schedulers", project.allowed_schedulers?.join(", ") ?? null],
    ["approvals", project.approvals === null ? null : JSON.stringify(project.approvals)],
    ["created", project.created_at]
  ])

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api }) => api.projects.list({ withResponse: true })),
  show: show(({ api }, { slug }) => api.project.get({ path: { slug }, withResponse: true }), formatProject),
  create: show(function*({ api }, { json: _json, slug, ...fields }) {
    const payload = yield* decodeInput(CreateProject, { slug, name: slug, ...givenOf(fields) })
    return yield* api.projects.create({ payload, withResponse: true })
  }, formatProject),
  update: show(function*({ api }, { json: _json, slug, ...fields }) {
    const given = givenOf(fields)
    if (Object.keys(given).length === 0) {
      return yield* new CliError({ usage: true, message: "name what to change, such as --name 'Web shop'" })
    }
    const payload = yield* decodeInput(UpdateProject, given)
    return yield* api.project.update({ path: { slug }, payload, withResponse: true })
  }, formatProject),
  delete: call(function*({ api }, { slug, yes }) {
    const { name } = yield* api.project.get({ path: { slug } })
    const label = `the project ${slug} (${escapeText(name)})`
    yield* confirm(yes, `Delete ${label} with its agents, tasks, schedules and settings?`)
    yield* api.project.delete({ path: { slug } })
    yield* Console.log(`deleted ${label}`)
  })
}
