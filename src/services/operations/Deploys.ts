import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { DeployId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type Deploy, type DeployCreate, type ListDeploys, sameDeploySeconds } from "../../domain/operations/Deploy.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { DeploysRepo } from "./DeploysRepo.ts"

const defaultDeploys = 100

/** The clock of the machine that deploys may be this much fast. */
const clockSkewSeconds = 60

/** When which version of a project's application was deployed (docs/deploys.md). */
export class Deploys extends Effect.Service<Deploys>()("svc/Deploys", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* DeploysRepo
    const audit = yield* Audit

    /** The newest first. */
    const list = Effect.fn("Deploys.list")(function*({ from, limit = defaultDeploys, to }: ListDeploys) {
      return yield* repo.list((yield* CurrentProject).id, { from, to }, limit)
    }, orDieOnSql)

    /** The deploy of this version within 10 minutes if there is one: several hosts mark one deploy. */
    const create = Effect.fn("Deploys.create")(function*({ at: given, note, url, version }: DeployCreate) {
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const now = yield* Timestamp.now
      const at = given ?? now
      if (at > Timestamp.addSeconds(now, clockSkewSeconds)) {
        return yield* ValidationFailed.at("at", "must not be in the future")
      }
      yield* lockName(sql, `deploys ${project.id}`)
      const known = yield* repo.findSame(project.id, version, {
        from: Timestamp.addSeconds(at, -sameDeploySeconds),
        to: Timestamp.addSeconds(at, sameDeploySeconds)
      })
      if (Option.isSome(known)) return known.value
      const deploy: Deploy = {
        id: yield* Ids.nextOf(DeployId),
        version,
        at,
        note,
        url,
        created_by: actor.kind === "person" ? actor.user_id : null,
        created_at: now
      }
      yield* repo.insert(project.id, deploy)
      yield* audit.record(auditEntry("deploy.marked", "deploy", deploy.id, {
        project_id: project.id,
        metadata: { name: version, at }
      }))
      return deploy
    }, inTransaction(sql))

    const remove = Effect.fn("Deploys.remove")(function*(id: DeployId) {
      const project = yield* CurrentProject
      const { at, version } = yield* Effect.flatMap(
        repo.findForUpdate(project.id, id),
        orFail(new NotFound({ resource: "deploy" }))
      )
      yield* repo.delete(id)
      yield* audit.record(auditEntry("deploy.deleted", "deploy", id, {
        project_id: project.id,
        metadata: { name: version, at }
      }))
    }, inTransaction(sql))

    return { list, create, remove } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(DeploysRepo.layer))
}
