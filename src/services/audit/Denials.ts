import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { Person } from "../../domain/kernel/Actor.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { RateLimits } from "../kernel/RateLimits.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { Audit, auditEntry } from "./Audit.ts"

/** A request that a signed-in user, or an API key, has no permission for. */
export interface Denial {
  readonly actor: Person
  /** The project of the path, if the user is a member of it. */
  readonly project_id: ProjectId | null
  /** Method and path of the endpoint, as declared. */
  readonly endpoint: string
  /** The path's parameters by name, as the caller sent them. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** The problem's code: `forbidden`, `scope_missing` or `address_not_allowed`. */
  readonly code: string
}

/** Characters that are kept of each path parameter. */
const maxParamLength = 200

/**
 * Records refused requests: ten a minute per user and process, so that a user cannot fill the log. The others are counted
 * in `svc_audit_denials_total`.
 */
export class Denials extends Effect.Service<Denials>()("svc/audit/Denials", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    const limits = yield* RateLimits
    const metrics = yield* Metrics

    const record = Effect.fn("Denials.record")(
      function*({ actor, code, endpoint, params, project_id }: Denial) {
        const isWithinLimit = yield* limits.take("denial", actor.user_id)
        metrics.auditDenials.inc({ outcome: isWithinLimit ? "recorded" : "left_out" })
        if (!isWithinLimit) return
        const pathParams = Object.entries(params).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value.slice(0, maxParamLength).toWellFormed()] as const]
        )
        yield* sql.withTransaction(audit.record(auditEntry("access.denied", "endpoint", endpoint, {
          project_id,
          outcome: "deny",
          result: "failure",
          metadata: { code, path: Object.fromEntries(pathParams) }
        })))
      },
      (effect, { actor }) => Effect.provideService(effect, CurrentActor, actor),
      orDieOnSql
    )

    return { record } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(RateLimits.layer))
}
