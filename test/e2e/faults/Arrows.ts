import { Effect } from "effect"
import type { Actor, AgentProcess, makeFixture } from "./Fixture.ts"
import type { Gate } from "./Protocol.ts"
import type { Proxy } from "./Proxy.ts"

/** How far a command has come when something happens (docs/commands.md). */
export const arrows = ["issued", "claimed", "sent", "acknowledged", "executed", "reported"] as const
export type Arrow = (typeof arrows)[number]

export type Fixture = Effect.Effect.Success<ReturnType<typeof makeFixture>>

/** A command on its way, and the process that it was given to. */
export interface Underway {
  readonly actor: Actor
  readonly process: AgentProcess
  readonly id: string
}

const issueUntil = (fixture: Fixture, gate: Gate) =>
  Effect.gen(function*() {
    const actor = yield* fixture.actor
    const process = yield* actor.start(gate)
    yield* process.waitForReport("connected")
    const id = yield* actor.issue
    yield* process.waitForReport(gate)
    return { actor, process, id } satisfies Underway
  })

/** A command that waits for its agent. */
export const issueWaiting = (fixture: Fixture) =>
  Effect.gen(function*() {
    const actor = yield* fixture.actor
    return { actor, id: yield* actor.issue }
  })

/** A command that is not claimed, and a process that its proxy refuses until the test changes that. */
export const issueUnclaimed = (fixture: Fixture) =>
  Effect.gen(function*() {
    const { actor, id } = yield* issueWaiting(fixture)
    actor.proxy.refuse(true)
    return { actor, process: yield* actor.start(null), id } satisfies Underway
  })

/** A command that is claimed for a process, while the brain does not know it yet: the database's response is delayed. */
export const issueClaimed = (fixture: Fixture, database: Proxy) =>
  Effect.gen(function*() {
    const actor = yield* fixture.actor
    const process = yield* actor.start(null)
    yield* process.waitForReport("connected")
    const caught = database.catch(/SET status = 'dispatched'/)
    const id = yield* actor.issue
    yield* Effect.promise(() => caught)
    yield* fixture.waitForStatus(id, "dispatched")
    return { actor, process, id } satisfies Underway
  })

/**
 * Commands at the later arrows: the agent has it and is silent (`sent`), has confirmed it (`acknowledged`), has executed
 * it (`executed`), and about to write its result (`reported`, once its gate is opened).
 */
export const issueDelivered = (fixture: Fixture) =>
  Effect.all({
    sent: issueUntil(fixture, "ack"),
    acknowledged: issueUntil(fixture, "execute"),
    executed: issueUntil(fixture, "result"),
    reported: issueUntil(fixture, "result")
  }, { concurrency: "unbounded" })

/** Writes the result. */
export const sendResult = ({ process }: Underway) =>
  Effect.zipRight(process.openGate, process.waitForReport("reported"))

/** The endings of these commands. */
export const readEndings = (fixture: Fixture, commands: Partial<Record<Arrow, { readonly id: string }>>) =>
  Effect.map(
    Effect.forEach(
      Object.entries(commands),
      ([arrow, { id }]) => Effect.map(fixture.endingOf(id), (ending) => [arrow, ending] as const),
      { concurrency: "unbounded" }
    ),
    (pairs) => new Map(pairs)
  )
