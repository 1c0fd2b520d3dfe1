/**
 * The breaker of a rule (interface, Automation rule circuit breaker). While fewer than `max_executions_per_window`
 * executions are inside the window, an attempt executes, and a tripped breaker is armed again. Otherwise the breaker is
 * tripped, and the attempt is degraded: the rule only notifies.
 */
export interface Breaker {
  readonly is_tripped: boolean
  /** Executions inside the window. Degraded attempts do not count, else a storm would hold the breaker for ever. */
  readonly executions: number
}

export interface Admission {
  readonly is_admitted: boolean
  readonly breaker: Breaker
}

/** One attempt to execute. */
export const attemptExecution = ({ executions }: Breaker, max: number): Admission =>
  executions < max
    ? { is_admitted: true, breaker: { is_tripped: false, executions: executions + 1 } }
    : { is_admitted: false, breaker: { is_tripped: true, executions } }
