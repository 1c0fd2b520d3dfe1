import { connection, ownBuild } from "../api/connection.ts"

export type CodeState<A> =
  | { readonly kind: "loading" }
  | { readonly kind: "loaded"; readonly code: A }
  /** The server has another build of the dashboard, and this file no longer. */
  | { readonly kind: "outdated" }
  | { readonly kind: "failed"; readonly error: unknown }

const pauseMillis = 1_000

/**
 * Code of a file of its own. Without the server it waits, and loads once the server answers. Chromium remembers a failed
 * import until the page is reloaded (whatwg/html 6768), so none is tried while the connection is known to be lost.
 */
export class Code<A> {
  #state: CodeState<A> = { kind: "loading" }
  #isRunning = false
  readonly #importer: () => Promise<A>
  readonly #watchers = new Set<() => void>()

  constructor(importer: () => Promise<A>) {
    this.#importer = importer
  }

  readonly getState = (): CodeState<A> => this.#state

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  #set(state: CodeState<A>) {
    this.#state = state
    for (const watcher of this.#watchers) watcher()
  }

  /** Loads it, unless it is loaded or is being loaded. */
  readonly load = () => {
    if (this.#isRunning || this.#state.kind === "loaded") return
    this.#isRunning = true
    if (this.#state.kind !== "loading") this.#set({ kind: "loading" })
    void this.#run().then((state) => {
      this.#isRunning = false
      this.#set(state)
    })
  }

  async #run(): Promise<CodeState<A>> {
    let hasFailed = false
    for (;;) {
      if (connection.isLost()) await connection.restored()
      try {
        return { kind: "loaded", code: await this.#importer() }
      } catch (error) {
        const build = await connection.readBuild()
        if (build === null) continue
        if (build !== ownBuild) return { kind: "outdated" }
        if (hasFailed) return { kind: "failed", error }
        hasFailed = true
        await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      }
    }
  }

  /** Loads it; resolves once it is loaded, or is known to come later or not at all. */
  readonly preload = (): Promise<void> => {
    this.load()
    return new Promise((resolve) => {
      const check = () => {
        if (this.#state.kind === "loading" && !connection.isLost()) return
        stop()
        stopConnection()
        resolve()
      }
      const stop = this.watch(check)
      const stopConnection = connection.watch(check)
      check()
    })
  }
}
