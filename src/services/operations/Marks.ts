import { Effect, Layer } from "effect"
import { namedByIds } from "../../domain/commands/Command/TargetName.ts"
import type { Scope } from "../../domain/kernel/Access.ts"
import { hasScope } from "../../domain/kernel/Actor.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import { Id } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type ListMarks, type Mark, type Marks as MarksBody, mergeMarks } from "../../domain/operations/Mark.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { DeploysRepo } from "./DeploysRepo.ts"
import { makeMarksRepo } from "./Marks/Repo.ts"

/** Rows of a kind that are read. */
const maxRows = 1000

/** What happened in a project, for its charts (docs/deploys.md). */
export class Marks extends Effect.Service<Marks>()("svc/Marks", {
  effect: Effect.gen(function*() {
    const deploys = yield* DeploysRepo
    const repo = yield* makeMarksRepo

    /** An API key sees the kinds that its scopes let it read. */
    const list = Effect.fn("Marks.list")(function*(query: ListMarks) {
      const { id } = yield* CurrentProject
      const to = query.to ?? (yield* Timestamp.now)
      const from = query.from ?? Timestamp.addSeconds(to, -Timestamp.secondsPerDay)
      if (from >= to) return yield* ValidationFailed.at("from", "must be before the end of the time")
      const range = { from, to }
      const actor = yield* CurrentActor
      const ifMayRead = <A, E>(scope: Scope, rows: Effect.Effect<ReadonlyArray<A>, E>) =>
        actor.kind === "system" || hasScope(actor.via, scope) ? rows : Effect.succeed<ReadonlyArray<A>>([])
      const [deployed, commands, executions, misfires, windows] = yield* Effect.all([
        deploys.list(id, range, maxRows + 1),
        ifMayRead("commands:read", repo.listCommands(id, range, maxRows + 1)),
        ifMayRead("automation:read", repo.listExecutions(id, range, maxRows + 1)),
        ifMayRead("schedules:read", repo.listMisfires(id, range, maxRows + 1)),
        ifMayRead("notifications:read", repo.listWindows(id, range, maxRows + 1))
      ], { concurrency: "unbounded" })
      const moments: ReadonlyArray<Mark> = [
        ...deployed.map(({ at, id, note, url, version }) => markOf("deploy", id, at, version, { detail: note, url })),
        ...commands.map(({ action, id, target_id, target_type }) =>
          markOf("command", id, timeOf(id), action, { detail: namedByIds.has(target_type) ? target_id : null })
        ),
        ...executions.map(({ action, id, rule_id, rule_name }) =>
          markOf("rule", rule_id, timeOf(id), rule_name, { detail: action })
        ),
        ...misfires.map(({ detail, expected_fire_at, name, schedule_id, slots }) =>
          markOf("missed_run", schedule_id, expected_fire_at, name, { detail, count: slots })
        )
      ]
      const newestFirst = moments.filter(({ at }) => at >= from && at < to).sort(newerFirst)
      const marks: MarksBody = {
        from,
        to,
        items: [
          ...mergeMarks(newestFirst, Timestamp.toEpochMillis(to) - Timestamp.toEpochMillis(from)),
          ...windows.map(({ ends_at, id, name, starts_at }) =>
            markOf("maintenance", id, starts_at, name, { until: ends_at })
          )
        ].sort(newerFirst).reverse(),
        truncated: [deployed, commands, executions, misfires, windows].some((rows) => rows.length > maxRows)
      }
      return marks
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(DeploysRepo.layer))
}

/** The time in an id, which is that of its row. */
const timeOf = (id: string): Timestamp.Timestamp => Timestamp.fromEpochMillis(Ids.millisOf(id))

const newerFirst = (left: Mark, right: Mark): number => left.at < right.at ? 1 : left.at > right.at ? -1 : 0

const markOf = (
  kind: Mark["kind"],
  id: string,
  at: Timestamp.Timestamp,
  title: string,
  rest: Partial<Pick<Mark, "detail" | "url" | "until" | "count">>
): Mark => ({ kind, id: Id.make(id), at, until: null, title, detail: null, url: null, count: 1, ...rest })
