import type { SqlError } from "@effect/sql"
import { Array as Arr, Effect, Layer, Option, Schema } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ExecutionsRepo, type KnownTask, type OpenRetry } from "./ExecutionsRepo.ts"

/** A task that a rule may retry or cancel. */
export interface Candidate {
  readonly engine: string
  readonly task_id: string
  readonly task_name: string
}

/** A command of a rule about a task, as far as the guards need it. */
interface PastCommand {
  readonly action: string
  readonly occurred_at: Timestamp.Timestamp
}

/** Tasks of a chain that are followed back. Rules make at most 100 retries of a chain; people may add some. */
const maxDepth = 200

/** How much earlier than its retry a task may appear: the clocks of two replicas differ. */
const maxSkewSeconds = 5

export const keyOf = (engine: string, id: string): string => `${engine} ${id}`

const NamedTask = Schema.Struct({
  new_task_id: Schema.optional(Schema.String),
  task_id: Schema.optional(Schema.String)
})
const decodeResult = Schema.decodeUnknownOption(Schema.parseJson(NamedTask))

/** Whether the result says which task runs now: an engine that runs the task under its own id names that. */
const namesTask = (result: string | null): boolean =>
  Option.exists(decodeResult(result), ({ new_task_id, task_id }) => (new_task_id ?? task_id) !== undefined)

/**
 * Chains of retries: a task, and the tasks that its retries created. A task that is new under a name that a rule has
 * just retried may be that retry, before the command's result says so: it waits for the result. When the outcome stays
 * unknown, the task counts as the retry, since a rule could otherwise retry for ever.
 */
export class RetryChains extends Effect.Service<RetryChains>()("svc/RetryChains", {
  effect: Effect.gen(function*() {
    const repo = yield* ExecutionsRepo

    /** All that the guards need of these tasks, in a few statements per engine. */
    const load = Effect.fn("RetryChains.load")(
      function*(project: ProjectId, candidates: ReadonlyArray<Candidate>, now: Timestamp.Timestamp) {
        const tasks = new Map<string, KnownTask>()
        const commands = new Map<string, Array<PastCommand>>()
        const chains = new Map<string, (id: string) => ReadonlySet<string>>()
        const openRetries = new Map<string, Array<OpenRetry>>()
        for (const engine of new Set(candidates.map((candidate) => candidate.engine))) {
          const own = candidates.filter((candidate) => candidate.engine === engine)
          const ids = [...new Set(own.map(({ task_id }) => task_id))]
          for (const task of yield* repo.listTasks(project, engine, ids)) tasks.set(keyOf(engine, task.task_id), task)
          for (const name of new Set(own.map(({ task_name }) => task_name))) {
            openRetries.set(keyOf(engine, name), [...(yield* repo.listOpenRetries(project, engine, name, now))])
          }
          const retried = own.flatMap(({ task_name }) => openRetries.get(keyOf(engine, task_name)) ?? [])
          const members = [...new Set([...ids, ...retried.map(({ task_id }) => task_id)])]
          const chainOf = yield* loadChains(repo.listParents)(project, engine, members)
          chains.set(engine, chainOf)
          const everyone = [...new Set(members.flatMap((id) => [...chainOf(id)]))]
          for (const { task_id, ...command } of yield* repo.listCommandsOf(project, engine, everyone)) {
            const known = commands.get(keyOf(engine, task_id))
            if (known === undefined) commands.set(keyOf(engine, task_id), [command])
            else known.push(command)
          }
        }
        return guardChains({
          find: ({ engine, task_id }) => tasks.get(keyOf(engine, task_id)),
          chainOf: ({ engine, task_id }) => chains.get(engine)!(task_id),
          commands,
          openRetries
        })
      }
    )

    return { load } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(ExecutionsRepo.layer))
}

/** What the guards know about the tasks of a batch. */
interface ChainFacts {
  /** The task as it is; undefined: it was deleted. */
  readonly find: (task: Pick<Candidate, "engine" | "task_id">) => KnownTask | undefined
  /** The task and those whose retries led to it. */
  readonly chainOf: (task: Pick<Candidate, "engine" | "task_id">) => ReadonlySet<string>
  /** Commands of rules, by `keyOf` the task. */
  readonly commands: Map<string, Array<PastCommand>>
  /** Retries without a known task, by `keyOf` the name. */
  readonly openRetries: ReadonlyMap<string, Array<OpenRetry>>
}

type ListParents = (
  project: ProjectId,
  engine: string,
  taskIds: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<{ readonly task_id: string; readonly parent: string }>, SqlError.SqlError>

/** Tasks of one statement. */
const parentsAtOnce = 1000

/** Follows the tasks back: the ancestors of each with the task itself. */
export const loadChains = (listParents: ListParents) =>
  Effect.fnUntraced(
    function*(project: ProjectId, engine: string, taskIds: ReadonlyArray<string>) {
      const parents = new Map<string, Array<string>>()
      let frontier = taskIds
      for (let depth = 0; depth < maxDepth && frontier.length > 0; depth++) {
        const found = yield* Effect.forEach(
          Arr.chunksOf(frontier, parentsAtOnce),
          (ids) => listParents(project, engine, ids)
        )
        for (const { parent, task_id } of found.flat()) {
          const known = parents.get(task_id)
          if (known === undefined) parents.set(task_id, [parent])
          else if (!known.includes(parent)) known.push(parent)
        }
        frontier = [...new Set(found.flat().map(({ parent }) => parent))].filter((id) => !parents.has(id))
      }
      return (id: string): ReadonlySet<string> => {
        const chain = new Set([id])
        for (const member of chain) for (const parent of parents.get(member) ?? []) chain.add(parent)
        return chain
      }
    }
  )

/** The guards of one batch. `add` and `claimOrigin` change what the later ones of the batch find. */
export const guardChains = (facts: ChainFacts) => {
  const { commands, openRetries } = facts
  const claims: Array<{ readonly id: OpenRetry["id"]; readonly task_id: string }> = []
  const claimedParents = new Map<string, string>()

  const chainOf = ({ engine, task_id }: Candidate): ReadonlySet<string> => {
    const claimed = claimedParents.get(keyOf(engine, task_id))
    return claimed === undefined
      ? facts.chainOf({ engine, task_id })
      : new Set([task_id, ...facts.chainOf({ engine, task_id: claimed })])
  }

  /** Retries that may have created the task: issued before it appeared, when nothing else says where it is from. */
  const possibleOrigins = (candidate: Candidate): ReadonlyArray<OpenRetry> => {
    const retries = openRetries.get(keyOf(candidate.engine, candidate.task_name)) ?? []
    if (retries.length === 0) return []
    const task = facts.find(candidate)
    if (task === undefined || chainOf(candidate).size > 1) return []
    const latest = Timestamp.addSeconds(task.created_at, maxSkewSeconds)
    return retries.filter((retry) => retry.task_id !== candidate.task_id && retry.issued_at <= latest)
  }

  return {
    find: facts.find,
    /** Whether a retry without a result may have created the task. */
    mustWait: (candidate: Candidate): boolean =>
      possibleOrigins(candidate).some(({ status }) => status === "pending" || status === "dispatched"),
    /** Takes a retry with an unknown outcome as the origin of the task, if there is one. */
    claimOrigin: (candidate: Candidate): void => {
      const origin = possibleOrigins(candidate).find(({ result, status }) =>
        status === "timeout" || (status === "completed" && !namesTask(result))
      )
      if (origin === undefined) return
      const list = openRetries.get(keyOf(candidate.engine, candidate.task_name))!
      list.splice(list.indexOf(origin), 1)
      claims.push({ id: origin.id, task_id: candidate.task_id })
      claimedParents.set(keyOf(candidate.engine, candidate.task_id), origin.task_id)
    },
    countRetries: (candidate: Candidate): number =>
      [...chainOf(candidate)].flatMap((id) => commands.get(keyOf(candidate.engine, id)) ?? [])
        .filter(({ action }) => action === "retry").length,
    /** Whether a rule issued this command for this event of the task, or for a later one. */
    hasCommandSince: ({ engine, task_id }: Candidate, action: string, occurredAt: Timestamp.Timestamp): boolean =>
      (commands.get(keyOf(engine, task_id)) ?? []).some((past) =>
        past.action === action && past.occurred_at >= occurredAt
      ),
    /** Adds a command of this batch. */
    add: ({ engine, task_id }: Candidate, command: PastCommand): void => {
      const known = commands.get(keyOf(engine, task_id))
      if (known === undefined) commands.set(keyOf(engine, task_id), [command])
      else known.push(command)
    },
    claims
  } as const
}

export type LoadedChains = ReturnType<typeof guardChains>
