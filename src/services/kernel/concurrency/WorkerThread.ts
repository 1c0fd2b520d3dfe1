import { Data, Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"

/** The thread ended, or threw, while it had the request. */
export class WorkerThreadFailed extends Data.TaggedError("WorkerThreadFailed")<{ readonly message: string }> {}

interface PendingRequest<Request, Response> {
  readonly request: Request
  readonly resume: (response: Effect.Effect<Response, WorkerThreadFailed>) => void
}

/**
 * A thread that serves one request at a time, started by the first request. An interrupted request that still waits
 * is never sent. A thread that dies fails the request that it had; the next request starts another thread.
 */
class WorkerThread<Request, Response> {
  private worker: Worker | null = null
  private current: PendingRequest<Request, Response> | null = null
  private isStopped = false
  private readonly queue = new Set<PendingRequest<Request, Response>>()

  constructor(private readonly file: URL, private readonly workerData: unknown) {}

  /** Returns a function that withdraws the request. */
  enqueue(pending: PendingRequest<Request, Response>): () => void {
    this.queue.add(pending)
    this.sendNext()
    return () => void this.queue.delete(pending)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.worker?.terminate()
  }

  private sendNext(): void {
    const [next] = this.queue
    if (next === undefined || this.current !== null || this.isStopped) return
    this.queue.delete(next)
    this.current = next
    try { // a process at its limit of threads cannot start one, and not every value can be sent
      this.worker ??= this.start()
      this.worker.postMessage(next.request)
    } catch (cause) {
      this.resolve(new WorkerThreadFailed({ message: String(cause) }))
    }
  }

  private start(): Worker {
    const worker = new Worker(this.file, { workerData: this.workerData })
    worker.unref()
    worker.on("message", (response: Response) => this.resolve(Effect.succeed(response)))
    worker.on("messageerror", (cause) => this.resolve(new WorkerThreadFailed({ message: String(cause) })))
    worker.on("error", (cause) => this.onExit(worker, String(cause)))
    worker.on("exit", () => this.onExit(worker, "the thread ended"))
    return worker
  }

  private resolve(response: Effect.Effect<Response, WorkerThreadFailed>): void {
    const pending = this.current
    this.current = null
    pending?.resume(response)
    this.sendNext()
  }

  private onExit(worker: Worker, message: string): void {
    if (this.worker !== worker) return
    this.worker = null
    this.resolve(new WorkerThreadFailed({ message }))
  }
}

/**
 * Sends a request to a thread of the scope and waits for its response. Use:
 * `makeWorkerThread<Request, Response>(workerFile("Name", import.meta.url))`. The platform's `Worker` would load Effect into
 * each thread, for one function.
 */
export const makeWorkerThread = <Request, Response>(
  file: URL,
  workerData: unknown = null
): Effect.Effect<(request: Request) => Effect.Effect<Response, WorkerThreadFailed>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new WorkerThread<Request, Response>(file, workerData)),
      (thread) => Effect.promise(() => thread.stop())
    ),
    (thread) => (request) =>
      Effect.async((resume) => {
        const withdraw = thread.enqueue({ request, resume })
        return Effect.sync(withdraw)
      })
  )
