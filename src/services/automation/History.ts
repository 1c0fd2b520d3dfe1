import type { SqlError } from "@effect/sql"
import { Clock, Effect, Layer } from "effect"
import type { RuleTrigger } from "../../domain/automation/Automation.ts"
import { type Timestamp, toEpochMillis } from "../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import * as Ids from "../kernel/Ids.ts"
import { type ReplayedTask, replayTask } from "../tasks/Ingest/Replay.ts"
import { orphanedEvent } from "../tasks/Orphans.ts"
import { scheduleEvent } from "../triggers/TriggerEvents/ScheduleEvents.ts"
import type { ActiveRule } from "./Decide.ts"
import { type MisfireRow, type OrphanRow, RuleHistoryRepo, type Stretch } from "./HistoryRepo.ts"
import type { Match } from "./Simulation.ts"

/** A trigger whose events the brain can rebuild from what it stores. */
export type StoredTrigger = Exclude<RuleTrigger, "worker.offline">

const pageSize = 100

/** What one backtest reads at most. */
interface Limits {
  readonly matches: number
  readonly rows: number
  readonly millis: number
}
const limitsOfRequest: Limits = { matches: 50_000, rows: 200_000, millis: 15_000 }

/** Characters of history that are replayed in one turn of the event loop. */
const maxCharactersAtOnce = 100_000

/** Rows of one table, newest first. */
interface Source<Row> {
  readonly page: (after: Row | null) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  readonly at: (row: Row) => Timestamp
  readonly eventsOf: (row: Row) => ReadonlyArray<TriggerEvent>
  readonly charactersOf: (row: Row) => number
}

/** What was found of a stretch of history. */
export interface FoundHistory {
  /** In the order of their time. */
  readonly matches: ReadonlyArray<Match>
  readonly scanned: number
  /** The history is complete from here on. */
  readonly from: Timestamp
  readonly truncated: boolean
}

/** A rule's conditions. */
type Tests = Pick<ActiveRule, "matches">

/** Reads stored history as the events that it was, as far as it goes: newest first, bounded in rows, matches and time. */
export class RuleHistory extends Effect.Service<RuleHistory>()("svc/RuleHistory", {
  effect: Effect.gen(function*() {
    const repo = yield* RuleHistoryRepo

    const tasks = (stretch: Stretch, trigger: StoredTrigger): Source<ReplayedTask> => ({
      page: (after) =>
        repo.listTasks(stretch, trigger === "task.succeeded" ? "all" : "failed or retried", after, pageSize),
      at: ({ updated_at }) => updated_at,
      eventsOf: (task) => replayTask(task, trigger, stretch.from),
      charactersOf: ({ history }) => history.length
    })

    const orphans = (stretch: Stretch): Source<OrphanRow> => ({
      page: (after) => repo.listOrphans(stretch, after, pageSize),
      at: ({ orphaned_at }) => orphaned_at,
      eventsOf: (task) => [orphanedEvent(task.orphaned_at)(task)],
      charactersOf: () => 0
    })

    const misfires = ({ from, projectId, until }: Stretch): Source<MisfireRow> => ({
      page: (after) =>
        repo.listMisfires(
          projectId,
          Ids.minIdAt(toEpochMillis(from)),
          after?.id ?? Ids.maxIdAt(toEpochMillis(until)),
          pageSize
        ),
      at: ({ detected_at }) => detected_at,
      eventsOf: ({ detail, detected_at, project_id, schedule_id, ...row }) => [
        scheduleEvent(
          { project_id, schedule_id, trigger: "schedule.misfired", at: detected_at, detail },
          { ...row, id: schedule_id }
        )
      ],
      charactersOf: () => 0
    })

    const read = <Row>(source: Source<Row>, { from }: Stretch, rule: Tests, limits: Limits) =>
      Effect.gen(function*() {
        const deadline = (yield* Clock.currentTimeMillis) + limits.millis
        const matches: Array<Match> = []
        const templates = new Map<string, TriggerEvent>()
        let after: Row | null = null
        let scanned = 0
        let truncated = false
        let characters = 0
        while (!truncated) {
          const rows: ReadonlyArray<Row> = yield* source.page(after)
          for (const row of rows) {
            for (const event of source.eventsOf(row)) {
              const found = event.occurrences.filter((one) => one.occurred_at >= from && rule.matches(event, one))
              if (found.length === 0) continue
              const template = intern(templates, event)
              for (const occurrence of found) matches.push({ event: template, occurrence })
            }
            after = row
            scanned++
            truncated = matches.length >= limits.matches || scanned >= limits.rows
            if (truncated) break
            characters += source.charactersOf(row)
            if (characters < maxCharactersAtOnce) continue
            characters = 0
            yield* yieldToEventLoop
          }
          if (rows.length < pageSize) break
          if ((yield* Clock.currentTimeMillis) > deadline) truncated = true
          yield* yieldToEventLoop
        }
        const reached = truncated && after !== null ? source.at(after) : from
        return {
          matches: matches.filter(({ occurrence }) => occurrence.occurred_at >= reached).sort(byTime),
          scanned,
          from: reached,
          truncated
        } satisfies FoundHistory
      })

    const find = (trigger: StoredTrigger, stretch: Stretch, rule: Tests, limits: Limits = limitsOfRequest) =>
      trigger === "task.orphaned"
        ? read(orphans(stretch), stretch, rule, limits)
        : trigger === "schedule.misfired"
        ? read(misfires(stretch), stretch, rule, limits)
        : read(tasks(stretch, trigger), stretch, rule, limits)

    return { find } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(RuleHistoryRepo.layer))
}

const byTime = (left: Match, right: Match): number =>
  left.occurrence.occurred_at < right.occurrence.occurred_at
    ? -1
    : left.occurrence.occurred_at > right.occurrence.occurred_at
    ? 1
    : 0

/** Occurrences of one condition share their event, so that many of them take little memory. */
const intern = (templates: Map<string, TriggerEvent>, event: TriggerEvent): TriggerEvent => {
  const { condition, engine, fingerprint, priority, queue, task_name } = event
  const key = [condition, engine, task_name, queue, priority, fingerprint].join("\0")
  const known = templates.get(key)
  if (known === undefined) templates.set(key, event)
  return known ?? event
}
