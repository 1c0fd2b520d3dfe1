import { base, type Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"

export type ExportJob = Schemas["ExportJob"]

export const exportFormats = ["csv", "json", "xlsx"] as const

export const isActive = ({ status }: Pick<ExportJob, "status">): boolean => status === "pending" || status === "running"

/** How far a job is, in words. */
export const useProgressText = () => {
  const { exportJobs: texts } = useTexts()
  const format = useFormat()
  const rows = ({ row_count, total_rows }: ExportJob): string => {
    const written = format.number(row_count ?? 0)
    return total_rows === null || total_rows === row_count ? written : texts.ofTotal(written, format.number(total_rows))
  }
  const size = ({ size_bytes }: ExportJob): string => texts.bytes(format.number(Math.ceil((size_bytes ?? 0) / 1024)))
  return { rows, size, both: (job: ExportJob): string => texts.progress(rows(job), size(job)) }
}

/** Lets the browser save the file of a completed job. */
export const download = (location: string): void => {
  const link = document.createElement("a")
  link.href = `${base}${location}`
  link.download = ""
  link.click()
}
