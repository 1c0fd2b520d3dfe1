/** Computes previews. Apart from their schemas, which a browser imports: jitter needs a hash of Node. */
import * as Either from "effect/Either"
import { ValidationFailed } from "../../kernel/Errors.ts"
import { ScheduleId } from "../../kernel/Id.ts"
import type { Language } from "../../kernel/Language.ts"
import { addSeconds, secondsPerDay, type Timestamp, toEpochSeconds } from "../../kernel/Timestamp.ts"
import type { CatchUp } from "../Schedule.ts"
import { type Cadence, compile } from "./Cadence.ts"
import { planFires } from "./Plan.ts"
import type { Outage, Preview, PreviewRequest, Tick } from "./Preview.ts"
import { summarize } from "./Summary.ts"

interface PreviewOptions {
  readonly now: Timestamp
  readonly catchUpMax: number
  readonly graceSeconds: number
  /** Of the words. */
  readonly language: Language
}

/** A year and the weeks by which a change of clocks may come later than in the year before. */
const dstSeconds = 400 * secondsPerDay

/** What follows from the cadence alone. Intervals count from the earliest moment of the request. */
export const makePreview = (
  { count, from, jitter_seconds, outage, ...definition }: PreviewRequest,
  options: PreviewOptions
): Either.Either<Omit<Preview, "unserved">, ValidationFailed> => {
  if (outage !== null && outage.until <= outage.from) {
    return Either.left(ValidationFailed.at("outage.until", "must be later than outage.from"))
  }
  const begin = from ?? options.now
  const anchor = outage !== null && outage.from < begin ? outage.from : begin
  return Either.map(compile({ ...definition, anchor }), (cadence) => {
    const describe = makeDescribe(cadence, jitter_seconds)
    const firesAfter = (catch_up: CatchUp, during: typeof Outage.Type) =>
      listFires(cadence, catch_up, during, options).map(describe)
    const dst = cadence.nextDst(begin, addSeconds(begin, dstSeconds))
    return {
      ticks: takeTicks(cadence, begin, count).map(describe),
      next_dst: dst === null ? null : describe(dst),
      summary: summarize(definition, options.language) ?? definition.expression,
      catch_up: outage === null ? null : {
        skip: firesAfter("skip", outage),
        fire_one_missed: firesAfter("fire_one_missed", outage),
        fire_all_missed: firesAfter("fire_all_missed", outage)
      }
    }
  })
}

const takeTicks = (cadence: Cadence, from: Timestamp, count: number): ReadonlyArray<Timestamp> => {
  const ticks: Array<Timestamp> = []
  for (let tick = cadence.next(from); tick !== null && ticks.length < count; tick = cadence.next(tick)) ticks.push(tick)
  return ticks
}

/** No schedule has it: without jitter, a plan does not depend on the id. */
const noId = ScheduleId.make("00000000-0000-0000-0000-000000000000")

/** What the fire loop does at the end of the outage, by its own plan. */
const listFires = (
  cadence: Cadence,
  catch_up: CatchUp,
  { from, until }: typeof Outage.Type,
  options: PreviewOptions
): ReadonlyArray<Timestamp> => {
  const next_run_at = cadence.next(from)
  if (next_run_at === null || next_run_at > until) return []
  const plan = planFires({ id: noId, jitter_seconds: 0, next_run_at, catch_up }, cadence, until, options)
  return [...plan.missedFires, ...plan.fires]
}

/** A tick with its local time; its jitter ends before the next tick (`Jitter.ts`). */
const makeDescribe = (cadence: Cadence, jitterSeconds: number) => (at: Timestamp): Tick => {
  const next = jitterSeconds === 0 ? null : cadence.next(at)
  const seconds = next === null ? jitterSeconds : Math.min(jitterSeconds, toEpochSeconds(next) - toEpochSeconds(at))
  return { at, ...cadence.describeTick(at), fires_before: addSeconds(at, seconds) }
}
