import { Effect, Layer } from "effect"
import type { BulkJob } from "../../../domain/commands/BulkJob.ts"
import { omitNullTerms, summarizeTerms } from "../../../domain/kernel/Query.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { MemberNames } from "../../identity/MemberNames.ts"
import { EngineAgents } from "../EngineAgents.ts"
import type { BulkJobRow } from "./Repo.ts"

/** The action of each command of a cancellation. */
export const cancelAction = "cancel_task"

const mayWait = ({ act, status }: BulkJobRow) => act === "cancel" && status === "running"

const waitNote = (engines: ReadonlyArray<string>, deadline: Timestamp): string =>
  `No connected agent can cancel tasks of ${engines.join(", ")}. They wait until one connects, and are skipped after ` +
  `${deadline}.`

/** What callers see of bulk jobs: their counts, and what they wait for. */
export class BulkJobView extends Effect.Service<BulkJobView>()("svc/BulkJobView", {
  effect: Effect.gen(function*() {
    const engineAgents = yield* EngineAgents
    const memberNames = yield* MemberNames

    /** The jobs of one project as callers see them. */
    const describeAll = Effect.fnUntraced(function*(jobs: ReadonlyArray<BulkJobRow>) {
      const waiting = jobs.find(mayWait)
      const choose = waiting === undefined ? null : yield* engineAgents.chooseIn(waiting.project_id, cancelAction)
      const nameOf = yield* memberNames.find(
        jobs.flatMap(({ created_by, project_id }) => created_by === null ? [] : [{ project_id, user_id: created_by }])
      )
      return jobs.map((job): BulkJob => {
        const { as_of: _asOf, cursors, settled_at: _settled, filter, ...shown } = job
        const { created_by, deadline_at, project_id } = job
        const engines = choose === null || !mayWait(job)
          ? []
          : Object.keys(cursors).filter((engine) => choose(engine) === null).sort()
        return {
          ...shown,
          filter: summarizeTerms(omitNullTerms(filter)),
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
  static readonly layer = this.Default.pipe(Layer.provide([EngineAgents.layer, MemberNames.layer]))
}
