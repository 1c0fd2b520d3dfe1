import { Array as Arr, Clock, Effect, Layer, Option } from "effect"
import type { BulkRetryStatus } from "../../../../domain/commands/BulkRetry.ts"
import { outcomeOf } from "../../../../domain/commands/BulkRetry/Outcome.ts"
import type { AgentId, CommandId } from "../../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { missingArgumentsNote } from "../../../../domain/tasks/Retry.ts"
import { isKnownName } from "../../../../domain/tasks/UnknownName.ts"
import { Audit, auditEntry } from "../../../audit/Audit.ts"
import { Lease } from "../../../kernel/concurrency/Leader.ts"
import { Metrics } from "../../../kernel/Metrics.ts"
import { Settings } from "../../../kernel/Settings.ts"
import { runAfterCommit } from "../../../kernel/sql/AfterCommit.ts"
import { Commands } from "../../Commands.ts"
import { observeCommandEnd } from "../../EndMetrics.ts"
import { EngineAgents } from "../../EngineAgents.ts"
import type { IssuedIntent } from "../../Issue.ts"
import { CommandStatusRepo } from "../../StatusRepo.ts"
import { actionOf, makeIssues } from "../Issues.ts"
import { BulkJobsRepo } from "../Repo.ts"
import { addOutcomes, type BulkRetry } from "../Row.ts"
import { noStep, type Step } from "../Step.ts"
import { BulkRetryItemsRepo, type ClaimedItem, type ItemEnd, type PendingItem } from "./ItemsRepo.ts"

/** Tasks that are left out in one transaction. */
const maxSkips = 500

/** What one step does with pending tasks. */
interface Batch {
  readonly claims: ReadonlyArray<{ readonly position: number; readonly issued: IssuedIntent }>
  readonly skips: ReadonlyArray<ItemEnd>
}

/** The retries that a request's rate allows. */
interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** At most one second of the rate; a new leader begins with nothing, so that a takeover does not exceed the rate. */
const refill = (bucket: Bucket | null, rate: number, now: number): Bucket => ({
  tokens: bucket === null ? 0 : Math.min(Math.max(rate, 1), bucket.tokens + ((now - bucket.at) / 1000) * rate),
  at: now
})

/** Why a task is left out; null: it is retried. */
const skipReasonOf = (item: PendingItem): ItemEnd["reason"] => {
  if (item.current_state === null) return "task_deleted"
  if (item.current_state !== item.state) return "task_changed"
  return item.is_retried === 1 ? "task_retried" : null
}

const skip = ({ position }: PendingItem, reason: ItemEnd["reason"], error: string | null = null): ItemEnd => ({
  position,
  status: error === null ? "unobserved" : "failed",
  reason,
  error,
  new_task_id: null
})

/** The claimed tasks by what became of their commands: ended, taken back unsent, or open, which are counted by engine. */
const sortClaimed = (claimed: ReadonlyArray<ClaimedItem>) => {
  const ends: Array<ItemEnd> = []
  const released: Array<CommandId> = []
  const openByEngine = new Map<string, number>()
  for (const item of claimed) {
    const outcome = outcomeOf(item)
    if (outcome === "open") openByEngine.set(item.engine, (openByEngine.get(item.engine) ?? 0) + 1)
    else if (outcome === "unsent") released.push(item.command_id)
    else ends.push({ position: item.position, ...outcome })
  }
  return { ends, released, openByEngine }
}

/** Whether further tasks may be commanded. */
const canRetry = ({ control_state, deadline_at }: BulkRetry, now: Timestamp.Timestamp): boolean =>
  control_state === "running" && deadline_at > now

/** The end of a request in which nothing more will move; null: something will. */
const endOf = (request: BulkRetry, now: Timestamp.Timestamp): BulkRetryStatus | null => {
  const { claimed, control_state, deadline_at, failed, succeeded, total, unknown, unobserved } = request
  if (claimed > 0) return null
  if (unobserved + succeeded + failed + unknown === total) return "completed"
  if (control_state === "cancelled") return "cancelled"
  return deadline_at <= now ? "expired" : null
}

const finishEntryOf = (
  { failed, id, project_id, status, succeeded, total, unknown, unobserved }: BulkRetry
) =>
  auditEntry("bulk_retry.finished", "bulk_retry", id, {
    project_id,
    metadata: { status, total, succeeded, failed, unknown, unobserved }
  })

/**
 * Advances bulk retries: records the outcomes of commands, and issues the commands of the next tasks. A task is
 * marked in the transaction that inserts its command, so that no crash retries it twice or leaves it out.
 */
export class BulkRetrySteps extends Effect.Service<BulkRetrySteps>()("svc/BulkRetrySteps", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkJobsRepo
    const items = yield* BulkRetryItemsRepo
    const engineAgents = yield* EngineAgents
    const commands = yield* Commands
    const statuses = yield* CommandStatusRepo
    const audit = yield* Audit
    const metrics = yield* Metrics
    const { bulkCommandTimeout, bulkRetryOpenCommands } = yield* Settings

    /**
     * Cancels the request's commands that wait for a process of their agent, and makes their tasks pending again, in
     * the caller's transaction, which has locked the request. Returns how many.
     */
    const takeBack = Effect.fnUntraced(function*(request: BulkRetry, now: Timestamp.Timestamp) {
      const claimed = yield* items.listClaimedWithin(request)
      const waiting = claimed.filter(({ command_status }) => command_status === "pending")
      if (waiting.length === 0) return 0
      const cancelled = yield* statuses.cancelUnsent(
        waiting.map(({ command_id }) => command_id),
        now,
        "Cancelled before it was sent: its bulk retry was paused, cancelled or has reached its deadline."
      )
      yield* runAfterCommit(Effect.sync(() => {
        for (const command of cancelled) observeCommandEnd(metrics, command, now)
      }))
      return yield* items.release(request, cancelled.map(({ id }) => id))
    })

    /** The next tasks, by engine, as far as its agents and the rate allow. */
    const selectBatch = Effect.fnUntraced(
      function*(request: BulkRetry, openByEngine: ReadonlyMap<string, number>, allowance: number) {
        const choose = yield* engineAgents.chooseIn(request.project_id, actionOf.retry, request.target_agent_id)
        const served: Array<PendingItem & { readonly agent_id: AgentId }> = []
        const skips: Array<ItemEnd> = []
        for (const engine of request.engines) {
          const refusal = missingArgumentsNote(engine)
          if (refusal !== null) {
            const refused = yield* items.listPending(request, engine, maxSkips)
            skips.push(...refused.map((item) => skip(item, "refused", refusal)))
            continue
          }
          const capacity = Math.min(
            bulkRetryOpenCommands - (openByEngine.get(engine) ?? 0),
            allowance - served.length
          )
          if (capacity <= 0 || choose(engine) === null) continue
          for (const item of yield* items.listPending(request, engine, capacity)) {
            const reason = skipReasonOf(item)
            const agent_id = choose(engine, item.reporter)
            if (reason !== null) skips.push(skip(item, reason))
            else if (agent_id !== null) served.push({ ...item, agent_id })
          }
        }
        const named = served.map((item) => {
          const name = item.current_name ?? item.name
          return { ...item, task_name: isKnownName(name) ? name : undefined }
        })
        const issues = yield* makeIssues(request, named, bulkCommandTimeout)
        const claims = Arr.zipWith(served, issues, ({ position }, issued) => ({ position, issued }))
        return { claims, skips } satisfies Batch
      }
    )

    /** Writes a step, as far as nothing of it has changed in between. */
    const write = Effect.fnUntraced(
      function*(snapshot: BulkRetry, ends: ReadonlyArray<ItemEnd>, released: ReadonlyArray<CommandId>, batch: Batch) {
        const request = Option.getOrUndefined(yield* repo.retries.lock(snapshot.project_id, snapshot.id))
        if (request === undefined || request.finished_at !== null) return { ...noStep, issued: 0 }
        const now = yield* Timestamp.now
        const ended = yield* items.end(request, "claimed", ends, now)
        const timedOut = yield* items.release(request, released)
        const mayGoOn = canRetry(request, now)
        const takenBack = mayGoOn ? 0 : yield* takeBack(request, now)
        const skipped = mayGoOn ? yield* items.end(request, "pending", batch.skips, now) : []
        const claims = batch.claims.map(({ issued, position }) => ({ position, command_id: issued.id }))
        const positions = new Set(mayGoOn ? yield* items.claim(request, claims, now) : [])
        const issued = positions.size
        const freed = ended.length + timedOut + takenBack
        const moved = freed + skipped.length + issued
        const openCommands = request.claimed + issued - freed
        const counted = { ...addOutcomes(request, [...ended, ...skipped]), claimed: openCommands }
        const moving = moved === 0 ? counted : { ...counted, last_progress_at: now }
        const end = endOf(moving, now)
        const saved = end === null ? moving : { ...moving, status: end, finished_at: now, resolved_at: now }
        if (moved > 0 || end !== null) yield* repo.retries.save(saved)
        const issues = batch.claims.filter(({ position }) => positions.has(position)).map((claim) => claim.issued)
        if (issues.length > 0) yield* commands.issueAll(issues)
        if (end !== null) yield* audit.record(finishEntryOf(saved))
        return { moved, openCommands, issued }
      }
    )

    /** Issues at most `allowance` commands. Only the leader may do it: two at the same time would exceed the rate. */
    const step = Effect.fn("BulkRetrySteps.step")(function*(request: BulkRetry, allowance: number) {
      const lease = yield* Lease
      const claimed = yield* items.listClaimed(request)
      const { ends, openByEngine, released } = sortClaimed(claimed)
      const mayGoOn = canRetry(request, yield* Timestamp.now)
      const batch = mayGoOn ? yield* selectBatch(request, openByEngine, allowance) : { claims: [], skips: [] }
      const isIdle = ends.length + released.length + batch.claims.length + batch.skips.length === 0
      if (isIdle && mayGoOn) return { moved: 0, openCommands: claimed.length, issued: 0 }
      return yield* lease.withTransaction(write(request, ends, released, batch))
    })

    /** The steps of a request. They spread its rate over time. */
    const makeSteps = () => {
      let bucket: Bucket | null = null
      return Effect.fnUntraced(function*(request: BulkRetry) {
        const { rate_per_second: rate } = request
        if (rate === null) return yield* step(request, Infinity)
        const { at, tokens } = refill(bucket, rate, yield* Clock.currentTimeMillis)
        const { issued, ...rest } = yield* step(request, Math.floor(tokens))
        bucket = { at, tokens: tokens - issued }
        return { ...rest, untilNext: ((1 - bucket.tokens) / rate) * 1000 } satisfies Step
      })
    }

    return { makeSteps, takeBack } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      BulkJobsRepo.layer,
      BulkRetryItemsRepo.layer,
      Commands.layer,
      CommandStatusRepo.layer,
      EngineAgents.layer
    ])
  )
}
