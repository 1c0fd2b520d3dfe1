import { Effect } from "effect"
import type { Gate } from "./Protocol.ts"
import type { Proxy } from "./Proxy.ts"
import type { Actor, AgentProcess, sceneAt } from "./Scene.ts"

/** How far a command has come when something happens (docs/commands.md). */
export const arrows = ["issued", "claimed", "sent", "acknowledged", "executed", "answered"] as const
export type Arrow = (typeof arrows)[number]

export type Scene = Effect.Effect.Success<ReturnType<typeof sceneAt>>

/** A command on its way, and the process that it was given to. */
export interface Underway {
  readonly actor: Actor
  readonly process: AgentProcess
  readonly id: string
}

const bring = (scene: Scene, gate: Gate) =>
  Effect.gen(function*() {
    const actor = yield* scene.actor
    const process = yield* actor.start(gate)
    yield* process.told("connected")
    const id = yield* actor.issue
    yield* process.told(gate)
    return { actor, process, id } satisfies Underway
  })

/** A command that waits for its agent. */
export const issued = (scene: Scene) =>
  Effect.gen(function*() {
    const actor = yield* scene.actor
    return { actor, id: yield* actor.issue }
  })

/** A command that is not claimed, and a process that is not let in until its proxy is told so. */
export const unclaimed = (scene: Scene) =>
  Effect.gen(function*() {
    const { actor, id } = yield* issued(scene)
    actor.proxy.refuse(true)
    return { actor, process: yield* actor.start(null), id } satisfies Underway
  })

/** A command that is claimed for a process, while the brain does not know it yet: the database's answer is held. */
export const claimed = (scene: Scene, database: Proxy) =>
  Effect.gen(function*() {
    const actor = yield* scene.actor
    const process = yield* actor.start(null)
    yield* process.told("connected")
    const caught = database.catch(/SET status = 'dispatched'/)
    const id = yield* actor.issue
    yield* Effect.promise(() => caught)
    yield* scene.reaches(id, "dispatched")
    return { actor, process, id } satisfies Underway
  })

/**
 * Commands at the later arrows: the agent has it and is silent (`sent`), has confirmed it (`acknowledged`), has executed
 * it (`executed`), and about to write its result (`answered`, once its gate is opened).
 */
export const later = (scene: Scene) =>
  Effect.all({
    sent: bring(scene, "ack"),
    acknowledged: bring(scene, "execute"),
    executed: bring(scene, "result"),
    answered: bring(scene, "result")
  }, { concurrency: "unbounded" })

/** Writes the result. */
export const answer = ({ process }: Underway) => Effect.zipRight(process.open, process.told("answered"))

/** The endings of these commands. */
export const endings = (scene: Scene, commands: Partial<Record<Arrow, { readonly id: string }>>) =>
  Effect.map(
    Effect.forEach(
      Object.entries(commands),
      ([arrow, { id }]) => Effect.map(scene.endingOf(id), (ending) => [arrow, ending] as const),
      { concurrency: "unbounded" }
    ),
    (pairs) => new Map(pairs)
  )
