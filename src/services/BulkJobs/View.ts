import { Effect, Layer } from "effect"
import type { BulkJob, BulkJobOutcomes } from "../../domain/BulkJob.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { EngineAgents } from "../Commands/EngineAgents.ts"
import { MemberNames } from "../MemberNames.ts"
import { type BulkJobRow, BulkJobsRepo } from "./Repo.ts"

/** The action of each command of a cancellation. */
export const cancelAction = "cancel_task"

type CommandCounts = Effect.Effect.Success<ReturnType<BulkJobsRepo["countCommands"]>>

/** The outcomes of a job's commands. Commands that retention has deleted have an unknown one. */
export const outcomesOf = ({ done, id }: Pick<BulkJobRow, "done" | "id">, counts: CommandCounts): BulkJobOutcomes => {
  const countOf = (outcome: keyof BulkJobOutcomes) =>
    counts.find((count) => count.id === id && count.outcome === outcome)?.n ?? 0
  const [pending, succeeded, failed] = [countOf("pending"), countOf("succeeded"), countOf("failed")]
  return { pending, succeeded, failed, unknown: Math.max(countOf("unknown"), done - pending - succeeded - failed) }
}

/** Whether the outcomes are counted in `commands`. */
const isCounted = ({ act, outcomes }: BulkJobRow) => act === "cancel" && outcomes === null

const mayWait = ({ act, status }: BulkJobRow) => act === "cancel" && status === "running"

const waitNote = (engines: ReadonlyArray<string>, deadline: Timestamp): string =>
  `No connected agent can cancel tasks of ${engines.join(", ")}. They wait until one connects, and are skipped after ` +
  `${deadline}.`

/** What callers see of bulk jobs: their counts, and what they wait for. */
export class BulkJobView extends Effect.Service<BulkJobView>()("svc/BulkJobView", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkJobsRepo
    const engineAgents = yield* EngineAgents
    const memberNames = yield* MemberNames

    /** The jobs of one project as callers see them. */
    const describeAll = Effect.fnUntraced(function*(jobs: ReadonlyArray<BulkJobRow>) {
      const counts = yield* repo.countCommands(jobs.filter(isCounted).map(({ id }) => id))
      const waiting = jobs.find(mayWait)
      const choose = waiting === undefined ? null : yield* engineAgents.chooseIn(waiting.project_id, cancelAction)
      const nameOf = yield* memberNames.find(
        jobs.flatMap(({ created_by, project_id }) => created_by === null ? [] : [{ project_id, user_id: created_by }])
      )
      return jobs.map((job): BulkJob => {
        const { cursors, settled_at: _settled, filter, ...shown } = job
        const { created_by, deadline_at, project_id } = job
        const engines = choose === null || !mayWait(job)
          ? []
          : Object.keys(cursors).filter((engine) => choose(engine) === null).sort()
        return {
          ...shown,
          filter: Object.fromEntries(Object.entries(filter).filter(([, term]) => term !== null)),
          outcomes: isCounted(job) ? outcomesOf(job, counts) : job.outcomes,
          created_by_name: created_by === null ? null : nameOf({ project_id, user_id: created_by }),
          note: engines.length === 0 ? null : waitNote(engines, deadline_at)
        }
      })
    })

    const describe = Effect.fnUntraced(function*(job: BulkJobRow) {
      const [shown] = yield* describeAll([job])
      return shown ?? (yield* Effect.dieMessage("one job has one description"))
    })

    return { describe, describeAll } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([BulkJobsRepo.layer, EngineAgents.layer, MemberNames.layer]))
}
