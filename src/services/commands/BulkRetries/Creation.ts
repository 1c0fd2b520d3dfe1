import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { hash } from "node:crypto"
import type { BulkRetryRequestCreate } from "../../../domain/commands/BulkRetry.ts"
import { canonicalize } from "../../../domain/kernel/CanonicalJson.ts"
import { Conflict, ValidationFailed } from "../../../domain/kernel/Errors.ts"
import { BulkRetryId, type ProjectId } from "../../../domain/kernel/Id.ts"
import { summarizeTerms } from "../../../domain/kernel/Query.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit } from "../../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Hints, isUniqueViolation } from "../../kernel/sql/Database.ts"
import { lockName } from "../../kernel/sql/Dialect.ts"
import { BulkRetryFreeze } from "./Freeze.ts"
import { BulkRetriesRepo, type BulkRetry } from "./Repo.ts"
import { BulkRetryRetention } from "./Retention.ts"
import { boundTo, BulkRetrySelection, termsOf } from "./Selection.ts"

/** Bulk retries of a project that have not ended. */
export const maxOpenRequests = 20

const tooMany = new Conflict({
  code: "too_many_bulk_retries",
  detail: `The project has ${maxOpenRequests} bulk retries that have not ended. Wait for one, or cancel one.`
})

const otherRequest = new Conflict({
  code: "idempotency_conflict",
  detail: "This idempotency_key was used with another body. Use a new key for a new request."
})

/** SHA-256 of the request's canonical JSON: what decides whether a repeated key is the same request. */
const digestOf = (request: BulkRetryRequestCreate, now: Timestamp.Timestamp): string => {
  const { agent_id, max, rate_per_second } = request
  // the cast: the terms are texts, lists of texts and booleans
  const filter = termsOf(request, now) as Readonly<Record<string, string | boolean | ReadonlyArray<string>>>
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
    const repo = yield* BulkRetriesRepo
    const freeze = yield* BulkRetryFreeze
    const selection = yield* BulkRetrySelection
    const retention = yield* BulkRetryRetention
    const audit = yield* Audit
    const hints = yield* Hints
    const { bulkRetryDeadlineHours } = yield* Settings

    /** The first request of the key, if there is one; fails when it was another request. */
    const findEarlier = Effect.fnUntraced(function*(projectId: ProjectId, key: string, digest: string) {
      const earlier = yield* repo.findByKey(projectId, key)
      if (Option.isSome(earlier) && earlier.value.canonical_digest !== digest) return yield* otherRequest
      return earlier
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
    const checkOpen = (projectId: ProjectId) =>
      Effect.flatMap(repo.countOpen(projectId), (open) => (open >= maxOpenRequests ? tooMany : Effect.void))

    /** Completes the freeze: from now on the request is visible and its tasks are retried. */
    const seal = Effect.fnUntraced(function*(request: BulkRetry) {
      yield* lockName(sql, `bulk retries ${request.project_id}`)
      yield* checkOpen(request.project_id)
      // retention deletes what is not sealed within an hour, by a clock that may jump
      if (!(yield* repo.seal(request))) return yield* Effect.dieMessage("the set was deleted while it was frozen")
      yield* hints.publish("bulk_retries", request.project_id)
      yield* audit.record({
        action: "bulk_retry.created",
        target_type: "bulk_retry",
        target_id: request.id,
        project_id: request.project_id,
        metadata: {
          filter: request.filter,
          total: request.total,
          capped: request.capped,
          agent_id: request.target_agent_id,
          rate_per_second: request.rate_per_second,
          plan_digest: request.plan_digest
        }
      })
      return request
    }, sql.withTransaction)

    /** Stores the matching tasks; a kill in the middle leaves rows that are shown nowhere, and retention deletes them. */
    const freezeNew = Effect.fnUntraced(function*(
      request: BulkRetry,
      input: BulkRetryRequestCreate,
      asOf: Timestamp.Timestamp
    ) {
      yield* repo.insert(request)
      const { filter, rate_per_second } = input
      const frozen = yield* freeze.store({ ...request, filter, as_of: asOf })
      yield* checkRate(rate_per_second, frozen.total)
      const sealed_at = yield* Timestamp.now
      const isEmpty = frozen.total === 0
      const end = isEmpty ? { status: "completed" as const, finished_at: sealed_at } : {}
      return yield* seal({ ...request, ...frozen, ...end, sealed_at })
    })

    /**
     * Freezes the tasks that match, or, with `requestedAt`, those that were there when the approved request was made; the
     * first request again where the key is known.
     */
    const create = Effect.fnUntraced(function*(input: BulkRetryRequestCreate, requestedAt?: Timestamp.Timestamp) {
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const created_at = yield* Timestamp.now
      const asOf = requestedAt ?? created_at
      const bounded = requestedAt === undefined ? input : boundTo(input, requestedAt)
      const canonical_digest = digestOf(input, asOf)
      const earlier = yield* findEarlier(project.id, input.idempotency_key, canonical_digest)
      if (Option.isSome(earlier)) return earlier.value
      yield* selection.checkAgent(project.id, input.agent_id)
      yield* checkOpen(project.id) // `seal` checks it under a lock: this one spares the freezing
      const request: BulkRetry = {
        id: yield* Ids.nextOf(BulkRetryId),
        project_id: project.id,
        idempotency_key: input.idempotency_key,
        canonical_digest,
        plan_digest: "",
        filter: summarizeTerms(termsOf(bounded, asOf)),
        max: input.max,
        capped: false,
        engines: [],
        target_agent_id: input.agent_id,
        rate_per_second: input.rate_per_second,
        status: "running",
        control_state: "running",
        total: 0,
        claimed: 0,
        unobserved: 0,
        succeeded: 0,
        failed: 0,
        unknown: 0,
        created_by: actor.kind === "person" ? actor.user_id : null,
        created_at,
        sealed_at: null,
        deadline_at: Timestamp.addSeconds(created_at, bulkRetryDeadlineHours * 3600),
        last_progress_at: null,
        finished_at: null
      }
      const discard = (error: { readonly _tag: string }) =>
        Effect.when(retention.discard(request), () => leavesUnsealed(error))
      return yield* Effect.tapError(freezeNew(request, bounded, asOf), discard).pipe(
        // the same key at the same moment: the other request was inserted first
        Effect.catchIf((error) => error === tooMany || isUniqueViolation(error), (error) =>
          Effect.flatMap(
            findEarlier(project.id, input.idempotency_key, canonical_digest),
            Option.match({ onNone: () => error === tooMany ? tooMany : otherRequest, onSome: Effect.succeed })
          ))
      )
    })

    /** The first request of the key, where it was the same; fails where it was another one. */
    const find = Effect.fnUntraced(function*(input: BulkRetryRequestCreate, asOf: Timestamp.Timestamp) {
      const project = yield* CurrentProject
      return yield* findEarlier(project.id, input.idempotency_key, digestOf(input, asOf))
    })

    return { create, find } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkRetriesRepo.layer, BulkRetryFreeze.layer, BulkRetryRetention.layer, BulkRetrySelection.layer])
  )
}
