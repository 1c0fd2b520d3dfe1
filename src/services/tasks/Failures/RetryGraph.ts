import type { RecoverableTask, RetryLink, TaskOfProject } from "./RecoveriesRepo.ts"

export const taskKey = ({ engine, project_id, task_id }: TaskOfProject): string =>
  [project_id, engine, task_id].join("\0")

/** The task at the other end of a link. */
export const retryOf = ({ engine, new_task_id, project_id }: RetryLink): TaskOfProject => ({
  project_id,
  engine,
  task_id: new_task_id
})

/** Tasks and the retries between them, as far as they were read. */
export class RetryGraph {
  private readonly retries = new Map<string, Map<string, TaskOfProject>>()
  private readonly tasks = new Map<string, RecoverableTask>()

  addLinks(links: ReadonlyArray<RetryLink>): void {
    for (const link of links) {
      const key = taskKey(link)
      const retry = retryOf(link)
      const known = this.retries.get(key)
      if (known === undefined) this.retries.set(key, new Map([[taskKey(retry), retry]]))
      else known.set(taskKey(retry), retry)
    }
  }

  addTasks(tasks: ReadonlyArray<RecoverableTask>): void {
    for (const task of tasks) this.tasks.set(taskKey(task), task)
  }

  get(task: TaskOfProject): RecoverableTask | undefined {
    return this.tasks.get(taskKey(task))
  }

  /** Whether the task's mark names a task that is stored and not successful. A deleted one has recovered it for good. */
  isStale(task: RecoverableTask): boolean {
    if (task.recovered_by === null) return false
    const recoverer = this.get({ ...task, task_id: task.recovered_by })
    return recoverer !== undefined && recoverer.state !== "success"
  }

  /** The smallest id that succeeded among the retries of the task, and their retries; null: none did. */
  findRecoverer(task: TaskOfProject): string | null {
    let found: string | null = null
    const start = taskKey(task)
    const seen = new Set([start])
    const queue = [start]
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
      for (const [retryKey, retry] of this.retries.get(key) ?? []) {
        if (seen.has(retryKey)) continue
        seen.add(retryKey)
        queue.push(retryKey)
        const isSuccess = this.tasks.get(retryKey)?.state === "success"
        if (isSuccess && (found === null || retry.task_id < found)) found = retry.task_id
      }
    }
    return found
  }
}
