import { Effect, Layer } from "effect"
import { lintConf, type LintFinding, type ProjectLint } from "../../domain/agents/WorkerLint.ts"
import { NotFound } from "../../domain/kernel/Errors.ts"
import type { WorkerId } from "../../domain/kernel/Id.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { decodeStart, pageOf, type RowsQuery } from "../kernel/sql/RowPage.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { type WorkersFilter, WorkersRepo } from "./Workers/Repo.ts"

/** Workers whose settings one response evaluates. */
const maxLinted = 1000

const workerNotFound = new NotFound({ resource: "worker" })

/** The engines' own workers, as heartbeats and events describe them; the source of `worker_name` values. */
export class Workers extends Effect.Service<Workers>()("svc/Workers", {
  effect: Effect.gen(function*() {
    const repo = yield* WorkersRepo

    /** Workers of the project, newest first. */
    const list = Effect.fn("Workers.list")(function*(query: RowsQuery & WorkersFilter) {
      const start = yield* decodeStart("workers", query)
      return pageOf("workers", query, yield* repo.list((yield* CurrentProject).id, start, query, query.limit + 1))
    }, orDieOnSql)

    const get = Effect.fn("Workers.get")(function*(id: WorkerId) {
      return yield* Effect.flatMap(repo.findById((yield* CurrentProject).id, id), orFail(workerNotFound))
    }, orDieOnSql)

    /** The flaws in the settings that the online workers report. */
    const lint = Effect.fn("Workers.lint")(function*() {
      const rows = yield* repo.listConfs((yield* CurrentProject).id, maxLinted)
      const workers = rows.map(({ conf, ...worker }) => {
        const findings = lintConf(worker.engine, conf)
        return { ...worker, evaluated: findings !== null, findings: findings ?? [] }
      })
      const all = workers.flatMap(({ findings }) => findings)
      const countOf = (wanted: LintFinding["severity"]) => all.filter(({ severity }) => severity === wanted).length
      const evaluated = workers.filter((worker) => worker.evaluated).length
      return {
        workers_evaluated: evaluated,
        workers_not_evaluated: workers.length - evaluated,
        findings_by_severity: { error: countOf("error"), warning: countOf("warning"), info: countOf("info") },
        workers
      } satisfies ProjectLint
    }, orDieOnSql)

    return { list, get, lint } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(WorkersRepo.layer))
}
