import { useEffect, useSyncExternalStore } from "react"
import { base, type Schemas, stream } from "./client.ts"
import { connection } from "./connection.ts"
import { isPaused, storePaused } from "./paused.ts"

/** A changed task of the live stream (docs/api.md, Live updates). */
export type LiveTask =
  & { readonly percent: number | null }
  & Pick<
    Schemas["Task"],
    | "id"
    | "engine"
    | "task_id"
    | "name"
    | "queue"
    | "state"
    | "priority"
    | "retry_count"
    | "worker_name"
    | "received_at"
    | "started_at"
    | "finished_at"
    | "runtime_ms"
    | "exception"
    | "updated_at"
  >

export type LiveStatus = "live" | "connecting" | "paused"

export interface LiveListener {
  /** False: it listens whatever page is on screen. */
  readonly isOfPage?: false
  readonly onTask?: (task: LiveTask) => void
  /** How many notifications of the person's inbox are unread, after a change of it. */
  readonly onInbox?: (unread: number) => void
  /** Changes may have been missed: read again. */
  readonly onGap?: () => void
}

const shortestRetryMillis = 1_000
const longestRetryMillis = 30_000

/** The server sends at least a heartbeat every 12 s: a stream that is silent for longer than two of them is dead. */
const silenceMillis = 25_000
const silenceCheckMillis = 1_000

/**
 * One stream of the project on screen. Chromium's EventSource gives up after a response that is no stream, such as 503 of a
 * brain that starts, so a closed one is opened again here. A hidden tab has none: a browser opens six connections to one
 * server over HTTP/1.1, and the streams of six tabs would block every other request. Only the one that shows the browser's
 * notifications keeps its stream.
 */
class LiveStream {
  #source: EventSource | null = null
  #slug: string | null = null
  #retry: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  /** When the last event arrived, or the stream was opened, in epoch milliseconds. */
  #heardAt = 0
  #staysOpen = false
  #status: LiveStatus = isPaused() ? "paused" : "connecting"
  /** Until when the stream kept the page current that is on screen, in epoch milliseconds; 0: it did not. */
  syncedAt = 0
  readonly #listeners = new Set<LiveListener>()
  readonly #watchers = new Set<() => void>()

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (!this.#staysOpen) this.#open()
    })
    // a stream over a network that is gone gets no error; a server on this machine is reached without one
    for (const change of ["offline", "online"]) addEventListener(change, () => this.#open())
    // compares times, because a timer does not run while the machine sleeps
    setInterval(() => {
      if (this.#source === null || Date.now() - this.#heardAt <= silenceMillis) return
      connection.reportLoss()
      this.#open()
    }, silenceCheckMillis)
  }

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  readonly getStatus = () => this.#status

  #setStatus(status: LiveStatus) {
    if (this.#status === status) return
    if (this.#status === "live" && this.isFollowed()) this.syncedAt = this.#heardAt
    this.#status = status
    this.#notify()
  }

  #notify() {
    for (const watcher of this.#watchers) watcher()
  }

  /** Whether the page on screen has each change at once: it hears of all, and of gaps among them. */
  readonly isFollowed = () =>
    [...this.#listeners].some(({ isOfPage = true, onGap, onTask }) =>
      isOfPage && onGap !== undefined && onTask !== undefined
    )

  /** The project whose changes the stream brings; null: none. */
  get slug() {
    return this.#slug
  }

  /** Opens the stream of the project; the returned function closes it. */
  follow(slug: string) {
    this.#slug = slug
    this.#failures = 0
    this.#open()
    return () => {
      if (this.#slug !== slug) return
      this.#slug = null
      this.#open()
    }
  }

  listen(listener: LiveListener) {
    this.#listeners.add(listener)
    this.#notify()
    return () => {
      this.#listeners.delete(listener)
      if (!this.isFollowed()) this.syncedAt = 0
      this.#notify()
    }
  }

  setPaused(isPaused: boolean) {
    storePaused(isPaused)
    this.#open()
  }

  /** Keeps the stream while the tab is hidden; the returned function ends that. */
  stayOpen() {
    this.#setStaysOpen(true)
    return () => this.#setStaysOpen(false)
  }

  #setStaysOpen(staysOpen: boolean) {
    this.#staysOpen = staysOpen
    if (document.visibilityState === "hidden") this.#open()
  }

  #reportGap() {
    for (const { onGap } of this.#listeners) onGap?.()
  }

  /** Opens the stream that belongs to the present state, which may be none. */
  #open() {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = null
    this.#setStatus(isPaused() ? "paused" : "connecting")
    if (isPaused() || this.#slug === null) return
    if (document.visibilityState === "hidden" && !this.#staysOpen) return
    const source = new EventSource(`${base}/api/v1/projects/${encodeURIComponent(this.#slug)}/stream`)
    this.#source = source
    this.#heardAt = Date.now()
    const listen = (type: string, run: (data: string) => void) =>
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        this.#heardAt = Date.now()
        run(data)
      })
    source.addEventListener("open", () => {
      this.#failures = 0
      this.#heardAt = Date.now()
      connection.reportAnswer()
      this.#setStatus("live")
      this.#reportGap()
    })
    source.addEventListener("error", () => {
      if (this.#source !== source) return
      this.#setStatus("connecting")
      if (source.readyState !== EventSource.CLOSED) return connection.reportLoss()
      stream.onRefused()
      const millis = Math.min(longestRetryMillis, shortestRetryMillis * 2 ** this.#failures++)
      this.#retry = setTimeout(() => this.#open(), millis * (0.5 + Math.random() / 2))
    })
    listen("task", (data) => {
      const task = JSON.parse(data) as LiveTask // the stream's contract
      for (const { onTask } of this.#listeners) onTask?.(task)
    })
    listen("inbox", (data) => {
      const { unread } = JSON.parse(data) as { readonly unread: number } // the stream's contract
      for (const { onInbox } of this.#listeners) onInbox?.(unread)
    })
    listen("heartbeat", () => {})
    listen("reset", () => this.#reportGap())
  }
}

export const liveStream = new LiveStream()

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveStream.watch, liveStream.getStatus)

/** Whether the stream has the changes of what is on screen; other pages read again at intervals. */
export const useIsFollowed = (): boolean => useSyncExternalStore(liveStream.watch, liveStream.isFollowed)

/** Calls the listener for each change of the project on screen. Memoize the listener. */
export const useLiveChanges = (listener: LiveListener): void => useEffect(() => liveStream.listen(listener), [listener])

/** The pause between two reads of what the stream does not carry; false while paused. */
export const useRefetchInterval = (millis: number): number | false => (useLiveStatus() === "paused" ? false : millis)
