import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { hash } from "node:crypto"
import {
  type BulkRetryPreviewRequest,
  type BulkRetryRequestCreate,
  type BulkRetryRequestPublic,
  canonicalizerVersion,
  type ControlState,
  toTaskFilter
} from "../domain/BulkRetry.ts"
import type { BulkRetryItem, ItemStatus } from "../domain/BulkRetry/Item.ts"
import { type BulkRetryPreview, exceptionTypeOf, maxGroups } from "../domain/BulkRetry/Preview.ts"
import { canonicalize } from "../domain/CanonicalJson.ts"
import { missingArgumentsNote } from "../domain/Command/Retry.ts"
import { Conflict, NotFound, ValidationFailed } from "../domain/Errors.ts"
import { type AgentId, BulkRetryId, type ProjectId } from "../domain/Id.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../domain/Page.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { AgentsRepo } from "./Agents/Repo.ts"
import { Audit } from "./Audit.ts"
import { BulkRetryFreeze } from "./BulkRetries/Freeze.ts"
import { BulkRetryItemsRepo } from "./BulkRetries/ItemsRepo.ts"
import { retryAction } from "./BulkRetries/Progress.ts"
import { BulkRetriesRepo, type BulkRetry } from "./BulkRetries/Repo.ts"
import { BulkRetryRetention } from "./BulkRetries/Retention.ts"
import { BulkRetryUnsent } from "./BulkRetries/Unsent.ts"
import { EngineAgents } from "./Commands/EngineAgents.ts"
import { CurrentActor, CurrentProject } from "./CurrentActor.ts"
import { Hints, isUniqueViolation, orDieOnSql } from "./Database.ts"
import * as Ids from "./Ids.ts"
import { decodeStart, pageOf } from "./RowPage.ts"
import { Settings } from "./Settings.ts"

/** Bulk retries of a project that have not ended. */
export const maxOpenRequests = 20

const defaultLimit = 100

const notFound = new NotFound({ resource: "bulk retry" })

const tooMany = new Conflict({
  code: "too_many_bulk_retries",
  detail: `The project has ${maxOpenRequests} bulk retries that have not ended. Wait for one, or cancel one.`
})

const otherRequest = new Conflict({
  code: "idempotency_conflict",
  detail: "This idempotency_key was used with another body. Use a new key for a new request."
})

const endedError = ({ status }: BulkRetry) =>
  new Conflict({
    code: "bulk_retry_ended",
    detail: `The bulk retry is ${
      status === "running" ? "being cancelled" : status
    }. To retry tasks that are left, create another one.`
  })

/** The members that are not null, with the state that is searched. */
const termsOf = ({ filter }: BulkRetryPreviewRequest): Readonly<Record<string, unknown>> => {
  const { search_exceptions, ...terms } = toTaskFilter(filter)
  return Object.fromEntries(
    Object.entries({ ...terms, ...(search_exceptions && { search_exceptions }) }).filter(([, term]) => term !== null)
  )
}

/** SHA-256 of the request's canonical JSON: what decides whether a repeated key is the same request. */
const digestOf = (request: BulkRetryRequestCreate): string => {
  const { agent_id, max, rate_per_second } = request
  // the cast: the terms are texts, lists of texts and booleans
  const filter = termsOf(request) as Readonly<Record<string, string | boolean | ReadonlyArray<string>>>
  return hash("sha256", canonicalize({ agent_id, filter, max, rate_per_second }), "hex")
}

/** Adds to the count of a key. */
const increment = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

const mostFrequent = <Key>(counts: ReadonlyMap<Key, number>): ReadonlyArray<readonly [Key, number]> =>
  [...counts].sort(([, a], [, b]) => b - a)

/** The body of a request's answers. */
const publicOf = (request: BulkRetry, note: string | null): BulkRetryRequestPublic => {
  const { claimed, failed, succeeded, total, unknown, unobserved, ...row } = request
  const pending = total - claimed - failed - succeeded - unknown - unobserved
  const { engines: _engines, ...shown } = row
  return {
    ...shown,
    canonicalizer_version: canonicalizerVersion,
    counts: { total, pending, claimed, unobserved, succeeded, failed, unknown },
    sealed_at: row.sealed_at ?? row.created_at, // the repository shows sealed requests only
    note
  }
}

/** Durable bulk retries within the current project (docs/bulk-retry.md). `BulkRetries/Loop.ts` executes them. */
export class BulkRetries extends Effect.Service<BulkRetries>()("svc/BulkRetries", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkRetriesRepo
    const items = yield* BulkRetryItemsRepo
    const freeze = yield* BulkRetryFreeze
    const unsent = yield* BulkRetryUnsent
    const retention = yield* BulkRetryRetention
    const agents = yield* AgentsRepo
    const engineAgents = yield* EngineAgents
    const audit = yield* Audit
    const hints = yield* Hints
    const { bulkRetryDeadlineHours, restMaxPageSize } = yield* Settings

    const checkAgent = Effect.fnUntraced(function*(projectId: ProjectId, agentId: AgentId | null) {
      if (agentId === null) return
      const agent = yield* agents.findCommanded(projectId, agentId, null)
      if (agent === null) return yield* new NotFound({ resource: "agent" })
    })

    /** The agent of an engine's tasks now; null: none is connected that can retry them. */
    const makeChooser = (projectId: ProjectId, agentId: AgentId | null) =>
      agentId === null
        ? engineAgents.chooseIn(projectId, retryAction)
        : Effect.map(
          engineAgents.servedBy(projectId, agentId, retryAction),
          (serves) => (engine: string) => serves(engine) ? agentId : null
        )

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

    /** Shows the frozen set: from now on it is retried. */
    const seal = Effect.fnUntraced(function*(request: BulkRetry) {
      yield* repo.seal(request)
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
    const freezeNew = Effect.fnUntraced(function*(request: BulkRetry, input: BulkRetryRequestCreate) {
      yield* repo.insert(request)
      const { filter, rate_per_second } = input
      const frozen = yield* freeze.store({ ...request, filter })
      yield* checkRate(rate_per_second, frozen.total)
      const sealed_at = yield* Timestamp.now
      const isEmpty = frozen.total === 0
      const end = isEmpty ? { status: "completed" as const, finished_at: sealed_at } : {}
      return yield* seal({ ...request, ...frozen, ...end, sealed_at })
    })

    /** Freezes the tasks that match, and begins to retry them. Once for each key. */
    const create = Effect.fn("BulkRetries.create")(function*(input: BulkRetryRequestCreate) {
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const canonical_digest = digestOf(input)
      const earlier = yield* findEarlier(project.id, input.idempotency_key, canonical_digest)
      if (Option.isSome(earlier)) return yield* describe(earlier.value)
      yield* checkAgent(project.id, input.agent_id)
      if ((yield* repo.countOpen(project.id)) >= maxOpenRequests) return yield* tooMany
      const created_at = yield* Timestamp.now
      const request: BulkRetry = {
        id: yield* Ids.nextOf(BulkRetryId),
        project_id: project.id,
        idempotency_key: input.idempotency_key,
        canonical_digest,
        plan_digest: "",
        filter: termsOf(input),
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
      const sealed = yield* Effect.tapError(freezeNew(request, input), () => retention.discard(request)).pipe(
        // the same key at the same moment: the other request was quicker
        Effect.catchIf(isUniqueViolation, () =>
          Effect.flatMap(
            findEarlier(project.id, input.idempotency_key, canonical_digest),
            Option.match({ onNone: () => otherRequest, onSome: Effect.succeed })
          ))
      )
      return yield* describe(sealed)
    }, orDieOnSql)

    /** What a request would retry. Stores nothing. */
    const preview = Effect.fn("BulkRetries.preview")(function*(input: BulkRetryPreviewRequest) {
      const project = yield* CurrentProject
      yield* checkAgent(project.id, input.agent_id)
      const engines = new Map<string, number>()
      const names = new Map<string, number>()
      const exceptions = new Map<string | null, number>()
      const { capped, total } = yield* freeze.readAll(
        project.id,
        input.filter,
        input.max,
        yield* Timestamp.now,
        (tasks) =>
          Effect.sync(() => {
            for (const { engine, exception, name } of tasks) {
              increment(engines, engine)
              increment(names, name)
              increment(exceptions, exception === null ? null : exceptionTypeOf(exception))
            }
          })
      )
      const choose = yield* makeChooser(project.id, input.agent_id)
      return {
        total,
        capped,
        engines: mostFrequent(engines).map(([engine, count]) => {
          const note = missingArgumentsNote(engine)
          const agent_id = note === null ? choose(engine) : null
          return { engine, count, agent_id, note: note ?? (agent_id === null ? waitNote([engine]) : null) }
        }),
        names: mostFrequent(names).slice(0, maxGroups).map(([name, count]) => ({ name, count })),
        exceptions: mostFrequent(exceptions).slice(0, maxGroups).map(([exception, count]) => ({ exception, count }))
      } satisfies BulkRetryPreview
    }, orDieOnSql)

    const waitNote = (engines: ReadonlyArray<string>) =>
      `No connected agent can retry tasks of ${engines.join(", ")}. They wait until one connects.`

    /** The request as callers see it, with what it waits for. */
    const describe = Effect.fnUntraced(function*(request: BulkRetry) {
      const { claimed, control_state, finished_at, project_id, target_agent_id } = request
      if (finished_at !== null) return publicOf(request, null)
      if (control_state !== "running") {
        const open = claimed === 0 ? "" : ` ${claimed} commands were sent before; their outcomes are still taken.`
        return publicOf(request, `No task is retried: it is ${control_state}.${open}`)
      }
      const choose = yield* makeChooser(project_id, target_agent_id)
      const waiting = request.engines.filter((engine) =>
        missingArgumentsNote(engine) === null && choose(engine) === null
      )
      return publicOf(request, waiting.length === 0 ? null : waitNote(waiting))
    })

    const find = Effect.fnUntraced(function*(id: BulkRetryId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.find(project.id, id), {
        onNone: () => notFound,
        onSome: Effect.succeed
      })
    })

    const get = Effect.fn("BulkRetries.get")((id: BulkRetryId) => Effect.flatMap(find(id), describe), orDieOnSql)

    /** Newest first, without notes. */
    const list = Effect.fn("BulkRetries.list")(
      function*(query: { readonly cursor: string | undefined; readonly limit: number | undefined }) {
        const project = yield* CurrentProject
        const limit = Math.min(query.limit ?? defaultLimit, restMaxPageSize)
        const start = yield* decodeStart("bulk-retry-requests", { cursor: query.cursor, limit })
        const rows = yield* repo.list(project.id, start, limit + 1)
        const { items, next_cursor } = pageOf("bulk-retry-requests", { limit }, rows)
        return { items: items.map((row) => publicOf(row, null)), next_cursor }
      },
      orDieOnSql
    )

    const invalidCursor = ValidationFailed.at("cursor", "is not a cursor of this list")

    /** The tasks in the order of their retries; with a status by engine first. */
    const listItems = Effect.fn("BulkRetries.listItems")(function*(
      id: BulkRetryId,
      query: {
        readonly status: ItemStatus | undefined
        readonly cursor: string | undefined
        readonly limit: number | undefined
      }
    ) {
      const request = yield* find(id)
      const { cursor, status } = query
      const limit = Math.min(query.limit ?? defaultLimit, restMaxPageSize)
      const name = `bulk-retry-items ${status ?? ""}`
      const after = cursor === undefined ? null : decodeCursor(name, cursor, 2)
      const position = Number(after?.[1] ?? 0)
      if ((cursor !== undefined && after === null) || !Number.isSafeInteger(position)) return yield* invalidCursor
      const rows: ReadonlyArray<BulkRetryItem> = status === undefined
        ? yield* items.list(request, position, limit + 1)
        : yield* items.listByStatus(
          request,
          status,
          after === null ? null : { engine: after[0] ?? "", position },
          limit + 1
        )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const hasMore = rows.length > limit && last !== undefined
      const next_cursor = hasMore ? encodeCursor(name, [last.engine, String(last.position)]) : null
      return { items: page, next_cursor } satisfies PageOf<BulkRetryItem>
    }, orDieOnSql)

    /** Changes what people ask of a request, in one transaction with its audit row. */
    const control = Effect.fnUntraced(
      function*(id: BulkRetryId, to: ControlState, rate: number | null | undefined, action: string) {
        const project = yield* CurrentProject
        const locked = yield* repo.lock(project.id, id)
        if (Option.isNone(locked)) return yield* notFound
        const request = locked.value
        if (request.finished_at !== null || request.control_state === "cancelled") {
          return request.control_state === to ? request : yield* endedError(request)
        }
        const rate_per_second = rate === undefined ? request.rate_per_second : rate
        if (request.control_state === to && request.rate_per_second === rate_per_second) return request
        const now = yield* Timestamp.now
        const changed = { ...request, control_state: to, rate_per_second }
        yield* repo.setControl(changed)
        const takenBack = to === "running"
          ? 0
          : yield* unsent.takeBack(request, yield* items.listClaimedWithin(request), now)
        const claimed = request.claimed - takenBack
        const end = to === "cancelled" && claimed === 0 ? { status: "cancelled" as const, finished_at: now } : {}
        yield* repo.advance(id, { claimed: -takenBack }, now, end.status ?? null)
        yield* hints.publish("bulk_retries", project.id)
        yield* audit.record({
          action,
          target_type: "bulk_retry",
          target_id: id,
          project_id: project.id,
          metadata: { rate_per_second }
        })
        return { ...changed, claimed, ...end }
      },
      sql.withTransaction
    )

    /** Stops further retries, and takes back commands that were not sent; what was sent goes on. */
    const pause = Effect.fn("BulkRetries.pause")(
      (id: BulkRetryId) => Effect.flatMap(control(id, "paused", undefined, "bulk_retry.paused"), describe),
      orDieOnSql
    )

    /** Goes on, at this rate if one is given; null: without a limit. */
    const resume = Effect.fn("BulkRetries.resume")(
      (id: BulkRetryId, rate: number | null | undefined) =>
        Effect.flatMap(control(id, "running", rate, "bulk_retry.resumed"), describe),
      orDieOnSql
    )

    /** Ends the request; tasks that are left stay as they are. */
    const cancel = Effect.fn("BulkRetries.cancel")(
      (id: BulkRetryId) => Effect.flatMap(control(id, "cancelled", undefined, "bulk_retry.cancelled"), describe),
      orDieOnSql
    )

    return { create, preview, get, list, listItems, pause, resume, cancel } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentsRepo.layer,
      BulkRetriesRepo.layer,
      BulkRetryFreeze.layer,
      BulkRetryItemsRepo.layer,
      BulkRetryRetention.layer,
      BulkRetryUnsent.layer,
      EngineAgents.layer
    ])
  )
}
