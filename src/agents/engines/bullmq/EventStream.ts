/** Follows a queue's event stream from where the last agent left off. */
import { type Queue, QueueEvents } from "bullmq"
import { Effect, Schedule } from "effect"
import type { Redis } from "ioredis"
import { close } from "./Broker.ts"
import type { Roots } from "./Roots.ts"
import type { Site } from "./Site.ts"
import { type Missed, missedOf, missedSince } from "./Missed.ts"
import { entriesOf, momentOf, type RawEntries } from "./StreamEntry.ts"
import { StreamTeller } from "./StreamTeller.ts"

export interface Reader {
  readonly redis: Redis
  readonly prefix: string
  /** Under which the place in the stream is kept, so that two readers do not share one. */
  readonly name: string
}

const blockMillis = 5000
/** After so many entries at once the reader is slow enough for the stream's end to have caught up with it. */
const suspicious = 5000
/** Before the first entry there ever was. */
const START = "0-0"

/** Never ends and never fails: what goes wrong is tried again. */
export const follow = Effect.fnUntraced(function*(queue: Queue, reader: Reader, site: Site, roots: Roots) {
  const { prefix, redis } = reader
  const place = `${prefix}:svc-agent:cursor:${reader.name}:${queue.name}`
  const stream = queue.keys.events ?? queue.toKey("events")
  const teller = new StreamTeller(queue, site, roots)
  const events = yield* Effect.acquireRelease(
    Effect.sync(() => new QueueEvents(queue.name, { connection: redis, prefix, autorun: false })),
    close
  )
  events.on("error", () => undefined) // told by what fails next

  let reached: string | undefined
  yield* Effect.forkScoped(keeping(() => reached, (cursor) => redis.set(place, cursor)))

  /**
   * Tells what the jobs say, as far as the stream after `upTo` will not tell it. A page of jobs is read before the
   * stream is: what they say that happened is in the stream by then, or is before it.
   */
  const tellMissed = async (since: number, upTo: string) => {
    const toCome = new Set<string>()
    const [met, passing] = [new Set<string>(), new Set<string>()]
    let seen = upTo
    const tell = async (pages: AsyncGenerator<ReadonlyArray<Missed>>) => {
      for await (const missed of pages) {
        const raw = await redis.xrange(stream, `(${seen}`, "+")
        seen = raw.at(-1)?.[0] ?? seen
        for (const { event, jobId } of entriesOf(raw)) {
          toCome.add(`${event} ${jobId}`)
          if (jobId !== "") passing.add(jobId)
        }
        for (const { jobId } of missed) met.add(jobId)
        teller.tellMissed(missed.filter(({ entry, jobId }) => !toCome.has(`${entry} ${jobId}`)))
      }
    }
    await tell(missedSince(queue, roots, since))
    const between = [...passing].filter((id) => !met.has(id) && !toCome.has(`added ${id}`))
    await tell(missedOf(queue, roots, new Set(between), since))
  }

  /** Where to go on. What the stream has dropped meanwhile is made up from the jobs themselves. */
  const resume = Effect.gen(function*() {
    const cursor = reached ?? (yield* Effect.tryPromise(() => redis.get(place)))
    if (cursor !== null && cursor !== START) {
      const last = yield* Effect.tryPromise(() => redis.xrange(stream, cursor, cursor))
      if (last.length > 0) return (reached = cursor)
      yield* Effect.logWarning(dropped(queue.name))
    }
    const [newest] = yield* Effect.tryPromise(() => redis.xrevrange(stream, "+", "-", "COUNT", 1))
    const upTo = newest?.[0] ?? START
    yield* Effect.tryPromise(() => tellMissed(cursor === null ? 0 : momentOf(cursor), upTo))
    return (reached = upTo)
  })

  const goOn = Effect.fnUntraced(function*(from: string) {
    let cursor = from
    while (true) {
      const answer = yield* Effect.tryPromise<unknown>(() => events.getBackend().readEvents(cursor, blockMillis))
      const raw = rawEntries(answer)
      const last = raw.at(-1)
      if (last === undefined) continue
      yield* Effect.tryPromise(() => teller.tell(entriesOf(raw)))
      reached = cursor = last[0]
      if (raw.length >= suspicious) return
    }
  })

  yield* Effect.flatMap(resume, goOn).pipe(
    Effect.catchAll((error) => Effect.logDebug(`BullMQ's events of ${queue.name} cannot be read now`, error)),
    Effect.repeat(Schedule.spaced("1 second"))
  )
})

const keepEvery = "250 millis"

/**
 * Keeps the place as it was a moment ago: what was told just now may not be on the disk yet, and is told again after a
 * crash, with the same moments, which the brain takes for the same.
 */
const keeping = (reached: () => string | undefined, keep: (cursor: string) => Promise<unknown>) => {
  let earlier: string | undefined
  let kept: string | undefined
  const tick = Effect.suspend(() => {
    const due = earlier
    earlier = reached()
    return due === undefined || due === kept
      ? Effect.void
      // Redis away: the next tick keeps a later place
      : Effect.tryPromise(() => keep(due)).pipe(Effect.andThen(Effect.sync(() => (kept = due))), Effect.ignore)
  })
  return Effect.repeat(tick, Schedule.spaced(keepEvery))
}

const dropped = (queue: string): string =>
  `BullMQ's event stream of ${queue} has dropped entries that were not read; it keeps about 10000 unless the queue's ` +
  "streams.events.maxLen says otherwise. What became of jobs meanwhile is read from the jobs; those removed are lost."

/** `XREAD` answers null when nothing came, else each stream's name and entries. */
const rawEntries = (answer: unknown): RawEntries => {
  const [stream] = Array.isArray(answer) ? answer : []
  return Array.isArray(stream) && Array.isArray(stream[1]) ? stream[1] : []
}
