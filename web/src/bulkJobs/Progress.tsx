import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { type BulkJob, partsOf } from "./bulkJob.ts"

const fills = {
  succeeded: "bg-success",
  failed: "bg-failure striped",
  unknown: "bg-retry dotted",
  skipped: "bg-stopped",
  pending: "bg-running barred",
  left: "bg-press"
} as const

/** How many tasks of a job are done, by outcome; nothing where their number is not known. */
export const JobProgress = ({ job }: { readonly job: BulkJob }) => {
  const { bulkJobs: texts } = useTexts()
  const format = useFormat()
  if (job.total === null) return null
  const parts = partsOf(job)
  const ended = job.done + job.skipped - parts.pending
  const total = Math.max(job.total, job.done + job.skipped)
  return (
    <div
      role="progressbar"
      aria-label={texts.progress}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={ended}
      aria-valuetext={texts.ofTotal(format.number(ended), format.number(total))}
      className="flex h-2 min-w-20 gap-px overflow-hidden rounded-small bg-press"
    >
      {(["succeeded", "failed", "unknown", "skipped", "pending", "left"] as const).map((part) =>
        parts[part] > 0 && <span key={part} className={fills[part]} style={{ flexGrow: parts[part], flexBasis: 0 }} />
      )}
    </div>
  )
}

/** The counts of a job in words; those of failures only where there are some. */
export const JobCounts = ({ job }: { readonly job: BulkJob }) => {
  const { bulkJobs: texts } = useTexts()
  const format = useFormat()
  const parts = partsOf(job)
  const done = format.number(job.done)
  return (
    <>
      {job.total === null ? done : texts.ofTotal(done, format.number(Math.max(job.total, job.done)))}
      {(["pending", "failed", "unknown", "skipped"] as const).map((part) =>
        parts[part] > 0 && (
          <span key={part} className={`block text-small ${part === "failed" ? "text-failure" : "text-soft"}`}>
            {texts.parts[part](format.count(parts[part]))}
          </span>
        )
      )}
    </>
  )
}
