import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { WallLink } from "../shell/WallLink.tsx"
import { Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { DemoGuide } from "./DemoGuide.tsx"
import { FailingGroups, FailingNames } from "./Failing.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import { GroupChart } from "./GroupChart.tsx"
import { OverviewWall } from "./OverviewWall.tsx"
import { ProjectAttention } from "./ProjectAttention.tsx"
import { useTrends } from "./queries.ts"
import { QueueDepths } from "./QueueDepths.tsx"
import { TrendCharts } from "./TrendCharts.tsx"
import { useFirstSteps } from "./useFirstSteps.ts"
import { useProjectAttention } from "./useProjectAttention.ts"
import { WindowFigures } from "./WindowFigures.tsx"
import type { OverviewSearch, OverviewWindow } from "./windows.ts"
import { CompareToggle, WindowSelect } from "./WindowSelect.tsx"

/**
 * A project at a glance: what needs attention, what ended, how long it took, what fails and what waits. The list of what
 * needs attention may have any height, so nothing is shown below it before it is read; the other parts have their
 * height from the start. A project without a task has first steps in their place.
 */
const Overview = ({ compare, slug, window }: {
  readonly slug: string
  readonly window: OverviewWindow
  /** With the week before. */
  readonly compare: boolean
}) => {
  const { overview: texts } = useTexts()
  const navigate = useNavigate()
  const { changes, past, trends } = useTrends(slug, window, compare)
  const show = (search: OverviewSearch) =>
    void navigate({ to: "/projects/$slug", params: { slug }, search: (known) => ({ ...known, ...search }) })
  const attention = useProjectAttention(slug)
  const firstSteps = useFirstSteps(slug)
  const isReading = attention.isReading || firstSteps.isReading
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pb-6">
      <PageHeader title={texts.title}>
        {!firstSteps.isEmpty && (
          <>
            <WindowSelect window={window} onChoose={(window) => show({ window })} />
            <CompareToggle isOn={compare} onToggle={(isOn) => show({ compare: isOn ? true : undefined })} />
            <WallLink />
          </>
        )}
      </PageHeader>
      {isReading && <Loading />}
      <div hidden={isReading} className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <DemoGuide slug={slug} />
        {firstSteps.steps.length > 0 && (
          <FirstSteps slug={slug} steps={firstSteps.steps} onDismiss={firstSteps.dismiss} />
        )}
        <ProjectAttention attention={attention} />
        {!firstSteps.isEmpty && (
          <>
            <WindowFigures slug={slug} window={window} changes={changes} />
            <TrendCharts trends={trends} past={past} slug={slug} />
            <GroupChart slug={slug} window={window} />
            <div className="grid gap-x-0 gap-y-2 lg:grid-cols-2">
              <FailingNames slug={slug} window={window} />
              <FailingGroups slug={slug} window={window} />
              <QueueDepths slug={slug} />
            </div>
          </>
        )}
      </div>
    </div>
  )
}

export const OverviewPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/" })
  const { compare = false, wall, window = "24h" } = useSearch({ from: "/signed-in/projects/$slug/" })
  return wall === 1
    ? <OverviewWall slug={slug} window={window} />
    : <Overview slug={slug} window={window} compare={compare} />
}
