/**
 * How often changes are looked for and how many of them are sent, so that a thousand streams take a few percent of a
 * core from the ingest. `streams` counts those of this replica, of all projects.
 */
export interface StreamLoad {
  readonly streams: number
  readonly projects: number
}

/** A write to a socket takes about 25 µs: with a thousand streams each gets one a second. */
export const millisBetweenRefreshes = ({ streams }: StreamLoad): number => Math.min(Math.max(streams, 100), 1000)

/** A project without hints is looked at this often, which makes up for lost ones: 100 looks a second at most. */
export const millisBetweenPolls = ({ projects }: StreamLoad): number => Math.max(2000, projects * 10)

/** What all streams together are sent in a second; one event has about 450 bytes. */
const bytesPerSecond = 16 * 1024 * 1024
const bytesOfEvent = 450
const minTasks = 20
const maxTasks = 10_000

/** Most changed tasks that are sent after `millis` without a look; more of them are a `reset`. */
export const maxTasksAfter = (millis: number, { streams }: StreamLoad): number =>
  Math.min(Math.max(Math.floor(bytesPerSecond / bytesOfEvent / Math.max(streams, 1) * millis / 1000), minTasks), maxTasks)

/** After a `reset` the project is left alone for so long: each one makes every reader load the list. */
export const millisAfterReset = 3000
