import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { hash } from "node:crypto"
import type { BulkRetryRequestCreate } from "../../../../domain/commands/BulkRetry.ts"
import { canonicalize } from "../../../../domain/kernel/CanonicalJson.ts"
import { Conflict, ValidationFailed } from "../../../../domain/kernel/Errors.ts"
import { BulkRetryId } from "../../../../domain/kernel/Id.ts"
import { summarizeTerms } from "../../../../domain/kernel/Query.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { hidePayloadQuery } from "../../../../domain/tasks/Task/Filter.ts"
import { Audit, auditEntry } from "../../../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../../../kernel/CurrentActor.ts"
import * as Ids from "../../../kernel/Ids.ts"
import { Settings } from "../../../kernel/Settings.ts"
import { Hints, isUniqueViolation } from "../../../kernel/sql/Database.ts"
import { lockName } from "../../../kernel/sql/Dialect.ts"
import { BulkJobsRepo } from "../Repo.ts"
import { type BulkRetry, maxOpenJobs, noProgress } from "../Row.ts"
import { BulkRetryFreeze } from "./Freeze.ts"
import { BulkRetryPreviews, termsOf } from "./Preview.ts"

const tooMany = new Conflict({
  code: "too_many_bulk_retries",
  detail: `The project has ${maxOpenJobs} bulk retries that have not ended. Wait for one, or cancel one.`
})

const otherRequest = new Conflict({
  code: "idempotency_conflict",
  detail: "This idempotency_key was used with another body. Use a new key for a new request."
})

/** SHA-256 of the request's canonical JSON: what decides whether a repeated key is the same request. */
const digestOf = (request: BulkRetryRequestCreate, asOf: Timestamp.Timestamp): string => {
  const { agent_id, max, rate_per_second } = request
  // the cast: the terms are texts, lists of texts and booleans
  const filter = termsOf(request, asOf) as Readonly<Record<string, string | boolean | ReadonlyArray<string>>>
  return hash("sha256", canonicalize({ agent_id, filter, max, rate_per_second }), "hex")
}

/**
 * Whether the failure means that the set is not sealed. After another error of the database it may be, and its retries
 * may have begun; retention deletes what was not.
 */
const leavesUnsealed = (error: { readonly _tag: string }): boolean =>
  error._tag !== "SqlError" || isUniqueViolation(error)

/** Creates bulk retries: once for each key, and with a frozen set of tasks. */
export class BulkRetryCreation extends Effect.Service<BulkRetryCreation>()("svc/BulkRetryCreation", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkJobsRepo
    const freeze = yield* BulkRetryFreeze
    const { checkAgent } = yield* BulkRetryPreviews
    const audit = yield* Audit
    const hints = yield* Hints
    const { bulkRetryDeadlineHours } = yield* Settings

    /** The first request of the key, if there is one; fails when it was another request. */
    const find = Effect.fnUntraced(function*(input: BulkRetryRequestCreate, asOf: Timestamp.Timestamp) {
      const project = yield* CurrentProject
      const earlier = yield* repo.findByKey(project.id, input.idempotency_key)
      const isOther = Option.exists(earlier, ({ canonical_digest }) => canonical_digest !== digestOf(input, asOf))
      return isOther ? yield* otherRequest : earlier
    })

    /** Fails where the rate is too low for the deadline. */
    const checkRate = (rate: number | null, left: number) => {
      const hours = rate === null ? 0 : left / rate / 3600
      return hours <= bulkRetryDeadlineHours
        ? Effect.void
        : ValidationFailed.at(
          "rate_per_second",
          `${left} tasks take ${Math.ceil(hours)} hours at this rate, and a bulk retry ends after ` +
            `${bulkRetryDeadlineHours} (SVC_BULK_RETRY_DEADLINE_HOURS). Choose a higher rate, or fewer tasks`
        )
    }

    /** Fails where the project has the most requests. A request counts once its set is sealed. */
    const checkOpen = ({ project_id }: BulkRetry) =>
      Effect.flatMap(repo.retries.countOpen(project_id), (count) => (count >= maxOpenJobs ? tooMany : Effect.void))

    /** Completes the freeze: from now on the request is visible and its tasks are retried. */
    const seal = Effect.fnUntraced(function*(request: BulkRetry) {
      const { capped, filter, id, plan_digest, project_id, rate_per_second, target_agent_id, total } = request
      yield* lockName(sql, `bulk retries ${project_id}`)
      yield* checkOpen(request)
      // retention deletes what is not sealed within an hour, by a clock that may jump
      if (!(yield* repo.retries.save(request))) {
        return yield* Effect.dieMessage("the set was deleted while it was frozen")
      }
      yield* hints.publish("bulk_jobs", project_id)
      yield* audit.record(auditEntry("bulk_retry.created", "bulk_retry", id, {
        project_id,
        metadata: {
          filter: hidePayloadQuery(filter),
          total,
          capped,
          agent_id: target_agent_id,
          rate_per_second,
          plan_digest
        }
      }))
      return request
    }, sql.withTransaction)

    /** Stores the matching tasks; a kill in the middle leaves rows that are shown nowhere, and retention deletes them. */
    const freezeNew = Effect.fnUntraced(function*(
      request: BulkRetry,
      { filter }: BulkRetryRequestCreate,
      asOf: Timestamp.Timestamp
    ) {
      yield* repo.retries.insert(request)
      const frozen = yield* freeze.store(request, filter, asOf)
      yield* checkRate(request.rate_per_second, frozen.total)
      const sealed_at = yield* Timestamp.now
      const end = { status: "completed", finished_at: sealed_at, resolved_at: sealed_at } as const
      return yield* seal({ ...request, ...frozen, sealed_at, ...(frozen.total === 0 && end) })
    })

    /**
     * Freezes the tasks that match the bounded request; `input` is what the caller sent. Returns the first request again
     * where the key became known in between.
     */
    const create = Effect.fnUntraced(
      function*(input: BulkRetryRequestCreate, bounded: BulkRetryRequestCreate, asOf: Timestamp.Timestamp) {
        const project = yield* CurrentProject
        const actor = yield* CurrentActor
        const created_at = yield* Timestamp.now
        yield* checkAgent(project.id, input.agent_id)
        const request: BulkRetry = {
          ...noProgress,
          id: yield* Ids.nextOf(BulkRetryId),
          project_id: project.id,
          action: "retry",
          filter: summarizeTerms(termsOf(bounded, asOf)),
          status: "running",
          total: 0,
          idempotency_key: input.idempotency_key,
          canonical_digest: digestOf(input, asOf),
          plan_digest: "",
          max: input.max,
          capped: false,
          engines: [],
          target_name: null,
          target_agent_id: input.agent_id,
          rate_per_second: input.rate_per_second,
          control_state: "running",
          created_by: actor.kind === "person" ? actor.user_id : null,
          created_at,
          sealed_at: null,
          deadline_at: Timestamp.addSeconds(created_at, bulkRetryDeadlineHours * 3600),
          last_progress_at: null,
          finished_at: null,
          resolved_at: null
        }
        yield* checkOpen(request) // `seal` checks it under a lock: this one spares the freezing
        return yield* freezeNew(request, bounded, asOf).pipe(
          Effect.tapError((error) => Effect.when(repo.discard(request), () => leavesUnsealed(error))),
          // the same key at the same moment: the other request was sealed first
          Effect.catchIf((error) => error === tooMany || isUniqueViolation(error), (error) =>
            Effect.flatMap(
              find(input, asOf),
              Option.match({ onNone: () => error === tooMany ? tooMany : otherRequest, onSome: Effect.succeed })
            ))
        )
      }
    )

    return { create, find } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkJobsRepo.layer, BulkRetryFreeze.layer, BulkRetryPreviews.layer])
  )
}
