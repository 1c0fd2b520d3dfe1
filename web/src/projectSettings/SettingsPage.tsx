import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { homeQuery } from "../overview/queries.ts"
import { useCan } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"
import { projectsQuery } from "../shell/projects.ts"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Panel } from "../ui/Panel.tsx"
import { AccessForm } from "./AccessForm.tsx"
import { ApprovalsForm } from "./ApprovalsForm.tsx"
import { GeneralForm } from "./GeneralForm.tsx"
import { projectQuery } from "./project.ts"
import { SchedulersForm } from "./SchedulersForm.tsx"
import { SearchableTable } from "./SearchableTable.tsx"

const DeleteQuestion = ({ onClose, project }: {
  readonly project: Schemas["Project"]
  readonly onClose: () => void
}) => {
  const { projectSettings: texts } = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <FormDialog
      title={texts.deleteTitle(project.name)}
      submit={texts.delete}
      variant="danger"
      phrase={project.slug}
      onClose={onClose}
      onSubmit={async () => {
        await unwrap(api.DELETE("/api/v1/projects/{slug}", { params: { path: { slug: project.slug } } }))
        await navigate({ to: "/" })
        await Promise.all([queries.invalidateQueries(projectsQuery), queries.invalidateQueries(homeQuery)])
      }}
    >
      <p className="text-soft">{texts.deleteHint}</p>
    </FormDialog>
  )
}

/** What a project's admins can change about it, each with what the change means. */
export const SettingsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/settings" })
  const { projectSettings: texts } = useTexts()
  const isAdmin = useCan(slug, "admin")
  const canOperate = useCan(slug, "operator")
  const { data: me } = useQuery(meQuery)
  const query = useQuery(projectQuery(slug))
  const [isDeleting, setDeleting] = useState(false)
  const project = query.data
  return (
    <>
      <PageHeader title={texts.title} />
      <ListFrame list={query} isEmpty={false} empty={null}>
        {project !== undefined && (
          // a form has its values from its first render
          <div key={project.id} className="mx-4 grid gap-4 pb-6">
            {!isAdmin && <p className="text-soft">{texts.onlyAdmins}</p>}
            <fieldset disabled={!isAdmin} className="grid gap-4">
              <Panel title={texts.general}>
                <GeneralForm project={project} />
              </Panel>
              <Panel title={texts.access}>
                <AccessForm project={project} />
              </Panel>
              <Panel title={texts.approvals}>
                <ApprovalsForm project={project} />
              </Panel>
              <Panel title={texts.schedulers}>
                <SchedulersForm project={project} />
              </Panel>
            </fieldset>
            <Panel title={texts.searchable}>
              <p className="max-w-[72ch] px-4 py-3 text-soft">{texts.searchableHint}</p>
              <SearchableTable slug={slug} canChange={canOperate} />
            </Panel>
            {me?.is_admin === true && (
              <Panel
                title={texts.delete}
                actions={<Button variant="danger" onClick={() => setDeleting(true)}>{texts.delete}</Button>}
              >
                <p className="max-w-[72ch] px-4 py-3 text-soft">{texts.deleteHint}</p>
              </Panel>
            )}
            {isDeleting && <DeleteQuestion project={project} onClose={() => setDeleting(false)} />}
          </div>
        )}
      </ListFrame>
    </>
  )
}
