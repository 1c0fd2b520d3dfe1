import { ApiError } from "./client.ts"

/** Refusals that end the polling: the session, the role or the job is gone. */
const maxRefusals = 5

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403 || error.status === 404)

/**
 * Reads a job until it has ended, and shows each read. A read that fails is repeated, because a brain may be starting, or an
 * older one respond. Null: the job cannot be read any more.
 */
export const followJob = async <Job>(
  created: Job,
  { isActive, pauseMillis, read, show }: {
    readonly isActive: (job: Job) => boolean
    readonly pauseMillis: number
    readonly read: () => Promise<Job>
    readonly show: (job: Job) => void
  }
): Promise<Job | null> => {
  let job = created
  let refusals = 0
  while (isActive(job)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    try {
      job = await read()
      refusals = 0
      show(job)
    } catch (error) {
      refusals = isRefusal(error) ? refusals + 1 : 0
      if (refusals === maxRefusals) return null
    }
  }
  return job
}
