import { Effect, Layer, Option } from "effect"
import type { BulkRetryStatus } from "../../../domain/commands/BulkRetry.ts"
import { outcomeOf } from "../../../domain/commands/BulkRetry/Outcome.ts"
import { system } from "../../../domain/kernel/Actor.ts"
import { type AgentId, CommandId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { missingArgumentsNote } from "../../../domain/tasks/Retry.ts"
import { Audit } from "../../audit/Audit.ts"
import { Lease } from "../../kernel/concurrency/Leader.ts"
import { CurrentActor } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Commands } from "../Commands.ts"
import { EngineAgents } from "../EngineAgents.ts"
import { isKnownName } from "../Intents.ts"
import type { IssuedIntent } from "../Issue.ts"
import { BulkRetryItemsRepo, type ItemEnd, type PendingItem } from "./ItemsRepo.ts"
import { BulkRetriesRepo, type BulkRetry, type CountChanges } from "./Repo.ts"
import { BulkRetryUnsent } from "./Unsent.ts"

/** The action of each command. */
export const retryAction = "retry_task"

/** Tasks that are left out in one transaction. */
const maxSkips = 500

/** A task whose command is issued now. */
interface Claim {
  readonly position: number
  readonly command_id: CommandId
  readonly issued: IssuedIntent
}

/** What one step does with pending tasks. */
interface Batch {
  readonly claims: ReadonlyArray<Claim>
  readonly skips: ReadonlyArray<ItemEnd>
}

const emptyBatch: Batch = { claims: [], skips: [] }

/** How far a step came. */
export interface Step {
  /** Tasks that moved, in any direction. */
  readonly moved: number
  readonly issued: number
  /** Commands without an outcome. */
  readonly open: number
}

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

const addCounts = (all: ReadonlyArray<CountChanges>): CountChanges => {
  const sum: Record<string, number> = {}
  for (const changes of all) {
    for (const [name, by] of Object.entries(changes)) sum[name] = (sum[name] ?? 0) + by
  }
  return sum
}

const countEnds = ({ failed = 0, succeeded = 0, unknown = 0, unobserved = 0 }: CountChanges): number =>
  failed + succeeded + unknown + unobserved

/** The end of a request in which nothing more will move; null: something will. */
const endOf = (request: BulkRetry, changes: CountChanges, now: Timestamp.Timestamp): BulkRetryStatus | null => {
  const ended = request.unobserved + request.succeeded + request.failed + request.unknown + countEnds(changes)
  if (request.claimed + (changes.claimed ?? 0) > 0) return null
  if (ended === request.total) return "completed"
  if (request.control_state === "cancelled") return "cancelled"
  return request.deadline_at <= now ? "expired" : null
}

/**
 * Advances bulk retries: records the outcomes of commands, and issues the commands of the next tasks. A task is
 * marked in the transaction that inserts its command, so that no crash retries it twice or leaves it out.
 */
export class BulkRetryProgress extends Effect.Service<BulkRetryProgress>()("svc/BulkRetryProgress", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkRetriesRepo
    const items = yield* BulkRetryItemsRepo
    const unsent = yield* BulkRetryUnsent
    const engineAgents = yield* EngineAgents
    const commands = yield* Commands
    const audit = yield* Audit
    const { bulkCommandTimeout, bulkRetryOpenCommands } = yield* Settings

    /** The agent of a task of this engine, given the agent that reported its worker; null: none is connected. */
    const makeChooser = ({ project_id, target_agent_id }: BulkRetry) =>
      target_agent_id === null
        ? engineAgents.chooseIn(project_id, retryAction)
        : Effect.map(
          engineAgents.servedBy(project_id, target_agent_id, retryAction),
          (serves) => (engine: string, _reporter?: AgentId | null) => serves(engine) ? target_agent_id : null
        )

    /** Ids of one millisecond are in no order, and commands are sent in the order of their ids. */
    const nextIds = (count: number) =>
      Effect.map(Effect.replicateEffect(Ids.nextOf(CommandId), count), (ids) => [...ids].sort())

    const makeClaim = (
      request: BulkRetry,
      { current_name, engine, name: frozenName, position, task_id }: PendingItem,
      agent_id: AgentId,
      command_id: CommandId
    ): Claim => {
      const name = current_name ?? frozenName
      return {
        position,
        command_id,
        issued: {
          id: command_id,
          project_id: request.project_id,
          intent: {
            agent_id,
            action: retryAction,
            engine,
            target_type: "task",
            target_id: task_id,
            parameters: { task_id, task_name: isKnownName(name) ? name : undefined },
            timeout_seconds: bulkCommandTimeout,
            metadata: { bulk_retry_id: request.id }
          }
        }
      }
    }

    /** The next tasks, by engine, as far as its agents and the rate allow. */
    const selectBatch = Effect.fnUntraced(
      function*(request: BulkRetry, openByEngine: ReadonlyMap<string, number>, allowance: number) {
        const choose = yield* makeChooser(request)
        const claims: Array<Claim> = []
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
            allowance - claims.length
          )
          if (capacity <= 0 || choose(engine) === null) continue
          const pending = yield* items.listPending(request, engine, capacity)
          const ids = yield* nextIds(pending.length)
          pending.forEach((item, index) => {
            const reason = skipReasonOf(item)
            const agent = choose(engine, item.reporter)
            const id = ids[index]
            if (reason !== null) skips.push(skip(item, reason))
            else if (agent !== null && id !== undefined) claims.push(makeClaim(request, item, agent, id))
          })
        }
        return { claims, skips } satisfies Batch
      }
    )

    /** Writes a step, as far as nothing of it has changed in between. */
    const write = Effect.fnUntraced(
      function*(seen: BulkRetry, ends: ReadonlyArray<ItemEnd>, released: ReadonlyArray<CommandId>, batch: Batch) {
        const locked = yield* repo.lock(seen.project_id, seen.id)
        if (Option.isNone(locked) || locked.value.finished_at !== null) return { moved: 0, issued: 0, open: 0 }
        const request = locked.value
        const now = yield* Timestamp.now
        const ended = yield* items.end(request, "claimed", ends, now)
        const timedOut = yield* items.release(request, released)
        const mayGoOn = canRetry(request, now)
        const takenBack = mayGoOn
          ? 0
          : yield* unsent.takeBack(request, yield* items.listClaimedWithin(request), now)
        const skipped = mayGoOn ? yield* items.end(request, "pending", batch.skips, now) : {}
        const positions = new Set(
          mayGoOn && batch.claims.length > 0
            ? (yield* items.claim(request, batch.claims, now)).map(({ position }) => position)
            : []
        )
        const freed = countEnds(ended) + timedOut + takenBack
        const changes = addCounts([ended, skipped, { claimed: positions.size - freed }])
        const end = endOf(request, changes, now)
        yield* repo.advance(request.id, changes, now, end)
        const issues = batch.claims.filter(({ position }) => positions.has(position)).map(({ issued }) => issued)
        if (issues.length > 0) yield* commands.issueAll(issues)
        if (end !== null) yield* audit.record(finishEntryOf(request, changes, end))
        return {
          moved: freed + countEnds(skipped) + positions.size,
          issued: positions.size,
          open: request.claimed + positions.size - freed
        }
      }
    )

    /**
     * Moves the request on by one step, and issues at most `allowance` commands. Only the leader may do it: two at the
     * same time would exceed the rate.
     */
    const advance = Effect.fn("BulkRetryProgress.advance")(function*(request: BulkRetry, allowance: number) {
      const lease = yield* Lease
      const claimed = yield* items.listClaimed(request)
      const ends: Array<ItemEnd> = []
      const released: Array<CommandId> = []
      const openByEngine = new Map<string, number>()
      for (const item of claimed) {
        const outcome = outcomeOf(item)
        if (outcome === "open") openByEngine.set(item.engine, (openByEngine.get(item.engine) ?? 0) + 1)
        else if (outcome === "unsent") released.push(item.command_id)
        else ends.push({ position: item.position, ...outcome })
      }
      const mayGoOn = canRetry(request, yield* Timestamp.now)
      const batch = mayGoOn ? yield* selectBatch(request, openByEngine, allowance) : emptyBatch
      const isIdle = ends.length + released.length + batch.claims.length + batch.skips.length === 0
      if (isIdle && mayGoOn) return { moved: 0, issued: 0, open: claimed.length } satisfies Step
      return yield* lease.withTransaction(write(request, ends, released, batch))
    }, Effect.provideService(CurrentActor, system("bulk retry")))

    return { advance } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      BulkRetriesRepo.layer,
      BulkRetryItemsRepo.layer,
      BulkRetryUnsent.layer,
      Commands.layer,
      EngineAgents.layer
    ])
  )
}

/** Whether further tasks may be commanded. */
const canRetry = ({ control_state, deadline_at }: BulkRetry, now: Timestamp.Timestamp): boolean =>
  control_state === "running" && deadline_at > now

const finishEntryOf = (request: BulkRetry, changes: CountChanges, status: BulkRetryStatus) => {
  const { failed, id, project_id, succeeded, total, unknown, unobserved } = request
  return {
    action: "bulk_retry.finished",
    target_type: "bulk_retry",
    target_id: id,
    project_id,
    metadata: {
      status,
      total,
      succeeded: succeeded + (changes.succeeded ?? 0),
      failed: failed + (changes.failed ?? 0),
      unknown: unknown + (changes.unknown ?? 0),
      unobserved: unobserved + (changes.unobserved ?? 0)
    }
  }
}
