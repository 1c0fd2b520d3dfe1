import { Effect, Layer } from "effect"
import { NotFound } from "../../domain/kernel/Errors.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import { isStorable } from "../../domain/kernel/Text.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  describeDifference,
  type FindDifferences,
  type TaskComparison,
  type TaskDifferences
} from "../../domain/tasks/Difference.ts"
import {
  compareTasks,
  pickSample,
  PropertyCounter,
  type TaskProperties
} from "../../domain/tasks/Difference/Properties.ts"
import { rankDifferences } from "../../domain/tasks/Difference/Rank.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { canReadPayload, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { type ComparedRow, type DeployRow, makeDifferencesRepo, type NewestIds } from "./DifferencesRepo.ts"
import { Scans } from "./Scans.ts"

const defaultHours = 24
/** Tasks of a side. */
const maxSample = 500
/** Tasks that are read and parsed between two turns of the event loop. */
const tasksAtOnce = 100

const propertiesOf = (row: ComparedRow, deploys: ReadonlyArray<DeployRow>): TaskProperties => {
  const started = row.started_at ?? row.received_at ?? row.first_event_at
  return { ...row, started, version: deploys.find(({ at }) => at <= started)?.version ?? null }
}

const round = (share: number): number => Math.round(share * 10_000) / 10_000

/** What differs between tasks that failed and tasks that succeeded (docs/failures.md, What differs). */
export class Differences extends Effect.Service<Differences>()("svc/Differences", {
  effect: Effect.gen(function*() {
    const repo = yield* makeDifferencesRepo

    /** Among the failed and the succeeded tasks of a name, or of a failure group and its name. */
    const find = Effect.fn("Differences.find")(function*({ fingerprint, hours = defaultHours, name }: FindDifferences) {
      const { id: projectId } = yield* CurrentProject
      const since = Timestamp.addSeconds(yield* Timestamp.now, -hours * 3600)
      const minId = Ids.minIdAt(Timestamp.toEpochMillis(since))
      const taskName = name ?? (yield* Effect.flatMap(
        repo.findNameOfGroup(projectId, fingerprint ?? ""),
        orFail(new NotFound({ resource: "failure group" }))
      )).task_name
      const failed = fingerprint === undefined
        ? yield* repo.listFailed(projectId, taskName, minId)
        : yield* repo.listFailedOfGroup(projectId, fingerprint, minId)
      const succeeded = yield* repo.listSucceeded(projectId, taskName, minId)
      const samples = { failures: pickSample(failed.ids, maxSample), successes: pickSample(succeeded.ids, maxSample) }
      const isShown = yield* canReadPayload
      const values = isShown ? "small" : "none"
      const counter = new PropertyCounter(failed.oldest === null && succeeded.oldest === null)
      const deploys = yield* repo.listDeploys(projectId)
      for (const side of ["failures", "successes"] as const) {
        for (let begin = 0; begin < samples[side].length; begin += tasksAtOnce) {
          const rows = yield* repo.listTasks(projectId, samples[side].slice(begin, begin + tasksAtOnce), values)
          for (const row of rows) counter.addTask(side, propertiesOf(row, deploys))
          yield* yieldToEventLoop
        }
      }
      const [failures, successes] = [samples.failures.length, samples.successes.length]
      const describeSide = ({ ids, oldest }: NewestIds, compared: number) => ({
        compared,
        found: ids.length,
        since: oldest === null ? since : Timestamp.fromEpochMillis(Ids.millisOf(oldest))
      })
      return {
        name: taskName,
        fingerprint: fingerprint ?? null,
        hours,
        failed: describeSide(failed, failures),
        succeeded: describeSide(succeeded, successes),
        payload_hidden: !isShown,
        differences: rankDifferences(counter.list(), failures, successes).map((property) => {
          const difference = {
            ...property,
            failure_share: round(property.failures / failures),
            success_share: round(property.successes / successes)
          }
          return { ...difference, sentence: describeDifference(difference) }
        })
      } satisfies TaskDifferences
    }, orDieOnSql)

    /** Between one task and the last success of its name before it. */
    const compare = Effect.fn("Differences.compare")(function*(key: TaskKey) {
      const { id: projectId } = yield* CurrentProject
      const isShown = yield* canReadPayload
      const values = isShown ? "all" : "none"
      const isKey = isStorable(key.engine) && isStorable(key.task_id)
      const task = yield* Effect.flatMap(
        isKey ? repo.findByKey(projectId, key, values) : Effect.succeedNone,
        orFail(new NotFound({ resource: "task" }))
      )
      const successIds = yield* repo.findSuccessBefore(projectId, task.name, task.id)
      const [success] = yield* repo.listTasks(projectId, successIds, values)
      const deploys = yield* repo.listDeploys(projectId)
      return {
        name: task.name,
        success: success === undefined ? null : {
          engine: success.engine,
          task_id: success.task_id,
          received_at: success.received_at,
          finished_at: success.finished_at
        },
        payload_hidden: !isShown,
        differences: success === undefined
          ? []
          : compareTasks(propertiesOf(task, deploys), propertiesOf(success, deploys))
      } satisfies TaskComparison
    }, orDieOnSql)

    return { find, compare } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(Scans.layer))
}
