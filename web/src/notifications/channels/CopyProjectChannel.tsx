import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, unwrap } from "../../api/client.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { meQuery } from "../../session/session.ts"
import { lastProjectOf } from "../../shell/lastProject.ts"
import { projectsQuery } from "../../shell/projects.ts"
import { Button } from "../../ui/Button.tsx"
import { fieldText, SelectField, TextField } from "../../ui/Fields.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { channelsOfProject, ownChannels } from "./channelOwner.ts"
import { useChannels } from "./ChannelsPart.tsx"

/** The projects whose channels the person may copy: the copy has the secrets, so admins only. */
const useAdminProjects = () => {
  const { data: me } = useQuery(meQuery)
  const { data: projects = [] } = useQuery(projectsQuery)
  return projects.filter(({ slug }) =>
    me?.is_admin || me?.memberships.some(({ project_slug, role }) => project_slug === slug && role === "admin")
  )
}

const CopyDialog = ({ onClose, projects }: {
  readonly projects: ReturnType<typeof useAdminProjects>
  readonly onClose: () => void
}) => {
  const { channels: texts, forms } = useTexts()
  const queries = useQueryClient()
  const [slug, setSlug] = useState(lastProjectOf(projects, ({ slug }) => slug)?.slug ?? "")
  const { data: channels } = useChannels(channelsOfProject(slug))
  const copy = async (form: FormData) => {
    const name = fieldText(form, "channel name")
    await unwrap(api.POST("/api/v1/user/channels/import_from_project", {
      body: { project_slug: slug, channel_id: fieldText(form, "source"), ...(name !== "" && { name }) }
    }))
    await queries.invalidateQueries({ queryKey: ownChannels.key })
  }
  return (
    <FormDialog title={texts.copyFromProject} submit={texts.copy} onSubmit={copy} onClose={onClose}>
      <p className="text-soft">{texts.copyOwnHint}</p>
      <SelectField
        label={texts.sourceProject}
        value={slug}
        choices={Object.fromEntries(projects.map((project) => [project.slug, project.name]))}
        onChoose={setSlug}
      />
      {channels !== undefined && channels.length === 0
        ? <p>{texts.projectHasNone}</p>
        : (
          <SelectField
            label={texts.source}
            name="source"
            choices={Object.fromEntries((channels ?? []).map(({ id, name }) => [id, name]))}
          />
        )}
      <TextField
        label={`${texts.copyName} (${forms.optional})`}
        name="channel name"
        required={false}
        maxLength={200}
      />
    </FormDialog>
  )
}

/** Copies a channel of a project, with its secrets, to the person's own ones. */
export const CopyProjectChannel = () => {
  const { channels: texts } = useTexts()
  const projects = useAdminProjects()
  const [isOpen, setOpen] = useState(false)
  if (projects.length === 0) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.copyFromProject}</Button>
      {isOpen && <CopyDialog projects={projects} onClose={() => setOpen(false)} />}
    </>
  )
}
