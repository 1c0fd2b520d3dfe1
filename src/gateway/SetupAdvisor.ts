import { asString, JsonObject, ownString } from "../domain/kernel/CanonicalJson.ts"
import type { AgentEvent } from "../domain/kernel/TaskEvent.ts"
import { toStorable } from "../domain/kernel/Text.ts"
import type { PresenceHandle } from "../services/agents/Presence/Model.ts"

const minReceivedEvents = 5
const minObservedMillis = 60_000
const minWorkerEvents = 200

const eventsOffAdvice =
  "Only received tasks are reported: start the Celery worker with -E (or worker_send_task_events = True), " +
  "so that starts, ends and retries are reported too."
const foreignWorkersAdvice = "This process reports events of more than one Celery worker, so each event " +
  "arrives once for each agent on the broker. The brain counts it once. To save the traffic, and to leave out other " +
  "teams' workers, set Z4J_CELERY_LOCAL_HOSTNAME to the node name of this process's worker."

/** The longest text that an agent's report adds to the advice. */
const maxProblemLength = 500

/**
 * Detects mistakes in the set-up of agents: engines that did not start, and two of Celery by the events of one session (the agents' protocol, sections 0
 * and 4.2), and withdraws the advice when later events show that a mistake is gone.
 */
export class SetupAdvisor {
  private receivedCount = 0
  private firstReceivedAt = 0
  private hasOtherKinds = false
  private worker: string | undefined = undefined
  private workerEvents = 0
  private hasForeignWorkers = false

  /** Undefined before the first heartbeat. */
  private hasFailedEngine: boolean | undefined = undefined

  /**
   * Engines that did not start, by `<engine>.start_error` of a heartbeat's `adapter_health`. A session withdraws the
   * advice of an earlier one, and its own; not that of another process, which repeats it with each heartbeat.
   */
  observeHealth(health: Readonly<Record<string, unknown>>, present: PresenceHandle): void {
    const failures = Object.entries(health).flatMap(([key, problem]) =>
      key.endsWith(".start_error") && typeof problem === "string"
        ? [`The engine ${key.slice(0, -".start_error".length)} did not start: ${problem}`]
        : []
    )
    if (failures.length > 0) {
      present.setAdvice("engine_failed", toStorable(failures.join(" ").slice(0, maxProblemLength)))
    } else if (this.hasFailedEngine !== false) present.setAdvice("engine_failed", null)
    this.hasFailedEngine = failures.length > 0
  }

  /** `now` is epoch milliseconds. */
  observe(event: AgentEvent, present: PresenceHandle, now: number): void {
    if (event.engine !== "celery") return
    if (!this.hasOtherKinds) this.checkKinds(event, present, now)
    if (!this.hasForeignWorkers) this.checkWorkers(event, present)
  }

  private checkKinds(event: AgentEvent, present: PresenceHandle, now: number): void {
    if (event.kind === "task.received") {
      if (this.receivedCount === 0) this.firstReceivedAt = now
      this.receivedCount++
      if (this.receivedCount >= minReceivedEvents && now - this.firstReceivedAt >= minObservedMillis) {
        present.setAdvice("events_off", eventsOffAdvice)
      }
    } else if (event.kind !== "task.revoked" && event.kind.startsWith("task.")) {
      this.hasOtherKinds = true
      present.setAdvice("events_off", null)
    }
  }

  private checkWorkers(event: AgentEvent, present: PresenceHandle): void {
    const node = event.data instanceof JsonObject ? event.data.get("worker") : undefined
    const worker = asString(node)
    if (node === undefined || worker === undefined) return
    if (this.worker === undefined) this.worker = ownString(node)
    if (worker !== this.worker) {
      this.hasForeignWorkers = true
      present.setAdvice("foreign_workers", foreignWorkersAdvice)
    } else if (++this.workerEvents === minWorkerEvents) {
      present.setAdvice("foreign_workers", null)
    }
  }
}
