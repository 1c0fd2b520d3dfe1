import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { type BulkRetry, itemShapes, itemStatuses, type Phase, phaseShapes } from "./bulkRetry.ts"

/** The phase of a request as shape and word. */
export const PhaseMark = ({ phase }: { readonly phase: Phase }) => {
  const { bulkRetries: texts } = useTexts()
  return (
    <span className="inline-flex items-center gap-3 whitespace-nowrap">
      <StateShape state={phaseShapes[phase]} />
      {texts.phases[phase]}
    </span>
  )
}

const fills = {
  succeeded: "bg-success",
  failed: "bg-failure striped",
  unknown: "bg-retry dotted",
  unobserved: "bg-stopped",
  claimed: "bg-running barred",
  pending: "bg-press"
} as const

/** How many tasks of a request have an outcome, by outcome. */
export const ProgressBar = ({ className = "", counts }: {
  readonly counts: BulkRetry["counts"]
  readonly className?: string
}) => {
  const { bulkRetries: texts } = useTexts()
  const format = useFormat()
  const ended = counts.total - counts.pending - counts.claimed
  return (
    <div
      role="progressbar"
      aria-label={texts.progress}
      aria-valuemin={0}
      aria-valuemax={counts.total}
      aria-valuenow={ended}
      aria-valuetext={texts.ofTotal(format.number(ended), format.number(counts.total))}
      className={`flex h-[8px] min-w-[80px] gap-px overflow-hidden rounded-small bg-press ${className}`}
    >
      {itemStatuses.filter((status) => counts[status] > 0).map((status) => (
        <span key={status} className={fills[status]} style={{ flexGrow: counts[status], flexBasis: 0 }} />
      ))}
    </div>
  )
}

/** The counts of a request below its bar. */
export const Counts = ({ counts }: { readonly counts: BulkRetry["counts"] }) => {
  const { bulkRetries: texts } = useTexts()
  const format = useFormat()
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(128px,1fr))] gap-4">
      {itemStatuses.map((status) => (
        <div key={status} className="grid gap-1" title={texts.countHints[status]}>
          <dt className="flex items-center gap-3 text-small text-soft">
            <StateShape state={itemShapes[status]} />
            {texts.counts[status]}
          </dt>
          <dd className="figures text-large font-semibold">{format.number(counts[status])}</dd>
        </div>
      ))}
    </dl>
  )
}
