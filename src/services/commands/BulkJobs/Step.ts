/** What a step of a job did. */
export interface Step {
  /** Tasks and outcomes that it moved; 0: it waits for agents or outcomes. */
  readonly moved: number
  /** Commands without an outcome. */
  readonly openCommands: number
  /** Milliseconds until the job's rate allows the next command. */
  readonly untilNext?: number
}

/** The job has ended, or is gone. */
export const noStep: Step = { moved: 0, openCommands: 0 }
