import { asString, JsonObject, ownString } from "../../domain/CanonicalJson.ts"
import type { AgentEvent } from "../../domain/TaskEvent.ts"
import type { Present } from "../../services/Presence.ts"

const receivedBeforeAdvice = 5
const patienceMillis = 60_000
const eventsOfOneWorker = 200

const eventsOff = "Only received tasks are reported: start the Celery worker with -E (or worker_send_task_events = True), " +
  "so that starts, ends and retries are reported too."
const foreignWorkers = "Events of more than one worker come through this process: set Z4J_CELERY_LOCAL_HOSTNAME to its " +
  "worker's node name, else each agent on the broker reports every worker."

/**
 * Notices two mistakes in the set-up of Celery agents by the events of one session (the agents' protocol, sections 0
 * and 4.2), and that they were put right.
 */
export class SetupWatch {
  private received = 0
  private since = 0
  private othersSeen = false
  private worker: string | undefined = undefined
  private ofWorker = 0
  private foreignSeen = false

  /** `now` is epoch milliseconds. */
  observe(event: AgentEvent, present: Present, now: number): void {
    if (event.engine !== "celery") return
    if (!this.othersSeen) this.watchKinds(event, present, now)
    if (!this.foreignSeen) this.watchWorkers(event, present)
  }

  private watchKinds(event: AgentEvent, present: Present, now: number): void {
    if (event.kind === "task.received") {
      if (this.received === 0) this.since = now
      this.received++
      if (this.received >= receivedBeforeAdvice && now - this.since >= patienceMillis) present.advise("events_off", eventsOff)
    } else if (event.kind !== "task.revoked" && event.kind.startsWith("task.")) {
      this.othersSeen = true
      present.advise("events_off", null)
    }
  }

  private watchWorkers(event: AgentEvent, present: Present): void {
    const node = event.data instanceof JsonObject ? event.data.get("worker") : undefined
    const worker = asString(node)
    if (node === undefined || worker === undefined) return
    if (this.worker === undefined) this.worker = ownString(node)
    if (worker !== this.worker) {
      this.foreignSeen = true
      present.advise("foreign_workers", foreignWorkers)
    } else if (++this.ofWorker === eventsOfOneWorker) {
      present.advise("foreign_workers", null)
    }
  }
}
