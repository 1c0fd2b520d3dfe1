/** The names of the tasks that the client reports in turn. */
export const taskNames = [
  "shop.checkout",
  "shop.mail",
  "shop.invoice",
  "shop.stock",
  "shop.report",
  "billing.charge",
  "billing.refund"
]

/** What the ingest bench asks of its client process as its argument. */
export interface Job {
  readonly url: string
  readonly agents: ReadonlyArray<{ readonly agentId: string; readonly token: string; readonly hmacSecret: string }>
  readonly tasks: number
  /** Tasks sent before the clock starts, so that the figures are those of a brain that has been running. */
  readonly warmUpTasks: number
  readonly eventsPerFrame: number
  /** Frames sent and not acknowledged yet, of each agent. */
  readonly inFlight: number
  /** Events a second over all agents; null sends as fast as the acknowledgements allow. */
  readonly rate: number | null
}

/** What the client prints at the end, as JSON; before it, a line `begun` when the clock starts. */
export interface Outcome {
  readonly events: number
  readonly seconds: number
  readonly eventsPerSecond: number
  readonly ackP50: number
  readonly ackP99: number
}
