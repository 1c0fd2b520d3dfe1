import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Cadence, previewQuery, type Target } from "./queries.ts"
import { TickTable } from "./TickTable.tsx"

const tickCount = 5
/** While a person types, each letter would be a request. */
const pauseMillis = 300

const usePaused = (typed: Cadence & Target): Cadence & Target => {
  const [paused, setPaused] = useState(typed)
  const { engine, expression, from, jitter_seconds, kind, queue, timezone } = typed
  useEffect(() => {
    const next = { engine, expression, from, jitter_seconds, kind, queue, timezone }
    const timer = setTimeout(() => setPaused(next), pauseMillis)
    return () => clearTimeout(timer)
  }, [engine, expression, from, jitter_seconds, kind, queue, timezone])
  return paused
}

/** The preview of a schedule that a person types, and which one it is of. */
export const usePreview = (slug: string, typed: Cadence & Target) => {
  const shown = usePaused(typed)
  return { shown, preview: useQuery({ ...previewQuery(slug, shown, tickCount), retry: false }) }
}

/** Nothing is there now to run what the schedule submits: a typing error, or an agent that comes later. */
const UnservedNotice = ({ target: { engine, queue }, unserved }: {
  readonly target: Target
  readonly unserved: Schemas["UnservedSchedule"]
}) => {
  const { schedules: { form: texts } } = useTexts()
  const format = useFormat()
  return (
    <p className="px-4 pb-3 text-retry">
      {unserved.what === "engine"
        ? texts.noAgent(engine ?? "", format.duration((unserved.wait_seconds ?? 0) * 1_000))
        : texts.noConsumer(queue ?? "")}
    </p>
  )
}

/** What a schedule would do before it is saved: in words, with its next ticks, or what is wrong with it. */
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
            {preview.data.unserved !== null && !preview.isPlaceholderData && (
              <UnservedNotice target={shown} unserved={preview.data.unserved} />
            )}
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
