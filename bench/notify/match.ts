import { type Interest, makeMatcher } from "../../src/domain/triggers/Filters.ts"

const subscriptions = 1000
const names = 1000
const rounds = 50

const interests: ReadonlyArray<Interest<number>> = Array.from({ length: subscriptions }, (_, index) => ({
  value: index,
  trigger: "task.failed",
  filters: { task_name: index % 2 === 0 ? `shop.step${index % names}*` : `*.step${index % names}`, queue: "celery" }
}))

const eventOf = (name: string) =>
  ({ trigger: "task.failed", engine: "celery", task_name: name, queue: "celery", priority: "normal" }) as const

/** Microseconds of matching one event against 1 000 subscriptions. */
const microsOf = (nameOf: (index: number) => string): number => {
  const { match } = makeMatcher(interests)
  const events = Array.from({ length: names * rounds }, (_, index) => eventOf(nameOf(index)))
  const begun = performance.now()
  for (const event of events) match(event)
  return Number((((performance.now() - begun) * 1000) / events.length).toFixed(2))
}

/** What matching costs: with names that repeat, as tasks' do, and with names that never do. */
export const measureMatching = () => {
  microsOf((index) => `shop.warm${index}`) // compiled before it is measured
  return {
    subscriptions,
    repeatedNamesMicros: microsOf((index) => `shop.step${index % names}`),
    newNamesMicros: microsOf((index) => `shop.step${index}`)
  }
}
