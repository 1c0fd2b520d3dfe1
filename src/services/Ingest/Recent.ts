/** What the writer has to know of a stored task to fold more events into it. */
export interface Known {
  readonly id: string
  readonly revision: number
  readonly state: string
  readonly name: string
  readonly queue: string | null
  readonly worker_name: string | null
  readonly root_task_id: string | null
  readonly received_at: string | null
  readonly first_event_at: string
  readonly history: string
}

export interface TaskKey {
  readonly project_id: string
  readonly engine: string
  readonly task_id: string
}

/** Texts of agents hold no NUL, and a joined string is flat: it keeps no frame alive. */
export const keyOf = (projectId: string, engine: string, taskId: string): string =>
  [projectId, engine, taskId].join("\0")

const MOST_NAMES = 10_000

const copyOf = (text: string): string => Buffer.from(text, "utf8").toString("utf8")

/** What an entry takes besides its history, about. */
const OVERHEAD = 600

/** A longer history is read again: a few of them would push out all others. */
const LONGEST_HISTORY = 16 * 1024

/** Few events come after these, so that keeping the task would cost more than reading it again. */
const ENDED: ReadonlySet<string> = new Set(["success", "failure", "revoked", "rejected"])

/**
 * The unfinished tasks written last, so that their next event costs no read. Never trusted: whoever writes on the
 * strength of it names the revision, and finds none if the row was changed or deleted meanwhile.
 */
export class Recent {
  private readonly tasks = new Map<string, Known>()
  private readonly names = new Map<string, string>()
  private size = 0

  /** `most` tasks, of about `mostBytes` together. */
  constructor(private readonly most: number, private readonly mostBytes: number) {}

  get(key: string): Known | undefined {
    return this.tasks.get(key)
  }

  set(key: string, task: Known): void {
    this.forget(key)
    if (ENDED.has(task.state) || task.history.length > LONGEST_HISTORY) return
    this.tasks.set(key, {
      id: task.id,
      revision: task.revision,
      state: task.state,
      name: this.kept(task.name),
      queue: this.keptOrNull(task.queue),
      worker_name: this.keptOrNull(task.worker_name),
      root_task_id: task.root_task_id === null ? null : copyOf(task.root_task_id),
      received_at: task.received_at,
      first_event_at: task.first_event_at,
      history: task.history
    })
    this.size += task.history.length + OVERHEAD
    for (const oldest of this.tasks.keys()) {
      if (this.tasks.size <= this.most && this.size <= this.mostBytes) return
      this.forget(oldest)
    }
  }

  /** The text in memory of its own, once for all tasks that share it: what agents send is a slice of a whole frame. */
  private kept(text: string): string {
    const known = this.names.get(text)
    if (known !== undefined) return known
    if (this.names.size >= MOST_NAMES) this.names.clear()
    const copy = copyOf(text)
    this.names.set(copy, copy)
    return copy
  }

  private keptOrNull(text: string | null): string | null {
    return text === null ? null : this.kept(text)
  }

  forget(key: string): void {
    const task = this.tasks.get(key)
    if (task === undefined) return
    this.tasks.delete(key)
    this.size -= task.history.length + OVERHEAD
  }
}
