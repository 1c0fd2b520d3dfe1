import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { type BulkRetry, itemShapes, outcomeShapes, phaseOf, shapeOf } from "./bulkRetry.ts"
import { type ItemStatus, itemStatuses, type TaskOutcome, taskOutcomes } from "./search.ts"

/** The phase of a request as shape and word, and how many of its tasks failed again. */
export const PhaseMark = ({ request }: { readonly request: BulkRetry }) => {
  const { bulkRetries: texts } = useTexts()
  const format = useFormat()
  const failed = request.outcomes?.failed ?? 0
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <StateShape state={shapeOf(request)} />
      <span className="whitespace-nowrap">{texts.phases[phaseOf(request)]}</span>
      {failed > 0 && <span className="whitespace-nowrap text-failure">{texts.failedAgain(format.count(failed))}</span>}
    </span>
  )
}

/** Of tasks by how far they are; green is left to what became of them. */
const statusFills: Readonly<Record<ItemStatus, string>> = {
  succeeded: "bg-running",
  failed: "bg-failure striped",
  unknown: "bg-retry dotted",
  unobserved: "bg-stopped",
  claimed: "bg-running barred",
  pending: "bg-press"
}

const outcomeFills: Readonly<Record<TaskOutcome, string>> = {
  succeeded: "bg-success",
  failed: "bg-failure striped",
  cancelled: "bg-stopped",
  unknown: "bg-retry dotted",
  waiting: "bg-running barred"
}

interface Part {
  readonly fill: string
  readonly count: number
}

const Bar = ({ ended, label, parts, total }: {
  readonly label: string
  readonly total: number
  readonly ended: number
  readonly parts: ReadonlyArray<Part>
}) => {
  const { bulkRetries: texts } = useTexts()
  const format = useFormat()
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
      aria-valuetext={texts.ofTotal(format.number(ended), format.number(total))}
      className="flex h-2 min-w-20 gap-px overflow-hidden rounded-small bg-press"
    >
      {parts.filter(({ count }) => count > 0).map(({ count, fill }) => (
        <span key={fill} className={fill} style={{ flexGrow: count, flexBasis: 0 }} />
      ))}
    </div>
  )
}

/** How many tasks of a request were retried or left out. */
export const ProgressBar = ({ counts }: { readonly counts: BulkRetry["counts"] }) => {
  const { bulkRetries: texts } = useTexts()
  return (
    <Bar
      label={texts.progress}
      total={counts.total}
      ended={counts.total - counts.pending - counts.claimed}
      parts={itemStatuses.map((status) => ({ fill: statusFills[status], count: counts[status] }))}
    />
  )
}

/** What became of the retried tasks. */
export const OutcomeBar = ({ outcomes, retried }: {
  readonly outcomes: NonNullable<BulkRetry["outcomes"]>
  /** The number of retried tasks. */
  readonly retried: number
}) => {
  const { bulkRetries: texts } = useTexts()
  return (
    <Bar
      label={texts.outcomeTitle}
      total={retried}
      ended={retried - outcomes.waiting}
      parts={taskOutcomes.map((outcome) => ({ fill: outcomeFills[outcome], count: outcomes[outcome] }))}
    />
  )
}

const CountList = <A extends string>({ counts, hints, names, order, shapes }: {
  readonly order: ReadonlyArray<A>
  readonly counts: Readonly<Record<A, number>>
  readonly names: Readonly<Record<A, string>>
  readonly hints: Readonly<Record<A, string>>
  readonly shapes: Readonly<Record<A, Parameters<typeof StateShape>[0]["state"]>>
}) => {
  const format = useFormat()
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(128px,1fr))] gap-3">
      {order.map((key) => (
        <div key={key} className="grid gap-0.5" title={hints[key]}>
          <dt className="flex items-center gap-2 text-small text-soft">
            <StateShape state={shapes[key]} />
            {names[key]}
          </dt>
          <dd className="figures text-large font-semibold">{format.number(counts[key])}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The counts of a request below its bar. */
export const Counts = ({ counts }: { readonly counts: BulkRetry["counts"] }) => {
  const { bulkRetries: texts } = useTexts()
  return (
    <CountList
      order={itemStatuses}
      counts={counts}
      names={texts.counts}
      hints={texts.countHints}
      shapes={itemShapes}
    />
  )
}

/** The outcomes of the retried tasks below their bar. */
export const OutcomeCounts = ({ outcomes }: { readonly outcomes: NonNullable<BulkRetry["outcomes"]> }) => {
  const { bulkRetries: texts } = useTexts()
  return (
    <CountList
      order={taskOutcomes}
      counts={outcomes}
      names={texts.outcomes}
      hints={texts.outcomeHints}
      shapes={outcomeShapes}
    />
  )
}
