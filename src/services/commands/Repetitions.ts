import { Effect, Option } from "effect"
import { hash } from "node:crypto"
import type { Command, CommandStatus } from "../../domain/commands/Command.ts"
import { repeatedRetrySeconds } from "../../domain/commands/Command/Requests.ts"
import type { Actor } from "../../domain/kernel/Actor.ts"
import { canonicalize, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import { Conflict } from "../../domain/kernel/Errors.ts"
import { idempotencyRetentionSeconds } from "../../domain/kernel/Idempotency.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import type { Intent } from "./Model.ts"
import { CommandsRepo } from "./Repo.ts"

const idempotencyConflict = new Conflict({
  code: "idempotency_conflict",
  detail: "This idempotency_key was used with another body. Use a new key for a new request."
})

/** A retry that ended in another way may be asked for again at once. */
const mayHaveRetried: ReadonlySet<CommandStatus> = new Set(["pending", "dispatched", "completed"])

/** A key in its scope, and the hash of its request. */
export interface IdempotencyKey {
  readonly key: string
  readonly requestHash: string
}

// a request is JSON by its schema, and its overrides are CanonicalText
const hashRequest = (body: object): string => hash("sha256", canonicalize(body as JsonInput), "hex")

const actorKey = (actor: Actor): string => (actor.kind === "person" ? actor.user_id : `system ${actor.name}`)

/**
 * The key of a retry without one: of two at the same moment, which both find the same earlier one, the unique index
 * refuses the second.
 */
const makeRetryKey = (
  { engine, parameters, target_id }: Intent,
  now: Timestamp.Timestamp,
  failed: string | null
): IdempotencyKey => {
  const slot = Math.floor(Timestamp.toEpochSeconds(now) / repeatedRetrySeconds)
  const requestHash = hashRequest({ engine, parameters, target_id, failed })
  return { key: `retry:${slot}:${requestHash}`, requestHash }
}

/** Finds the command that a request has issued before, so that its repetition issues none. */
export const makeRepetitions = Effect.gen(function*() {
  const repo = yield* CommandsRepo
  const vault = yield* Vault

  /** The earlier command of the key, if there is one; fails when its request was different. */
  const findByKey = Effect.fnUntraced(function*({ key, requestHash }: IdempotencyKey) {
    const project = yield* CurrentProject
    const since = Timestamp.addSeconds(yield* Timestamp.now, -idempotencyRetentionSeconds)
    const earlierCommand = yield* repo.findByIdempotencyKey(project.id, key, since)
    if (Option.isNone(earlierCommand)) return Option.none<Command>()
    const { id, request_hash } = earlierCommand.value
    const first = yield* Effect.option(vault.open("commands.request_hash", id, request_hash))
    return Option.contains(first, requestHash) ? yield* repo.findById(project.id, id) : yield* idempotencyConflict
  })

  /**
   * A request's idempotency key of actor and route, null without one, and the command that it issued before, as it is
   * now. A different request with the key is refused.
   */
  const findEarlier = Effect.fnUntraced(
    function*(route: string, { idempotency_key, ...body }: { readonly idempotency_key: string | null }) {
      if (idempotency_key === null) return { key: null, first: Option.none<Command>() }
      const key: IdempotencyKey = {
        key: `${actorKey(yield* CurrentActor)}:${route}:${idempotency_key}`,
        requestHash: hashRequest(body)
      }
      return { key, first: yield* findByKey(key) }
    }
  )

  /** The equal retry of the task that was issued a moment ago, and where there is none, the key of this one. */
  const findEqualRetry = Effect.fnUntraced(function*(intent: Intent, key: IdempotencyKey | null) {
    const { engine, parameters, target_id } = intent
    const project = yield* CurrentProject
    const now = yield* Timestamp.now
    const since = Timestamp.addSeconds(now, -repeatedRetrySeconds)
    const equal = engine === null || target_id === null ? Option.none() : yield* repo.findRetry(
      project.id,
      { engine, task_id: target_id, payload: canonicalize({ ...parameters }), since }
    )
    const first = Option.isSome(equal) && mayHaveRetried.has(equal.value.status)
      ? yield* repo.findById(project.id, equal.value.id)
      : Option.none<Command>()
    return Option.isSome(first) || key !== null
      ? { key, first }
      : { key: makeRetryKey(intent, now, Option.isSome(equal) ? equal.value.id : null), first }
  })

  return { findByKey, findEarlier, findEqualRetry } as const
})
