/**
 * Ids of BullMQ jobs are unique within a queue, those of tasks within an engine: `<queue>:<job id>`. A queue's name has
 * no colon (BullMQ refuses it), so the first one divides; a job's id may have some (`repeat:digest:1790000000000`).
 */
export interface JobRef {
  readonly queue: string
  readonly jobId: string
}

export const taskIdOf = (queue: string, jobId: string): string => `${queue}:${jobId}`

/** Undefined for an invalid id. */
export const parseTaskId = (taskId: string): JobRef | undefined => {
  const separator = taskId.indexOf(":")
  return separator < 1 || separator === taskId.length - 1
    ? undefined
    : { queue: taskId.slice(0, separator), jobId: taskId.slice(separator + 1) }
}

/** The task id of a job's Redis key, `<prefix>:<queue>:<job id>`. The prefix may have colons. */
export const taskIdOfKey = (key: string, prefix: string): string => {
  if (key.startsWith(`${prefix}:`)) return key.slice(prefix.length + 1)
  return key.split(":").slice(-2).join(":") // a flow over several prefixes
}
