import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { StoredTask } from "../../../domain/tasks/Fold.ts"

/** Texts of agents contain no NUL. A joined string is flat, so it keeps no frame in memory. */
export const taskKeyText = (projectId: ProjectId, engine: string, taskId: string): string =>
  [projectId, engine, taskId].join("\0")

const MAX_NAMES = 10_000

const copyText = (text: string): string => Buffer.from(text, "utf8").toString("utf8")

/** Approximate bytes of an entry besides its history. */
const ENTRY_OVERHEAD = 600

/** A longer history is not cached: a few of them would evict all others. */
const MAX_HISTORY_LENGTH = 16 * 1024

/** Few events follow these states, so caching the task would cost more than reading it again. */
const END_STATES: ReadonlySet<string> = new Set(["success", "failure", "revoked", "rejected"])

/**
 * The unfinished tasks that were written last, so that their next event costs no read. Never authoritative: a write
 * names the revision, and matches no row if another replica has changed or deleted it.
 */
export class TaskCache {
  private readonly tasks = new Map<string, StoredTask>()
  private readonly names = new Map<string, string>()
  private size = 0

  /** At most `maxTasks` tasks, with about `maxBytes` in total. */
  constructor(private readonly maxTasks: number, private readonly maxBytes: number) {}

  get(key: string): StoredTask | undefined {
    return this.tasks.get(key)
  }

  set(key: string, task: StoredTask): void {
    this.evict(key)
    if (END_STATES.has(task.state) || task.history.length > MAX_HISTORY_LENGTH) return
    this.tasks.set(key, {
      id: task.id,
      revision: task.revision,
      state: task.state,
      name: this.internText(task.name),
      queue: this.internOrNull(task.queue),
      worker_name: this.internOrNull(task.worker_name),
      root_task_id: task.root_task_id === null ? null : copyText(task.root_task_id),
      fingerprint: this.internOrNull(task.fingerprint),
      recovered_by: task.recovered_by,
      received_at: task.received_at,
      first_event_at: task.first_event_at,
      finished_at: task.finished_at,
      runtime_ms: task.runtime_ms,
      history: task.history
    })
    this.size += task.history.length + ENTRY_OVERHEAD
    for (const oldest of this.tasks.keys()) {
      if (this.tasks.size <= this.maxTasks && this.size <= this.maxBytes) return
      this.evict(oldest)
    }
  }

  /**
   * A copy of the text, shared by all tasks with it: the agent's text is a slice that keeps a whole frame in memory.
   */
  private internText(text: string): string {
    const cachedText = this.names.get(text)
    if (cachedText !== undefined) return cachedText
    if (this.names.size >= MAX_NAMES) this.names.clear()
    const copy = copyText(text)
    this.names.set(copy, copy)
    return copy
  }

  private internOrNull(text: string | null): string | null {
    return text === null ? null : this.internText(text)
  }

  evict(key: string): void {
    const task = this.tasks.get(key)
    if (task === undefined) return
    this.tasks.delete(key)
    this.size -= task.history.length + ENTRY_OVERHEAD
  }
}
