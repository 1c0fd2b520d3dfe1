/**
 * How often changes are read and how many are sent, so that a thousand streams take a few percent of a core from the
 * ingest. `streams` counts the streams of this replica, of all projects.
 */
export interface StreamLoad {
  readonly streams: number
  readonly projects: number
}

/** A write to a socket takes about 25 µs: with a thousand streams each gets one write a second. */
export const millisBetweenRefreshes = ({ streams }: StreamLoad): number => Math.min(Math.max(streams, 100), 1000)

/**
 * A project without hints is read this often, since hints may be lost: at most 100 reads a second. Beyond a thousand
 * projects the heartbeats read more often.
 */
export const millisBetweenPolls = ({ projects }: StreamLoad): number => Math.max(2000, projects * 10)

/** The limit of all streams together; one event has about 450 bytes. */
const bytesPerSecond = 16 * 1024 * 1024
const bytesOfEvent = 450
const minTasks = 20
const maxTasks = 10_000

/** Maximum changed tasks that are sent after `millis` without a read; more than that is a `reset`. */
export const maxTasksAfter = (millis: number, { streams }: StreamLoad): number =>
  Math.min(
    Math.max(Math.floor(bytesPerSecond / bytesOfEvent / Math.max(streams, 1) * millis / 1000), minTasks),
    maxTasks
  )

/** Pause of a project after a `reset`, since each one makes every client load the list. */
export const millisAfterReset = 3000

/** A transaction that writes for longer makes each refresh read all changes since its begin again. */
const maxLagMillis = 3000

/** Pause of a project after a refresh, by how far the commit horizon is behind the clock. */
export const millisAfterRefresh = (lagMillis: number): number => lagMillis > maxLagMillis ? 3000 : 0
