import { Array as Arr, Clock, Data, Effect, Queue, Stream } from "effect"
import type { ProjectId } from "../domain/kernel/Id.ts"
import { Brain, BrainUnavailable, type Change } from "./Brain.ts"
import type { Handovers } from "./Handovers.ts"
import { Store } from "./Store.ts"
import type { Ticks } from "./Ticks.ts"

/** A standby takes over within this time, and all instances of a project use the same. */
export const leaseSeconds = 10

/** Projects of one call. */
const maxProjects = 1000

/** Of the list of projects. A change in an unknown project refreshes it at once. */
const projectsRefresh = "60 seconds"

interface SessionParts {
  readonly ticks: Ticks
  readonly handovers: Handovers
  /** Slugs; empty: all. */
  readonly projects: ReadonlyArray<string>
  /** Whether the brain was away before: then a standby leaves the lease to the instance that fired until then. */
  readonly isReconnected: boolean
  /** Wakes the loop that sends decisions. */
  readonly wakeHandovers: Queue.Dequeue<void>
  /** Wakes the loop that decides about ticks. */
  readonly wakeTicks: Effect.Effect<void>
  /** Called once all is up to date. */
  readonly onReady: Effect.Effect<void>
}

class ProjectsChanged extends Data.TaggedError("ProjectsChanged")<{}> {}

/**
 * One connection: keeps the store up to date, holds the leases, and sends decisions. Ends with the failure of a call,
 * or without one when there are other projects.
 */
export const runSession = (
  { handovers, isReconnected, onReady, projects: wanted, ticks, wakeHandovers, wakeTicks }: SessionParts
) =>
  Effect.gen(function*() {
    const brain = yield* Brain
    const store = yield* Store
    const startedAt = yield* Clock.currentTimeMillis
    const lease = { until: 0 }

    const listProjects = Effect.map(brain.listProjects, (found) =>
      wanted.length === 0 ? found : found.filter(({ slug }) => wanted.includes(slug)))

    const projects = yield* listProjects
    for (const slug of wanted) {
      if (
        !projects.some((project) =>
          project.slug === slug
        )
      ) {
        yield* Effect.logWarning(`the brain has no project ${slug}, or this certificate may not fire it`)
      }
    }
    store.atomically(() => {
      const ids = new Set(projects.map(({ id }) => id))
      for (const { id } of store.listProjects()) if (!ids.has(id)) store.deleteProject(id)
      for (const { id, slug } of projects) store.saveProject(id, slug)
    })

    /** The projects whose lease this instance requests now. */
    const listCandidates = Effect.map(Clock.currentTimeMillis, (now): ReadonlyArray<ProjectId> => {
      const mayTakeOver = !isReconnected || now - startedAt >= leaseSeconds * 1000
      return store.listProjects().filter(({ is_held }) => is_held || mayTakeOver).map(({ id }) => id)
    })

    /** Takes or renews the leases. They count from before the call, so that this instance never counts longer than the brain. */
    const renew = Effect.gen(function*() {
      const requestedAt = yield* Clock.currentTimeMillis
      const ids = yield* listCandidates
      const leases = (yield* Effect.forEach(Arr.chunksOf(ids, maxProjects), (batch) => brain.hold(batch, leaseSeconds)))
        .flat()
      lease.until = requestedAt + leaseSeconds * 1000
      const known = new Map(store.listProjects().map((project) => [project.id, project]))
      for (const { holder, is_held, project_id } of leases) {
        const project = known.get(project_id)
        if (project === undefined || project.is_held === is_held) continue
        if (is_held) {
          store.setLeaseHeld(project_id, true)
          yield* Effect.logInfo(`this instance fires the schedules of ${project.slug} from now on`)
        } else {
          ticks.standBy(project_id)
          yield* Effect.logInfo(`this instance stands by for ${project.slug}: ${holder ?? "another one"} fires it`)
        }
        yield* wakeTicks
      }
    })

    const quarantineBroken = Effect.gen(function*() {
      for (const { detail, schedule } of ticks.takeBroken()) {
        yield* Effect.annotateLogs(Effect.logError(`a schedule cannot be fired here: ${detail}`), {
          schedule_id: schedule.id
        })
        const hasLease = store.listProjects().some(({ id, is_held }) => is_held && id === schedule.project_id)
        if (hasLease) yield* Effect.catchAll(brain.quarantine(schedule, detail), () => Effect.void)
      }
    })

    const handOver = Effect.gen(function*() {
      yield* quarantineBroken
      const hasLease = (yield* Clock.currentTimeMillis) < lease.until
      const isWaiting = hasLease ? yield* handovers.handOver : false
      yield* Effect.raceFirst(Effect.sleep(isWaiting ? "250 millis" : "1 second"), Queue.take(wakeHandovers))
    })

    /** The next session begins with the projects as they are now. */
    const endIfProjectsChanged = Effect.gen(function*() {
      const ids = (yield* listProjects).map(({ id }) => id).toSorted()
      const known = projects.map(({ id }) => id).toSorted()
      if (ids.join() !== known.join()) return yield* new ProjectsChanged()
    })

    const isSelected = new Set(projects.map(({ id }) => id))

    const takeChange = Effect.fnUntraced(function*(change: Change) {
      if (change._tag === "Deleted") ticks.deleteSchedule(change.id)
      else if (isSelected.has(change.schedule.project_id)) {
        const reason = ticks.take(change.schedule)
        if (reason !== null) {
          yield* Effect.annotateLogs(Effect.logInfo(`waiting ticks of a schedule are decided again: ${reason}`), {
            schedule_id: change.schedule.id
          })
        }
      } else yield* endIfProjectsChanged
      yield* wakeTicks
    })

    const watch = (after: bigint) =>
      Effect.zipRight(
        Stream.runForEach(brain.watch(after), takeChange),
        new BrainUnavailable({ message: "the brain ended the watch" })
      )

    yield* renew
    const { schedules, watermark } = yield* brain.snapshot
    const byProject = Arr.groupBy(schedules, ({ project_id }) => project_id)
    for (const { id } of projects) ticks.takeAll(id, byProject[id] ?? [])
    yield* handovers.clearPauses
    yield* wakeTicks
    yield* onReady
    return yield* Effect.all([
      Effect.forever(Effect.delay(renew, `${leaseSeconds / 3} seconds`)),
      Effect.forever(handOver),
      Effect.forever(Effect.delay(endIfProjectsChanged, projectsRefresh)),
      watch(watermark)
    ], { concurrency: "unbounded", discard: true })
  }).pipe(Effect.catchTag("ProjectsChanged", () => Effect.logInfo("the projects of the brain have changed")))
