import type { Job, Queue } from "bullmq"
import { clientOf } from "./Backend.ts"
import { taskIdOfKey } from "./TaskId.ts"

/**
 * The roots of flows. A job names only its parent; the parent's hash names the next one. One read a parent, for any
 * number of children.
 */
export class FlowRoots {
  readonly #known = new Map<string, string>()

  /** The root, if it is cached; a job without a parent has none. */
  cachedRoot(job: Job): string | undefined {
    return job.parentKey === undefined ? undefined : this.#known.get(job.parentKey)
  }

  /** Reads the root. Undefined for a job without a parent. */
  async find(queue: Queue, job: Job): Promise<string | undefined> {
    const { parentKey } = job
    if (parentKey === undefined) return undefined
    const cachedRoot = this.#known.get(parentKey)
    if (cachedRoot !== undefined) return cachedRoot
    const root = await fetchRoot(queue, parentKey, job.prefix)
    if (this.#known.size >= maxCached) this.#known.clear()
    this.#known.set(parentKey, root)
    return root
  }
}

const maxCached = 10_000
const maxSteps = 100

const fetchRoot = async (queue: Queue, parentKey: string, prefix: string): Promise<string> => {
  const client = await clientOf(queue)
  let key = parentKey
  for (let step = 0; step < maxSteps; step++) {
    const above = await client.hget(key, "parentKey")
    if (above === null || above === "") break
    key = above
  }
  return taskIdOfKey(key, prefix)
}
