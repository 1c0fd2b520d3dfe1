import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { AttentionList } from "../attention/AttentionList.tsx"
import { lazyDialog } from "../code/lazyComponent.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { homeQuery } from "../overview/queries.ts"
import { meQuery } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { ProjectTable } from "./ProjectTable.tsx"
import { RecentFailures } from "./RecentFailures.tsx"
import { TasksOverTime } from "./TasksOverTime.tsx"
import { Totals } from "./Totals.tsx"

const CreateProjectForm = lazyDialog(async () => (await import("./CreateProjectForm.tsx")).CreateProjectForm)

const refetchMillis = 15_000

/** Every project that the person sees, what of them needs attention, their tasks over time, and what failed last. */
export const HomePage = () => {
  const { activity, home: texts, projectSettings } = useTexts()
  const { data: me } = useQuery(meQuery)
  const [isCreating, setCreating] = useState(false)
  const refetchInterval = useRefetchInterval(refetchMillis)
  const home = useQuery({ ...homeQuery, refetchInterval })
  return (
    <>
      <PageHeader title={texts.title}>
        <TextLink to="/activity" className="ml-auto text-soft hover:text-ink">
          {activity.ofAll}
        </TextLink>
        {me?.is_admin === true && <Button onClick={() => setCreating(true)}>{projectSettings.create}</Button>}
      </PageHeader>
      {isCreating && <CreateProjectForm onClose={() => setCreating(false)} />}
      <ListFrame
        list={home}
        isEmpty={home.data?.projects.length === 0}
        empty={<EmptyState title={texts.noProjects} hint={texts.noProjectsHint} />}
      >
        <div className="mb-4 grid gap-4">
          <AttentionList items={home.data?.attention ?? []} showProject />
          {home.data !== undefined && <Totals aggregate={home.data.aggregate} />}
        </div>
        <ProjectTable projects={home.data?.projects ?? []} />
        <TasksOverTime />
        <RecentFailures />
      </ListFrame>
    </>
  )
}
