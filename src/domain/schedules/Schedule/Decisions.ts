/**
 * What a scheduler apart from the brain decided about ticks, and has not sent to the brain yet. The decisions of a
 * schedule form a chain: the first begins at the cursor that the brain has, and each next one at the tick after the one
 * before.
 */
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { Cadence } from "./Cadence.ts"
import type { FirePlan } from "./Plan.ts"
import { endSecond, fromSecond } from "./Seconds.ts"

export interface Decision {
  /** `fire`: one tick. `skip`: ticks in a row that do not fire. */
  readonly kind: "fire" | "skip"
  readonly first_tick: Timestamp
  /** Of a fire: the same tick. */
  readonly last_tick: Timestamp
}

const fireOf = (tick: Timestamp): Decision => ({ kind: "fire", first_tick: tick, last_tick: tick })

/** The plan of a schedule with this cursor as a chain: its fires, and before them what it skips. */
export const decisionsOf = (cursorTick: Timestamp, cadence: Cadence, plan: FirePlan): ReadonlyArray<Decision> => {
  const ticks = [...plan.missedFires, ...plan.fires]
  const resumesAt = ticks[0] ?? plan.cursor.next_run_at
  if (resumesAt === cursorTick) return ticks.map(fireOf)
  const before = cadence.prev(resumesAt ?? fromSecond(endSecond))
  const skip: Decision = {
    kind: "skip",
    first_tick: cursorTick,
    // the cursor is no tick where this machine has other rules of the time zone than the brain
    last_tick: before === null || before < cursorTick ? cursorTick : before
  }
  return [skip, ...ticks.map(fireOf)]
}

/**
 * A chain with at most `maxFires` fires: the oldest ones become skipped ticks. All skipped ticks are before the first
 * fire, unless a skip follows one.
 */
export const limitFires = (chain: ReadonlyArray<Decision>, maxFires: number): ReadonlyArray<Decision> => {
  const excess = chain.filter(({ kind }) => kind === "fire").length - maxFires
  const [first] = chain
  if (excess <= 0 || first === undefined) return chain
  let dropped = 0
  let index = 0
  while (index < chain.length && (dropped < excess || chain[index]?.kind === "skip")) {
    if (chain[index]?.kind === "fire") dropped++
    index++
  }
  const lastDropped = chain[index - 1] ?? first
  return [{ kind: "skip", first_tick: first.first_tick, last_tick: lastDropped.last_tick }, ...chain.slice(index)]
}

/**
 * The rest of a chain once the brain's cursor is at `nextTick`: what is before it is resolved. Null: the chain does not
 * begin there, so the ticks from the brain's cursor on are planned again. That doubles no fire, since the id of a fire
 * follows from its tick.
 */
export const restOfChain = (
  chain: ReadonlyArray<Decision>,
  nextTick: Timestamp | null
): ReadonlyArray<Decision> | null => {
  if (nextTick === null) return null
  const rest = chain.filter(({ last_tick }) => last_tick >= nextTick)
  const [first, ...others] = rest
  if (first === undefined || first.first_tick > nextTick) return null
  return first.first_tick === nextTick ? rest : [{ ...first, first_tick: nextTick }, ...others]
}
