import { Console, Effect, Option } from "effect"
import { CreateProject, type Project, UpdateProject } from "../../../domain/kernel/Project.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatFields, formatTable } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

interface Fields {
  readonly name: Option.Option<string>
  readonly description: Option.Option<string>
  readonly environment: Option.Option<string>
  readonly timezone: Option.Option<string>
}

interface OfProject {
  readonly slug: string
  readonly json: boolean
}

const columns: ReadonlyArray<Column<Project>> = [
  { head: "SLUG", cell: ({ slug }) => slug },
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENVIRONMENT", cell: ({ environment }) => environment, maxLength: 20, dropRank: 1 },
  { head: "TIMEZONE", cell: ({ timezone }) => timezone, dropRank: 2 },
  { head: "ID", cell: ({ id }) => id, dropRank: 3 }
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

export const list = ({ json }: { readonly json: boolean }) =>
  withRemote(Option.none(), ({ api }) =>
    Effect.flatMap(
      api.projects.list({ withResponse: true }),
      (answer) => printAnswer(answer, json, (projects, _text, view) => formatTable(columns, projects, view))
    ))

export const show = ({ json, slug }: OfProject) =>
  withRemote(Option.some(slug), ({ api, slug }) =>
    Effect.flatMap(
      api.project.get({ path: { slug }, withResponse: true }),
      (answer) => printAnswer(answer, json, formatProject)
    ))

/** The options that were given, by the names of the fields. */
const givenOf = ({ description, environment, name, timezone }: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ name, description, environment, timezone }).flatMap(([field, value]) =>
      Option.isSome(value) ? [[field, value.value]] : []
    )
  )

export const create = ({ json, slug, ...fields }: OfProject & Fields) =>
  withRemote(Option.some(slug), ({ api }) =>
    Effect.gen(function*() {
      const payload = yield* decodeInput(CreateProject, { slug, name: slug, ...givenOf(fields) })
      const answer = yield* api.projects.create({ payload, withResponse: true })
      yield* printAnswer(answer, json, formatProject)
    }))

export const update = ({ json, slug, ...fields }: OfProject & Fields) =>
  withRemote(Option.some(slug), ({ api, slug }) =>
    Effect.gen(function*() {
      const given = givenOf(fields)
      if (Object.keys(given).length === 0) {
        return yield* new CliError({ usage: true, message: "name what to change, such as --name 'Web shop'" })
      }
      const payload = yield* decodeInput(UpdateProject, given)
      const answer = yield* api.project.update({ path: { slug }, payload, withResponse: true })
      yield* printAnswer(answer, json, formatProject)
    }))

export const remove = ({ slug, yes }: { readonly slug: string; readonly yes: boolean }) =>
  withRemote(Option.some(slug), ({ api, slug }) =>
    Effect.gen(function*() {
      const { name } = yield* api.project.get({ path: { slug } })
      const label = `the project ${slug} (${escapeText(name)})`
      yield* confirm(yes, `Delete ${label} with its agents, tasks, schedules and settings?`)
      yield* api.project.delete({ path: { slug } })
      yield* Console.log(`deleted ${label}`)
    }))
