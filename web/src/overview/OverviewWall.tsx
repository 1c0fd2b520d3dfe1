import { useTexts } from "../i18n/Language.tsx"
import { Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { FailingGroups } from "./Failing.tsx"
import { ProjectAttention } from "./ProjectAttention.tsx"
import { useTrends } from "./queries.ts"
import { QueueDepths } from "./QueueDepths.tsx"
import { TrendCharts } from "./TrendCharts.tsx"
import { useProjectAttention } from "./useProjectAttention.ts"
import { WindowFigures } from "./WindowFigures.tsx"
import type { OverviewWindow } from "./windows.ts"

/** Rows of each list that 1080 pixels have room for; 720 have room for 4. */
const shownRows = 6

/** The overview for a screen on a wall: what fits one screen, without what a person chooses or dismisses. */
export const OverviewWall = ({ slug, window }: { readonly slug: string; readonly window: OverviewWindow }) => {
  const { overview: texts } = useTexts()
  const attention = useProjectAttention(slug)
  const { trends } = useTrends(slug, window, false)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:h-full lg:grid-rows-[auto_auto_minmax(0,1fr)]">
      <PageHeader title={texts.title}>
        <span className="text-large text-soft">{texts.windows[window]}</span>
      </PageHeader>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <WindowFigures slug={slug} window={window} changes={null} />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-y-4 pb-4 lg:min-h-0 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] lg:grid-rows-[minmax(0,1fr)]">
        {attention.isReading ? <Loading /> : <ProjectAttention attention={attention} isClipped />}
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 lg:min-h-0 lg:overflow-hidden">
          <TrendCharts trends={trends} slug={slug} isShort />
          <div className="grid grid-cols-[minmax(0,1fr)] lg:grid-cols-2 lg:max-[1600px]:[&_tr:nth-child(n+5)]:hidden">
            <QueueDepths slug={slug} most={shownRows} />
            <FailingGroups slug={slug} window={window} most={shownRows} />
          </div>
        </div>
      </div>
    </div>
  )
}
