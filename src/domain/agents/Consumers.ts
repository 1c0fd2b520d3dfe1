/** The queues of a worker that is known; none: its engine does not report which queues it takes from. */
export interface ConsumerFact {
  readonly isOnline: boolean
  readonly queues: ReadonlyArray<string>
}

/**
 * Whether no worker takes from the queue, as far as the workers of its engine prove it: every online worker lists its
 * queues, and none lists this one; or none is online, and one that was did list it (docs/why.md, `no_consumer`).
 */
export const isUnconsumed = (queue: string, workers: ReadonlyArray<ConsumerFact>): boolean => {
  const online = workers.filter(({ isOnline }) => isOnline)
  return online.length > 0
    ? online.every(({ queues }) => queues.length > 0 && !queues.includes(queue))
    : workers.some(({ queues }) => queues.includes(queue))
}
