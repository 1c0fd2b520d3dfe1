import { Console, Effect, Option, Schema } from "effect"
import { formatDuration } from "../../../domain/kernel/Duration.ts"
import { UserId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import {
  type FailureGroup,
  type FailureGroupDetail,
  type FailureWindow,
  FindFailureGroup,
  ListFailureGroups,
  type Share
} from "../../../domain/tasks/Failure/Group.ts"
import { UpdateFailureGroup } from "../../../domain/tasks/Failure/Triage.ts"
import { formatBars, maxBars } from "../../io/Bars.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { type Column, formatAge, formatFields, idColumn } from "../../io/Table.ts"
import { escapeText, indentLines } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { Remote } from "../../remote/Remote.ts"
import type { definitions } from "../failures.ts"
import { findFingerprint } from "../Fingerprint.ts"

/** With `--hours` the failures of that window; the other counts are of all time. */
const columns: ReadonlyArray<Column<FailureGroup>> = [
  { head: "NAME", cell: ({ sample_task_name }) => sample_task_name, maxLength: 60, minLength: 12 },
  { head: "ERROR", cell: ({ sample_exception }) => sample_exception, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "STATUS", cell: ({ status, triage }) => (triage === "open" ? status : triage) },
  { head: "FAILURES", cell: ({ occurrences, window }) => window?.occurrences ?? occurrences },
  { head: "TREND", cell: ({ window }) => window && formatBars(window.counts), dropRank: 4, hidesEmpty: true },
  { head: "OPEN", cell: ({ open_count }) => open_count },
  {
    head: "RECOVERED",
    cell: ({ recovered_count, window }) => window === null ? recovered_count : null,
    dropRank: 2,
    hidesEmpty: true
  },
  { head: "LAST", cell: ({ last_seen }, view) => formatAge(last_seen, view) },
  { head: "FIRST", cell: ({ first_seen }, view) => formatAge(first_seen, view), dropRank: 1 },
  { head: "ENGINE", cell: ({ engines }) => engines.join(", "), dropRank: 3 },
  {
    head: "ASSIGNEE",
    cell: ({ assignee }) => assignee && (assignee.name ?? assignee.id),
    maxLength: 20,
    dropRank: 3,
    hidesEmpty: true
  },
  idColumn("ISSUE", ({ fingerprint }) => fingerprint)
]

const textOf = Option.map(String)

/** The failures of the window as one line of bars, and the number of the highest bar. */
const formatWindow = ({ bucket_seconds, counts, occurrences, since }: FailureWindow): string => {
  if (occurrences === 0) return `no failures since ${since.slice(0, 16)}Z`
  const perBar = Math.ceil(counts.length / maxBars)
  const sums = Array.from(
    { length: Math.ceil(counts.length / perBar) },
    (_, bar) => counts.slice(bar * perBar, (bar + 1) * perBar).reduce((sum, count) => sum + count, 0)
  )
  return `${formatBars(sums)}|\n${since.slice(0, 16)}Z to now, ${
    formatDuration(bucket_seconds * perBar)
  } a bar; the highest is ${Math.max(...sums)}`
}

const formatShares = (shares: ReadonlyArray<Share>): string =>
  shares.slice(0, 5).map(({ name, tasks }) => `${name ?? "unknown"} (${tasks})`).join(", ")

const formatEnd = (muted_until: string): string =>
  muted_until === "escalates" ? "it escalates" : muted_until === "next_deploy" ? "the next deploy" : muted_until

const formatTriage = ({ muted_until, triage, triaged_at, triaged_by }: FailureGroup): string =>
  [
    triage,
    ...(muted_until === null ? [] : [`until ${formatEnd(muted_until)}`]),
    ...(triaged_at === null ? [] : [`since ${triaged_at}`]),
    ...(triaged_by === null ? [] : [`by ${triaged_by.name ?? triaged_by.id}`])
  ].join(" ")

const formatGroup = (group: FailureGroupDetail): string =>
  [
    formatFields([
      ["name", group.sample_task_name],
      ["issue", group.fingerprint],
      ["status", group.status],
      ["triage", formatTriage(group)],
      ["assignee", group.assignee && (group.assignee.name ?? group.assignee.id)],
      ["note", group.note],
      ["engine", group.engines.join(", ")],
      ["failures", group.occurrences],
      ["in the window", group.window?.occurrences ?? null],
      ["open", group.open_count],
      ["recovered", group.recovered_count],
      ["first seen", group.first_seen],
      ["last seen", group.last_seen],
      ["workers", formatShares(group.workers)],
      ["queues", formatShares(group.queues)],
      ["sample", group.sample_task?.task_id ?? null],
      ["exception", group.sample_task?.exception ?? group.sample_exception]
    ]),
    ...(group.window === null ? [] : [formatWindow(group.window)]),
    ...formatTraceback(group.sample_task?.traceback ?? null),
    `its tasks: svc tasks list --fingerprint ${group.fingerprint}`
  ].join("\n")

const formatTraceback = (traceback: string | null) => traceback === null ? [] : [indentLines(traceback.trimEnd())]

const isUserId = Schema.is(UserId)

/** The assignee of a person's words: `me`, `none` and ids are the API's own. Only operators can look for a name. */
const findAssignee = ({ api, slug }: Remote, given: string) =>
  given === "me" || given === "none" || isUserId(given) ? Effect.succeed(given) : Effect.gen(function*() {
    const [members, { headers }] = yield* api.failures.assignees({ path: { slug }, withResponse: true })
    const limit = headers["x-svc-limit-applied"]
    if (limit !== undefined) {
      yield* Console.error(`only the first ${limit} members were searched for the name; the others take their id`)
    }
    const sought = { what: "member", given, nameOf: ({ name }: (typeof members)[number]) => name }
    return (yield* findOne(members, { ...sought, listedBy: "The group's page in the dashboard" })).id
  })

/** Changes the triage of a group, and says what became of it. */
const triage = Effect.fnUntraced(function*(
  remote: Remote,
  given: string,
  change: typeof UpdateFailureGroup.Encoded,
  describe: (group: FailureGroup) => string
) {
  const { api, slug } = remote
  const payload = yield* decodeInput(UpdateFailureGroup, change)
  const path = { slug, fingerprint: yield* findFingerprint(remote, given) }
  const group = yield* api.failures.update({ path, payload })
  yield* Console.log(`${describe(group)}: ${escapeText(group.sample_task_name ?? group.fingerprint)}`)
})

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, function*(remote, { assignee, cursor, engine, hours, limit, search, sort, status }) {
    const { api, slug } = remote
    const options = givenOf({ engine, status, search, sort, cursor, hours: textOf(hours) })
    const urlParams = yield* decodeInput(ListFailureGroups, {
      ...options,
      ...(Option.isSome(assignee) && { assignee: yield* findAssignee(remote, assignee.value) }),
      limit: String(limit)
    }, "options")
    return yield* api.failures.list({ path: { slug }, urlParams, withResponse: true })
  }),
  show: ({ fingerprint, hours, ...printing }) =>
    Effect.flatMap(decodeInput(FindFailureGroup, givenOf({ hours: textOf(hours) }), "options"), (urlParams) =>
      show(
        function*(remote) {
          const { api, slug } = remote
          const path = { slug, fingerprint: yield* findFingerprint(remote, fingerprint) }
          return yield* api.failures.get({ path, urlParams, withResponse: true })
        },
        formatGroup
      )(printing)),
  assign: call(function*(remote, { fingerprint, member }) {
    const found = yield* findAssignee(remote, member)
    yield* triage(
      remote,
      fingerprint,
      { assignee: found === "none" ? null : found },
      ({ assignee }) => assignee === null ? "unassigned" : `assigned to ${escapeText(assignee.name ?? assignee.id)}`
    )
  }),
  mute: call(function*(remote, { fingerprint, hours, until }) {
    const end = Option.getOrElse(until, () => null) ?? Timestamp.addSeconds(yield* Timestamp.now, hours * 3600)
    yield* triage(remote, fingerprint, { triage: "muted", muted_until: end }, () => `muted until ${formatEnd(end)}`)
  }),
  resolve: call((remote, { fingerprint }) => triage(remote, fingerprint, { triage: "resolved" }, () => "resolved")),
  reopen: call((remote, { fingerprint }) => triage(remote, fingerprint, { triage: "open" }, () => "open")),
  note: call((remote, { fingerprint, text }) =>
    triage(remote, fingerprint, { note: text }, ({ note }) => note === null ? "note removed" : "note changed")
  )
}
