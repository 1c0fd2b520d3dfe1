import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { homeQuery } from "../overview/queries.ts"
import { slugPattern } from "../projectSettings/GeneralForm.tsx"
import { projectsQuery } from "../shell/projects.ts"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ZoneField } from "../ui/ZoneField.tsx"

const slugOf = (name: string) =>
  name.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "").slice(0, 63)

/** Asks for a new project and opens it. The slug follows the name until the person types another one. */
export const CreateProjectForm = ({ onClose }: { readonly onClose: () => void }) => {
  const { forms, projectSettings: texts } = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState("")
  const [typedSlug, setTypedSlug] = useState<string | null>(null)
  return (
    <FormDialog
      title={texts.create}
      submit={forms.create}
      onClose={onClose}
      onSubmit={async (form) => {
        const project = await unwrap(api.POST("/api/v1/projects", {
          body: {
            name: fieldText(form, "name"),
            slug: fieldText(form, "slug"),
            environment: fieldText(form, "environment"),
            timezone: fieldText(form, "timezone")
          }
        }))
        await Promise.all([queries.invalidateQueries(projectsQuery), queries.invalidateQueries(homeQuery)])
        await navigate({ to: "/projects/$slug", params: { slug: project.slug } })
      }}
    >
      <TextField
        label={texts.name}
        name="name"
        maxLength={200}
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
        data-autofocus
      />
      <TextField
        label={texts.slug}
        hint={texts.newSlugHint}
        name="slug"
        value={typedSlug ?? slugOf(name)}
        onChange={({ target }) => setTypedSlug(target.value)}
        pattern={slugPattern}
        minLength={2}
        maxLength={63}
        autoComplete="off"
        className="font-mono"
      />
      <TextField
        label={texts.environment}
        hint={texts.environmentHint}
        name="environment"
        defaultValue="production"
        maxLength={40}
        required={false}
        autoComplete="off"
      />
      <ZoneField
        label={texts.zone}
        hint={texts.zoneHint}
        name="timezone"
        initial={Intl.DateTimeFormat().resolvedOptions().timeZone}
      />
    </FormDialog>
  )
}
