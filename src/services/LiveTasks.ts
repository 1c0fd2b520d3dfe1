import { Chunk, Clock, Effect, Option, PubSub, Queue, Stream } from "effect"
import type { LiveTask, Position } from "../domain/LiveTask.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { Hints } from "./Database.ts"
import { turn } from "./EventLoop.ts"
import { type LiveMessage, Look } from "./LiveTasks/Look.ts"
import { millisAfterReset, millisBetweenLooks, millisBetweenPolls, mostTasksAfter } from "./LiveTasks/Pace.ts"
import { firstId, LiveTasksRepo, pageSize } from "./LiveTasks/Repo.ts"
import { Loops } from "./Loops.ts"
import { Metrics } from "./Metrics.ts"

export type { LiveMessage } from "./LiveTasks/Look.ts"

/** A client that stopped longer ago, or more tasks ago, loads the list again. */
const longestGapSeconds = 300
const mostBehind = 2000

/** Looks that wait for a slow subscriber; older ones are lost to it, and it gets a `reset`. */
const capacity = 32

/** A project without changes has an empty look this often, which shows that the stream is alive. */
const silenceMillis = 15_000

/** Clients that catch up at one time. */
const catchingUp = 2

/** How far behind the clock a follower starts: a transaction is stamped before it is committed. */
const commitSeconds = 1

/** A project that has subscribers, and how far it was looked at. */
interface Followed {
  readonly projectId: string
  readonly hub: PubSub.PubSub<Look>
  subscribers: number
  position: Position
  /** Times of the tasks that were sent and may be read again, by id. */
  sent: Map<string, string>
  /** The number of the last look that was published. */
  number: number
  isHinted: boolean
  /** Milliseconds since 1970. */
  lookedAt: number
  publishedAt: number
  restsUntil: number
}

/**
 * What changed in a project, in the order of (updated_at, id), read from the tasks themselves: any replica can go on
 * where another stopped. A replica looks once for all subscribers of a project, while there are any. Several changes
 * of one task between two looks are one message with the newest state.
 */
export class LiveTasks extends Effect.Service<LiveTasks>()("svc/LiveTasks", {
  scoped: Effect.gen(function*() {
    const repo = yield* LiveTasksRepo
    const hints = yield* Hints
    const loops = yield* Loops
    const metrics = yield* Metrics
    const few = yield* Effect.makeSemaphore(catchingUp)
    const followed = new Map<string, Followed>()
    const anyFollowed = yield* Effect.makeLatch(false)

    const pace = () => {
      let streams = 0
      for (const { subscribers } of followed.values()) streams += subscribers
      return { streams, projects: followed.size }
    }

    /** The number first: who subscribes in between knows the look as one that it has. `unsafeOffer` would not slide. */
    const publish = (project: Followed, look: Look, position: Position, at: number) =>
      Effect.suspend(() => {
        project.number = look.number
        project.position = position
        project.publishedAt = at
        return PubSub.publish(project.hub, look)
      })

    const publishTasks = Effect.fnUntraced(function*(project: Followed, tasks: ReadonlyArray<LiveTask>, at: number) {
      const last = tasks[tasks.length - 1]
      const isLater = last !== undefined && last.updated_at >= project.position.updated_at
      const look = Look.tasks(tasks, project.number + 1, project.position)
      for (const task of tasks) project.sent.set(task.id, task.updated_at)
      yield* publish(project, look, isLater ? { updated_at: last.updated_at, id: last.id } : project.position, at)
    })

    const publishReset = Effect.fnUntraced(function*(project: Followed, at: number) {
      const updated_at = Timestamp.addSeconds(yield* Timestamp.now, -commitSeconds)
      const position = updated_at > project.position.updated_at ? { updated_at, id: firstId } : project.position
      yield* publish(project, Look.reset(position, project.number + 1), position, at)
      project.restsUntil = at + millisAfterReset
      metrics.liveResets.inc({ reason: "many_changes" })
    })

    /** Publishes what changed since the last look, page by page; a `reset` when that is more than the streams may be sent. */
    const look = Effect.fnUntraced(function*(project: Followed) {
      const now = yield* Clock.currentTimeMillis
      const most = mostTasksAfter(now - project.lookedAt, pace())
      project.isHinted = false
      metrics.liveLooks.inc()
      let from = repo.before(project.position)
      for (let count = 0;;) {
        const rows = yield* repo.page(project.projectId, from, null)
        const fresh = rows.filter((row) => project.sent.get(row.id) !== row.updated_at)
        count += fresh.length
        if (count > most) {
          yield* publishReset(project, now)
          break
        }
        if (fresh.length > 0) yield* publishTasks(project, fresh, now)
        const last = rows[rows.length - 1]
        if (last === undefined || rows.length < pageSize) break
        from = last
        yield* turn
      }
      const horizon = repo.before(project.position).updated_at
      for (const [id, at] of project.sent) if (at < horizon || horizon === project.position.updated_at) project.sent.delete(id)
      if (now - project.publishedAt >= silenceMillis) {
        yield* publish(project, Look.tasks([], project.number + 1, project.position), project.position, now)
      }
      project.lookedAt = now
    })

    const lookAtDue = Effect.gen(function*() {
      yield* anyFollowed.await
      yield* Effect.sleep(millisBetweenLooks(pace()))
      const now = yield* Clock.currentTimeMillis
      const pollMillis = millisBetweenPolls(pace())
      const due = [...followed.values()].filter(({ isHinted, lookedAt, restsUntil }) =>
        restsUntil <= now && (isHinted || now - lookedAt >= pollMillis))
      yield* Effect.forEach(due, look, { discard: true })
    })
    yield* loops.forever("live tasks", lookAtDue, { longestPause: "5 seconds" })
    yield* loops.forever("live hints", Stream.runForEach(hints.subscribe("tasks"), (projectId) =>
      Effect.sync(() => {
        const project = followed.get(projectId)
        if (project !== undefined) project.isHinted = true
      })))

    const begin = Effect.fnUntraced(function*(projectId: string) {
      const now = yield* Clock.currentTimeMillis
      const updated_at = Timestamp.addSeconds(yield* Timestamp.now, -commitSeconds)
      const hub = yield* PubSub.sliding<Look>(capacity)
      const known = followed.get(projectId)
      if (known !== undefined) {
        known.subscribers++
        return known
      }
      const project: Followed = {
        projectId,
        hub,
        subscribers: 1,
        position: { updated_at, id: firstId },
        sent: new Map(),
        number: 0,
        isHinted: false,
        lookedAt: now,
        publishedAt: now,
        restsUntil: 0
      }
      followed.set(projectId, project)
      anyFollowed.unsafeOpen()
      return project
    })

    const follow = (projectId: string) =>
      Effect.acquireRelease(
        begin(projectId),
        (project) =>
          Effect.sync(() => {
            if (--project.subscribers > 0) return
            followed.delete(projectId)
            if (followed.size === 0) anyFollowed.unsafeClose()
          })
      )

    /** What changed between two positions as looks, noting in `told` what a look may have again; ends with a reset when it is too much. */
    const missed = (projectId: string, from: Position, to: Position, told: Map<string, string>): Stream.Stream<Look> => {
      const horizon = repo.before(to).updated_at
      const overlaps = horizon < to.updated_at
      const next = Effect.fnUntraced(function*({ at, count }: { readonly at: Position; readonly count: number }) {
        const rows = yield* few.withPermits(1)(Effect.zipLeft(repo.page(projectId, at, to), turn))
        const last = rows[rows.length - 1]
        if (count + rows.length > mostBehind) return [Look.reset(to, 0), Option.none()] as const
        if (overlaps) for (const row of rows) if (row.updated_at >= horizon) told.set(row.id, row.updated_at)
        const more = last === undefined || rows.length < pageSize
          ? Option.none()
          : Option.some({ at: last, count: count + rows.length })
        return [Look.tasks(rows, 0, from), more] as const
      })
      return Stream.filter(Stream.paginateEffect({ at: repo.before(from), count: 0 }, next), ({ messages }) => messages.length > 0)
    }

    /**
     * The looks at a project after `from`, where a client stopped; null for "from now on". Ends when `until` does. A
     * subscriber that is too slow for them gets a `reset` instead of the ones that it missed.
     */
    const looks = (projectId: string, from: Position | null, until: Effect.Effect<void>): Stream.Stream<Look> =>
      Stream.unwrapScoped(Effect.gen(function*() {
        const project = yield* follow(projectId)
        const queue = yield* PubSub.subscribe(project.hub)
        yield* Effect.forkScoped(Effect.interruptible(Effect.zipRight(until, Queue.shutdown(queue))))
        const { number, position } = project
        const told = new Map<string, string>()
        let expected = from === null ? null : number + 1

        const join = (look: Look): ReadonlyArray<Look> => {
          if (expected !== null && look.number < expected) return []
          const hasGap = expected !== null && look.number > expected
          expected = look.number + 1
          if (hasGap) metrics.liveResets.inc({ reason: "slow_reader" })
          if (told.size > 0 && repo.before(look.from).updated_at > position.updated_at) told.clear()
          const rest = told.size === 0 ? look : look.without(told)
          return hasGap ? [Look.reset(look.from, 0), rest] : [rest]
        }
        const joined = Stream.mapChunks(Stream.fromQueue(queue), Chunk.flatMap((look) => Chunk.fromIterable(join(look))))
        if (from === null) return joined
        const oldest = Timestamp.addSeconds(yield* Timestamp.now, -longestGapSeconds)
        const before = from.updated_at < oldest
          ? Stream.succeed(Look.reset(position, 0))
          : missed(projectId, from, position, told)
        return Stream.concat(before, joined)
      }))

    /** The messages of `looks`. Goes on for ever; the caller ends it. */
    const stream = (projectId: string, from: Position | null): Stream.Stream<LiveMessage> =>
      Stream.mapConcat(looks(projectId, from, Effect.never), ({ messages }) => messages)

    return { looks, stream } as const
  })
}) {
  static readonly layer = this.Default
}
