import { Effect, Layer, Option, Schema } from "effect"
import { canonicalize } from "../../domain/CanonicalJson.ts"
import { isListed, type Outcome, outcomeOf, Reconciled, type Worker } from "../../domain/Task/Outcome.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Ids from "../Ids.ts"
import { Ingest } from "../Ingest.ts"
import { Loops } from "../Loops.ts"
import { Settings } from "../Settings.ts"
import { CommandDispatch } from "./Dispatch.ts"
import { CommandsRepo, type NewCommand } from "./Repo.ts"
import { ReconcileRepo, type StartedTask } from "./ReconcileRepo.ts"

/** Started tasks looked at in one tick, and questions asked: an agent answers them one after the other. */
const lookedAt = 200
const mostAsked = 20
/** Projects looked at in one tick. */
const mostProjects = 50
/** Questions without an answer yet. */
const mostOpen = 200

interface Asked extends StartedTask {
  readonly agent_id: string
  readonly at: Timestamp.Timestamp
}

const decodeAnswer = Schema.decodeUnknownOption(Schema.parseJson(Reconciled))

/**
 * Asks what became of tasks that started long ago and never ended, by `reconcile_task`, and reports the answers as
 * `task.reconciled` events. An answer that is lost is asked for again.
 */
export class TaskReconciliation extends Effect.Service<TaskReconciliation>()("svc/TaskReconciliation", {
  effect: Effect.gen(function*() {
    const repo = yield* ReconcileRepo
    const commands = yield* CommandsRepo
    const dispatch = yield* CommandDispatch
    const ingest = yield* Ingest
    const { agentOfflineAfter, commandTimeout, reconcileAfter } = yield* Settings

    const open = new Map<string, Asked>()
    let place: { readonly project: string; readonly after: string | null } = { project: "", after: null }

    /** The workers of these tasks. A task without a worker's name hangs on the processes of its engine. */
    const workersOf = Effect.fnUntraced(function*(project: string, tasks: ReadonlyArray<StartedTask>, now: Timestamp.Timestamp) {
      const known = yield* repo.workers(project, [...new Set(tasks.flatMap(({ worker_name }) => worker_name ?? []))])
      const nameless = tasks.filter(({ worker_name }) => worker_name === null)
      const processes = nameless.length === 0 ? [] : yield* repo.processes(project)
      const fresh = Timestamp.addSeconds(now, -2 * agentOfflineAfter)
      const silent = Timestamp.addSeconds(now, -reconcileAfter)
      return (task: StartedTask): Worker => {
        if (task.worker_name === null) {
          const mayRun = processes.some(({ engines, since }) => engines.includes(task.engine) && since <= task.started_at)
          return { name: null, active: null, silentSince: mayRun ? null : task.started_at }
        }
        const found = known.find(({ engine, name }) => engine === task.engine && name === task.worker_name)
        if (found === undefined) return { name: task.worker_name, active: null, silentSince: task.started_at }
        const { active, described_at, last_heartbeat, state } = found
        const lists = described_at !== null && described_at >= fresh && described_at > task.started_at
        const isGone = state === "offline" && (last_heartbeat ?? task.started_at) < silent
        return {
          name: task.worker_name,
          active: lists ? active : null,
          silentSince: isGone ? last_heartbeat ?? task.started_at : null
        }
      }
    })

    const report = (commandId: string, asked: Asked, outcome: Outcome): boolean =>
      ingest.offer({
        projectId: asked.project_id,
        agentId: asked.agent_id,
        reporter: "",
        size: 500,
        settle: () => {},
        events: [{
          id: commandId,
          kind: "task.reconciled",
          engine: asked.engine,
          taskId: asked.task_id,
          // of the moment of the question: what started after it is another attempt
          occurredAt: asked.at,
          data: new Map(Object.entries(outcome).map(([field, value]) => [field, canonicalize(value)]))
        }]
      })

    /** Takes the answers that came. One that the ingest has no room for waits. */
    const settle = Effect.fn("TaskReconciliation.settle")(function*() {
      const now = yield* Timestamp.now
      const overdue = Timestamp.addSeconds(now, -2 * commandTimeout)
      for (const answer of yield* repo.answers([...open.keys()])) {
        const asked = open.get(answer.id)
        if (asked === undefined) continue
        const reconciled = answer.status === "completed" ? decodeAnswer(answer.result) : Option.none()
        if (Option.isSome(reconciled)) {
          const finished_at = Timestamp.parse(reconciled.value.finished_at ?? "") ?? null
          const worker = (yield* workersOf(asked.project_id, [asked], now))(asked)
          // an end before the start is that of an earlier attempt
          const isOld = finished_at !== null && finished_at < asked.started_at
          const outcome = isOld ? null : outcomeOf({ ...reconciled.value, finished_at }, asked.task_id, worker)
          if (outcome !== null && !report(answer.id, asked, outcome)) continue
        }
        open.delete(answer.id)
      }
      for (const [id, { at }] of open) if (at < overdue) open.delete(id)
    })

    const ask = Effect.fnUntraced(function*(project: string, tasks: ReadonlyArray<StartedTask>, now: Timestamp.Timestamp) {
      const agents = yield* repo.agents(project)
      const round = Math.floor(Timestamp.toEpochMillis(now) / (reconcileAfter * 1000))
      const questions = new Map<string, Asked>()
      for (const task of tasks) {
        const agent = agents.find(({ engines }) => engines.includes(task.engine))
        if (agent !== undefined) questions.set(yield* Ids.next, { ...task, agent_id: agent.id, at: now })
      }
      if (questions.size === 0) return
      const inserted = yield* commands.insert([...questions].map(([id, { agent_id, engine, task_id }]): NewCommand => ({
        id,
        project_id: project,
        agent_id,
        issued_by: null,
        action: "reconcile_task",
        engine,
        target_type: "task",
        target_id: task_id,
        payload: canonicalize({ task_id }),
        sealed_payload: null,
        // asked once in a round, whichever replica comes first
        idempotency_key: `reconcile:${round}:${engine}:${task_id}`,
        request_hash: null,
        issued_at: now,
        timeout_at: Timestamp.addSeconds(now, commandTimeout),
        status: "pending",
        result: null,
        error: null,
        completed_at: null
      })))
      for (const { agent_id, id } of inserted) {
        open.set(id, questions.get(id)!)
        if (agent_id !== null) yield* dispatch.issued(agent_id)
      }
    })

    /** Looks at the next started tasks, project after project, and asks about those that no worker lists. */
    const look = Effect.fn("TaskReconciliation.look")(function*() {
      const now = yield* Timestamp.now
      const before = Timestamp.addSeconds(now, -reconcileAfter)
      const projects = yield* repo.projects
      const first = Math.max(0, projects.findIndex((id) => id >= place.project))
      let left = lookedAt
      let room = mostAsked
      for (const project of [...projects.slice(first), ...projects.slice(0, first)].slice(0, mostProjects)) {
        const tasks = yield* repo.started(project, project === place.project ? place.after : null, before, left)
        const worker = yield* workersOf(project, tasks, now)
        const lost = tasks.filter((task) => !isListed(task.task_id, worker(task)))
        const questions = lost.slice(0, room)
        yield* ask(project, questions, now)
        left -= tasks.length
        room -= questions.length
        if (left > 0 && room > 0) continue
        place = { project, after: (questions.length < lost.length ? questions : tasks).at(-1)?.id ?? null }
        return
      }
      const next = projects.length <= mostProjects ? undefined : projects[(first + mostProjects) % projects.length]
      place = { project: next ?? "", after: null }
    })

    const tick = Effect.gen(function*() {
      yield* settle()
      if (open.size < mostOpen) yield* look()
    })

    return { tick } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(ReconcileRepo.layer))

  static readonly loop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const { reconcileAfter } = yield* Settings
    if (reconcileAfter === 0) return
    const { tick } = yield* TaskReconciliation
    yield* loops.every("tasks reconcile", `${Math.min(10, Math.max(1, reconcileAfter / 10))} seconds`, tick)
  }))
}
