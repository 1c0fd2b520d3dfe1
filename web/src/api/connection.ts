import { useSyncExternalStore } from "react"

const shortestPauseMillis = 1_000
const longestPauseMillis = 15_000
const probeTimeoutMillis = 10_000

/** Names the build of the dashboard: the file of its first script, whose name changes with any part of the code. */
const buildOf = (page: Document): string | null =>
  page.querySelector("script[type=module][src]")?.getAttribute("src") ?? null

/** The build that runs in this tab. */
export const ownBuild = buildOf(document)

/**
 * Whether the server answers, as far as the last request and the live stream say. The browser's own `navigator.onLine` is
 * no answer: a server on this machine is reached without a network.
 */
class Connection {
  #isLost = false
  #restored: Promise<void> | null = null
  #wake: () => void = () => {}
  readonly #watchers = new Set<() => void>()

  constructor() {
    addEventListener("offline", () => this.reportLoss())
    addEventListener("online", () => this.#wake())
  }

  readonly isLost = () => this.#isLost

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  #set(isLost: boolean) {
    if (this.#isLost === isLost) return
    this.#isLost = isLost
    for (const watcher of this.#watchers) watcher()
    this.#wake()
  }

  /** A request got no response, or the stream is silent. */
  readonly reportLoss = () => this.#set(true)

  readonly reportAnswer = () => this.#set(false)

  /** The build of the dashboard that the server has now; null: it does not answer. */
  async readBuild(): Promise<string | null> {
    try {
      // the page's <base> makes it the first page
      const response = await fetch("./", { cache: "no-store", signal: AbortSignal.timeout(probeTimeoutMillis) })
      // without a script it is the page of a reverse proxy
      const build = response.ok ? buildOf(new DOMParser().parseFromString(await response.text(), "text/html")) : null
      this.#set(build === null)
      return build
    } catch {
      this.#set(true)
      return null
    }
  }

  /** Resolves once the server answers; asks it again and again until then. */
  restored(): Promise<void> {
    return this.#restored ??= this.#poll().finally(() => {
      this.#restored = null
    })
  }

  async #poll() {
    for (let millis = shortestPauseMillis; this.#isLost; millis = Math.min(longestPauseMillis, millis * 2)) {
      if ((await this.readBuild()) !== null) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, millis)
      })
    }
  }
}

export const connection = new Connection()

export const useIsLost = (): boolean => useSyncExternalStore(connection.watch, connection.isLost)
