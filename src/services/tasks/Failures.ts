import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ProjectId, UserId } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type {
  FailureGroup,
  FailureGroupDetail,
  GroupSort,
  ListFailureGroups
} from "../../domain/tasks/Failure/Group.ts"
import { isMuteCondition, maxMuteDays, type UpdateFailureGroup } from "../../domain/tasks/Failure/Triage.ts"
import { minuteOf } from "../../domain/tasks/FailureRate.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import { Inbox, type NewUserNotification } from "../kernel/Inbox.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { makeAssignees } from "./Failures/Assignees.ts"
import { groupOf, type GroupPlace, type GroupRow, makeFailureGroupsRepo } from "./Failures/Repo.ts"
import { firstLineOf, regressedEvent, triageEntry } from "./Failures/TriageChanges.ts"
import { chartBuckets, listBuckets, windowOf } from "./Failures/Window.ts"

const defaultLimit = 50
const defaultHours = 168
const notFound = new NotFound({ resource: "issue" })

const currentUserId = Effect.map(CurrentActor, (actor) => (actor.kind === "person" ? actor.user_id : null))

/** Failures that are the same failure, as groups (docs/failures.md). The ingest maintains their counts, people triage them. */
export class Failures extends Effect.Service<Failures>()("svc/Failures", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* makeFailureGroupsRepo
    const assignees = yield* makeAssignees
    const audit = yield* Audit
    const inbox = yield* Inbox
    const triggers = yield* TriggerEvents

    const namesIn = (rows: ReadonlyArray<GroupRow>) =>
      Effect.flatMap(
        CurrentProject,
        ({ id }) => assignees.find(id, rows.flatMap(({ assignee_id, triaged_by }) => [assignee_id, triaged_by]))
      )

    const resolveMe = (assignee: UserId | "me") =>
      assignee !== "me" ? Effect.succeed(assignee) : Effect.flatMap(
        currentUserId,
        (id) =>
          id === null ? ValidationFailed.at("assignee", "is no user: the program itself asks") : Effect.succeed(id)
      )

    /** The project's groups in the order of the query; with `hours` their failed attempts in that window. */
    const list = Effect.fn("Failures.list")(function*(query: ListFailureGroups) {
      const { id } = yield* CurrentProject
      const now = yield* Timestamp.now
      const { assignee, cursor, engine, hours, limit = defaultLimit, search, sort = "last_seen", status } = query
      const window = hours === undefined ? null : windowOf(now, hours, listBuckets)
      const rows = yield* repo.list(id, {
        engine,
        status,
        search,
        sort,
        now,
        assignee: assignee === undefined ? undefined : assignee === "none" ? null : yield* resolveMe(assignee),
        window,
        seenSince: hours === undefined ? null : Timestamp.addSeconds(now, -hours * 3600),
        after: yield* decodePlace(sort, cursor),
        limit: limit + 1
      })
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      const windowIn = window === null
        ? () => null
        : yield* repo.countWindows(id, items.map(({ fingerprint }) => fingerprint), window)
      const names = yield* namesIn(items)
      const page: PageOf<FailureGroup> = {
        items: items.map((row) => groupOf(row, windowIn(row.fingerprint), names)),
        next_cursor: rows.length > limit && last !== undefined
          ? encodeCursor(listNameOf(sort), [String(last.rank), last.last_seen_at, last.fingerprint])
          : null
      }
      return page
    }, orDieOnSql)

    /** A group with its hours, a sample, and the workers and queues of its newest tasks. */
    const get = Effect.fn("Failures.get")(function*(fingerprint: string, hours: number = defaultHours) {
      const { id } = yield* CurrentProject
      const row = yield* repo.find(id, fingerprint)
      if (row === undefined) return yield* notFound
      const now = yield* Timestamp.now
      const firstHour = Math.floor(minuteOf(now) / 60 - hours) * 60
      const windowIn = yield* repo.countWindows(id, [fingerprint], windowOf(now, hours, chartBuckets))
      const detail: FailureGroupDetail = {
        ...groupOf(row, windowIn(fingerprint), yield* namesIn([row])),
        hours: yield* repo.listHours(id, fingerprint, firstHour),
        sample_task: yield* repo.findTask(id, { engine: row.engine, task_id: row.sample_task_id }),
        ...yield* repo.countShares(id, fingerprint)
      }
      return detail
    }, orDieOnSql)

    /** Whom a group can be assigned to, by name. */
    const listAssignees = Effect.fn("Failures.listAssignees")(
      () => Effect.flatMap(CurrentProject, ({ id }) => assignees.list(id)),
      orDieOnSql
    )

    const findAssignee = Effect.fnUntraced(function*(assignee: UserId | "me" | null) {
      if (assignee === null) return null
      const { id } = yield* CurrentProject
      const userId = yield* resolveMe(assignee)
      return (yield* assignees.find(id, [userId])).has(userId)
        ? userId
        : yield* ValidationFailed.at("assignee", "is no active member of the project")
    })

    /** Triages a group: opens, mutes or resolves it, assigns it, and changes its note. */
    const update = Effect.fn("Failures.update")(function*(fingerprint: string, changes: UpdateFailureGroup) {
      const { id } = yield* CurrentProject
      const now = yield* Timestamp.now
      yield* checkMute(changes, now)
      const assigneeId = changes.assignee === undefined ? undefined : yield* findAssignee(changes.assignee)
      const before = yield* repo.findForUpdate(id, fingerprint)
      if (before === undefined) return yield* notFound
      const userId = yield* currentUserId
      const row = {
        ...applyChanges(before, changes, userId, now),
        ...(assigneeId !== undefined && { assignee_id: assigneeId })
      }
      yield* repo.saveTriage(id, row)
      const { assignee_id } = row
      if (assignee_id !== null && assignee_id !== before.assignee_id && assignee_id !== userId) {
        yield* inbox.insert([assignmentNotice(row, id, assignee_id)])
      }
      if (before.triage === "regressed" && row.triage !== "regressed") {
        yield* triggers.record([{ ...regressedEvent({ ...row, project_id: id }, now), recovered: true }])
      }
      const actor = yield* CurrentActor
      yield* audit.recordAll(
        actionsOf(before, row).map(([action, metadata]) => ({
          actor,
          entry: triageEntry({ ...row, project_id: id }, action, metadata)
        }))
      )
      return groupOf(row, null, yield* namesIn([row]))
    }, inTransaction(sql))

    return { list, get, listAssignees, update } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([Inbox.layer, TriggerEvents.layer]))
}

const listNameOf = (sort: GroupSort): string => `issues ${sort}`

const decodePlace = (
  sort: GroupSort,
  cursor: string | undefined
): Effect.Effect<GroupPlace | null, ValidationFailed> => {
  if (cursor === undefined) return Effect.succeed(null)
  const [rank = "", lastSeenAt, fingerprint] = decodeCursor(listNameOf(sort), cursor, 3) ?? []
  return lastSeenAt === undefined || fingerprint === undefined || (sort !== "first_seen" && !/^\d{1,15}$/.test(rank))
    ? ValidationFailed.at("cursor", "is not a cursor of this list")
    : Effect.succeed({ rank, lastSeenAt, fingerprint })
}

const checkMute = ({ muted_until = null, triage }: UpdateFailureGroup, now: Timestamp.Timestamp) => {
  if (triage !== "muted") {
    return muted_until === null ? Effect.void : ValidationFailed.at("muted_until", "goes with triage: muted only")
  }
  if (muted_until === null) return ValidationFailed.at("muted_until", "says when the mute ends")
  const last = Timestamp.addSeconds(now, maxMuteDays * Timestamp.secondsPerDay)
  return isMuteCondition(muted_until) || (muted_until > now && muted_until <= last)
    ? Effect.void
    : ValidationFailed.at("muted_until", `must be in the future, at most ${maxMuteDays} days from now`)
}

const applyChanges = (
  before: GroupRow,
  { muted_until = null, note, triage = null }: UpdateFailureGroup,
  userId: UserId | null,
  now: Timestamp.Timestamp
): GroupRow => ({
  ...before,
  ...(triage !== null && (triage !== "open" || before.triage !== "open") && {
    triage,
    // of an agent whose clock is ahead: what has failed already is no failure after the resolution
    triaged_at: triage === "resolved" && before.last_seen_at > now ? before.last_seen_at : now,
    triaged_by: userId,
    muted_until
  }),
  ...(note !== undefined && { note: note === "" ? null : note })
})

/** The message of the inbox for the member to whom another one assigned the group. */
const assignmentNotice = (
  { fingerprint, sample_exception, task_name }: GroupRow,
  project_id: ProjectId,
  user_id: UserId
): NewUserNotification => ({
  user_id,
  project_id,
  subscription_id: null,
  alert_id: null,
  trigger: "failure_group.assigned",
  reason: "failure_group",
  title: `Assigned to you: ${task_name}`,
  body: firstLineOf(sample_exception),
  data: { fingerprint }
})

type Action = readonly [action: string, metadata: Readonly<Record<string, unknown>>]

const actionsByTriage = { open: "reopened", muted: "muted", resolved: "resolved", regressed: "regressed" } as const

/** What the activity says of the change. */
const actionsOf = (before: GroupRow, after: GroupRow): ReadonlyArray<Action> => [
  ...(after.triaged_at === before.triaged_at && after.triage === before.triage
    ? []
    : [[actionsByTriage[after.triage], after.muted_until === null ? {} : { until: after.muted_until }] as const]),
  ...(after.assignee_id === before.assignee_id ? [] : [
    after.assignee_id === null
      ? ["unassigned", {}] as const
      : ["assigned", { assignee_id: after.assignee_id }] as const
  ]),
  ...(after.note === before.note ? [] : [["note_changed", {}] as const])
]
