import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Cadence, previewQuery } from "./queries.ts"
import { TickTable } from "./TickTable.tsx"

const tickCount = 5
/** While a person types, each letter would be a request. */
const pauseMillis = 300

const usePaused = (cadence: Cadence): Cadence => {
  const [paused, setPaused] = useState(cadence)
  const { expression, from, jitter_seconds, kind, timezone } = cadence
  useEffect(() => {
    const timer = setTimeout(() => setPaused({ expression, from, jitter_seconds, kind, timezone }), pauseMillis)
    return () => clearTimeout(timer)
  }, [expression, from, jitter_seconds, kind, timezone])
  return paused
}

/** The preview of a cadence that a person types, and which one it is of. */
export const usePreview = (slug: string, cadence: Cadence) => {
  const shown = usePaused(cadence)
  return { shown, preview: useQuery({ ...previewQuery(slug, shown, tickCount), retry: false }) }
}

/** What a cadence would do before it is saved: in words, with its next ticks, or what is wrong with it. */
export const PreviewPanel = ({ preview, shown }: ReturnType<typeof usePreview>) => {
  const { schedules: { form: texts, page } } = useTexts()
  const ticks = preview.data?.ticks ?? []
  return (
    <section aria-label={texts.preview} aria-live="polite" className="rounded-base border border-line">
      <p className="border-b border-line px-4 py-2 font-medium">{texts.preview}</p>
      {shown.expression.trim() === ""
        ? <p className="px-4 py-3 text-soft">{texts.previewHint}</p>
        : preview.isError
        ? (
          <div className="px-4 py-3">
            <Problem error={preview.error} />
          </div>
        )
        : preview.data !== undefined && (
          <>
            <p className="px-4 py-3">{preview.data.summary}</p>
            {ticks.length === 0
              ? <p className="px-4 pb-3 text-soft">{page.noTicks}</p>
              : (
                <TickTable
                  isNarrow
                  label={texts.preview}
                  ticks={ticks}
                  nextDst={preview.data.next_dst}
                  zone={shown.timezone}
                />
              )}
          </>
        )}
    </section>
  )
}
