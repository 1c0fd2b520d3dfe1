/** Follows a queue's event stream from where the last agent left off. */
import { type Queue, QueueEvents } from "bullmq"
import { Effect, Schedule } from "effect"
import type { Redis } from "ioredis"
import { readEvents } from "./Backend.ts"
import { close } from "./Broker.ts"
import type { EngineContext } from "./EngineContext.ts"
import type { FlowRoots } from "./FlowRoots.ts"
import { type MissedEvent, readMissedOf, readMissedSince } from "./MissedEvents.ts"
import { entriesOf, epochMillisOf, type RawEntries } from "./StreamEntry.ts"
import { StreamReporter } from "./StreamReporter.ts"

export interface StreamReader {
  readonly redis: Redis
  readonly prefix: string
  /** Name under which the place in the stream is stored: two readers do not share one. */
  readonly name: string
}

const blockMillis = 5000
/** After so many entries in one read, unread entries may have been trimmed. */
const resumeThreshold = 5000
/** Running jobs whose lines an agent that begins goes on reading. */
const maxJoinedJobs = 1000
/** The place before the first entry. */
const START = "0-0"

/** Never ends and never fails: failures are retried. */
export const followEvents = Effect.fnUntraced(
  function*(queue: Queue, reader: StreamReader, context: EngineContext, roots: FlowRoots) {
    const { prefix, redis } = reader
    const cursorKey = `${prefix}:svc-agent:cursor:${reader.name}:${queue.name}`
    const stream = queue.keys.events ?? queue.toKey("events")
    const reporter = new StreamReporter(queue, context, roots)
    const events = yield* Effect.acquireRelease(
      Effect.sync(() => new QueueEvents(queue.name, { connection: redis, prefix, autorun: false })),
      close
    )
    events.on("error", () => undefined) // the next read fails and is logged

    yield* Effect.forkScoped(
      // Redis is away, or the job is gone: the next read tries again
      Effect.repeat(Effect.ignore(Effect.tryPromise(() => reporter.readLogs())), Schedule.spaced(logInterval))
    )

    let position: string | undefined
    yield* Effect.forkScoped(saveCursor(() => position, (cursor) => redis.set(cursorKey, cursor)))

    /**
     * Reports transitions read from the jobs, unless the stream after `upTo` has them. A page of jobs is read before the
     * stream, so a transition in a job is in the stream by then, or before `upTo`.
     */
    const reportMissed = async (since: number, upTo: string) => {
      const inStream = new Set<string>()
      const [metIds, streamIds] = [new Set<string>(), new Set<string>()]
      let readUpTo = upTo
      const reportPages = async (pages: AsyncGenerator<ReadonlyArray<MissedEvent>>) => {
        for await (const missed of pages) {
          const raw = await redis.xrange(stream, `(${readUpTo}`, "+")
          readUpTo = raw.at(-1)?.[0] ?? readUpTo
          for (const { event, jobId } of entriesOf(raw)) {
            inStream.add(`${event} ${jobId}`)
            if (jobId !== "") streamIds.add(jobId)
          }
          for (const { jobId } of missed) metIds.add(jobId)
          await reporter.reportMissed(missed.filter(({ entry, jobId }) => !inStream.has(`${entry} ${jobId}`)))
        }
      }
      await reportPages(readMissedSince(queue, roots, since))
      const movedIds = [...streamIds].filter((id) => !metIds.has(id) && !inStream.has(`added ${id}`))
      await reportPages(readMissedOf(queue, roots, new Set(movedIds), since))
    }

    /** Jobs that run since before that place: no later entry says that they began. */
    const joinRunning = async (from: string) => {
      if (!context.sendsLogs) return
      const ids = await queue.getRanges(["active"], 0, maxJoinedJobs - 1)
      const later = entriesOf(await redis.xrange(stream, `(${from}`, "+"))
      const begunLater = new Set(later.filter(({ event }) => event === "active").map(({ jobId }) => jobId))
      await reporter.join(ids.filter((id) => !begunLater.has(id)))
    }

    /** The position to continue from. Transitions that the stream has trimmed are read from the jobs. */
    const resume = Effect.gen(function*() {
      const cursor = position ?? (yield* Effect.tryPromise(() => redis.get(cursorKey)))
      if (cursor !== null && cursor !== START) {
        const last = yield* Effect.tryPromise(() => redis.xrange(stream, cursor, cursor))
        if (last.length > 0) {
          yield* Effect.tryPromise(() => joinRunning(cursor))
          return (position = cursor)
        }
        yield* Effect.logWarning(droppedWarning(queue.name))
      }
      const [newest] = yield* Effect.tryPromise(() => redis.xrevrange(stream, "+", "-", "COUNT", 1))
      const upTo = newest?.[0] ?? START
      yield* Effect.tryPromise(() => joinRunning(upTo)) // first, so that the lines of jobs that end during the scan are read
      yield* Effect.tryPromise(() => reportMissed(cursor === null ? 0 : epochMillisOf(cursor), upTo))
      return (position = upTo)
    })

    const follow = Effect.fnUntraced(function*(from: string) {
      let cursor = from
      while (true) {
        const reply = yield* Effect.tryPromise<unknown>(() => readEvents(events, cursor, blockMillis))
        const raw = rawEntries(reply)
        const last = raw.at(-1)
        if (last === undefined) continue
        yield* Effect.tryPromise(() => reporter.report(entriesOf(raw)))
        position = cursor = last[0]
        if (raw.length >= resumeThreshold) return
      }
    })

    yield* Effect.flatMap(resume, follow).pipe(
      Effect.catchAll((error) => Effect.logDebug(`BullMQ's events of ${queue.name} cannot be read now`, error)),
      Effect.repeat(Schedule.spaced("1 second"))
    )
  }
)

const logInterval = "2 seconds"

const saveInterval = "250 millis"

/**
 * Stores the place of a moment ago: events reported since then may not be on disk yet. After a crash they are reported
 * again with the same times, and the brain counts them once.
 */
const saveCursor = (position: () => string | undefined, save: (cursor: string) => Promise<unknown>) => {
  let previous: string | undefined
  let saved: string | undefined
  const tick = Effect.suspend(() => {
    const due = previous
    previous = position()
    return due === undefined || due === saved
      ? Effect.void
      // Redis is away: the next tick stores a later place
      : Effect.tryPromise(() => save(due)).pipe(Effect.andThen(Effect.sync(() => (saved = due))), Effect.ignore)
  })
  return Effect.repeat(tick, Schedule.spaced(saveInterval))
}

const droppedWarning = (queue: string): string =>
  `BullMQ's event stream of ${queue} has dropped entries that were not read; it keeps about 10000 unless the queue's ` +
  "streams.events.maxLen says otherwise. Their transitions are read from the jobs; those of removed jobs are lost."

/** `XREAD` returns null when nothing came, else each stream's name and entries. */
const rawEntries = (reply: unknown): RawEntries => {
  const [stream] = Array.isArray(reply) ? reply : []
  return Array.isArray(stream) && Array.isArray(stream[1]) ? stream[1] : []
}
