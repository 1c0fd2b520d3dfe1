import { useEffect, useSyncExternalStore } from "react"
import { base, type Schemas } from "./client.ts"

/** A changed task of the live stream (docs/api.md, Live updates). */
export type LiveTask = Pick<
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
  | "updated_at"
>

export type LiveStatus = "live" | "connecting" | "paused"

export interface LiveListener {
  readonly onTask?: (task: LiveTask) => void
  /** Changes were left out: read the list again. */
  readonly onReset?: () => void
}

const pausedKey = "svc.paused"
const retryMillis = 2_000

/**
 * One stream for each project on screen. Chromium's EventSource gives up for good after an answer that is no stream, such
 * as 503 of a brain that starts, so a closed one is opened again here.
 */
class LiveStream {
  #source: EventSource | null = null
  #slug: string | null = null
  #retry: ReturnType<typeof setTimeout> | undefined
  #isPaused = localStorage.getItem(pausedKey) === "yes"
  #status: LiveStatus = this.#isPaused ? "paused" : "connecting"
  /** When the page last knew that it shows the truth, in epoch milliseconds. */
  lastTrueAt = Date.now()
  readonly #listeners = new Set<LiveListener>()
  readonly #watchers = new Set<() => void>()

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  readonly getStatus = () => this.#status

  #setStatus(status: LiveStatus) {
    if (this.#status === status) return
    if (this.#status === "live") this.lastTrueAt = Date.now()
    this.#status = status
    for (const watcher of this.#watchers) watcher()
  }

  follow(slug: string, listener: LiveListener) {
    this.#listeners.add(listener)
    if (this.#slug !== slug) {
      this.#slug = slug
      this.#open()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) {
        this.#slug = null
        this.#close()
      }
    }
  }

  setPaused(isPaused: boolean) {
    this.#isPaused = isPaused
    localStorage.setItem(pausedKey, isPaused ? "yes" : "no")
    if (isPaused) {
      this.#close()
      this.#setStatus("paused")
    } else {
      this.#open()
      for (const { onReset } of this.#listeners) onReset?.()
    }
  }

  #close() {
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#source = null
  }

  #open() {
    this.#close()
    if (this.#isPaused || this.#slug === null) return
    this.#setStatus("connecting")
    const source = new EventSource(`${base}/api/v1/projects/${encodeURIComponent(this.#slug)}/stream`)
    this.#source = source
    let wasOpen = false
    source.addEventListener("open", () => {
      this.#setStatus("live")
      if (wasOpen) { for (const { onReset } of this.#listeners) onReset?.() }
      wasOpen = true
    })
    source.addEventListener("error", () => {
      if (this.#source !== source) return
      this.#setStatus("connecting")
      if (source.readyState !== EventSource.CLOSED) return
      this.#retry = setTimeout(() => {
        this.#open()
        for (const { onReset } of this.#listeners) onReset?.()
      }, retryMillis)
    })
    source.addEventListener("task", ({ data }: MessageEvent<string>) => {
      const task = JSON.parse(data) as LiveTask // the stream's contract
      for (const { onTask } of this.#listeners) onTask?.(task)
    })
    source.addEventListener("reset", () => {
      for (const { onReset } of this.#listeners) onReset?.()
    })
  }
}

export const liveStream = new LiveStream()

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveStream.watch, liveStream.getStatus)

/** Calls the listener for each change of the project. Memoize the listener. */
export const useLiveChanges = (slug: string, listener: LiveListener): void =>
  useEffect(() => liveStream.follow(slug, listener), [slug, listener])

/** The pause between two reads of what the stream does not carry; false while paused. */
export const useRefetchInterval = (millis: number): number | false => (useLiveStatus() === "paused" ? false : millis)
