import { Effect } from "effect"
import { listAll, listPages } from "./ListAll.ts"
import type { ApiError, Remote } from "./Remote.ts"
import { enginesOf, listAgents } from "./Target.ts"

/** Names of a brain that a command line may be completed with. */
type Names = (remote: Remote) => Effect.Effect<ReadonlyArray<string>, ApiError>

const namesOf = (rows: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> => rows.map(({ name }) => name)

const projects: Names = ({ api }) => Effect.map(api.projects.list({}), (rows) => rows.map(({ slug }) => slug))
const agents: Names = (remote) => Effect.map(listAgents(remote), namesOf)
const engines: Names = (remote) => Effect.map(listAgents(remote), enginesOf)
const queues: Names = ({ api, slug }) =>
  Effect.map(
    listAll((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true })),
    ([rows]) => namesOf(rows)
  )
const workers: Names = ({ api, slug }) =>
  Effect.map(
    listAll((urlParams) => api.workers.list({ path: { slug }, urlParams, withResponse: true })),
    ([rows]) => namesOf(rows)
  )
const schedules: Names = ({ api, slug }) =>
  Effect.map(
    listPages((urlParams) => api.schedules.list({ path: { slug }, urlParams })),
    (pages) => pages.flatMap(({ items }) => namesOf(items))
  )
const channels: Names = ({ api, slug }) => Effect.map(api.channels.list({ path: { slug } }), namesOf)
const rules: Names = ({ api, slug }) =>
  Effect.map(api.automation.list({ path: { slug } }), ({ items }) => namesOf(items))
const windows: Names = ({ api, slug }) => Effect.map(api.maintenance_windows.list({ path: { slug } }), namesOf)

/** Those of the last week. */
const taskNames: Names = ({ api, slug }) =>
  Effect.map(
    api.trends.names({ path: { slug }, urlParams: { window: "7d", limit: 100 } }),
    ({ items }) => namesOf(items)
  )

const sources: Readonly<Record<string, Names>> = {
  "--project": projects,
  "<slug>": projects,
  "--agent": agents,
  "<agent>": agents,
  "--engine": engines,
  "--queue": queues,
  "<queue>": queues,
  "--worker": workers,
  "<worker>": workers,
  "--schedule": schedules,
  "<schedule>": schedules,
  "<channel>": channels,
  "--project-channel": channels,
  "<rule>": rules,
  "<window>": windows,
  "--task": taskNames,
  "--task-name": taskNames,
  "<task-name>": taskNames
}

/** Commands whose `--name` is that of tasks. */
const ofTasks: ReadonlySet<string> = new Set(["tasks", "bulk-retry", "bulk-jobs"])

/** The names for the value of a parameter of a group's command; undefined: a brain knows none. */
export const namesFor = ({ group, parameter }: { readonly group: string; readonly parameter: string }) =>
  parameter === "--name" && ofTasks.has(group) ? taskNames : sources[parameter]
