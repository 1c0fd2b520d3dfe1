import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery } from "../session/session.ts"
import { projectsQuery } from "../shell/projects.ts"
import { fieldText, SelectField, TextAreaField, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { parseLines } from "../ui/lines.ts"
import { keysQuery, scopesQuery } from "./keys.ts"
import { ScopeFields } from "./ScopeFields.tsx"

const lifetimes = ["30", "90", "365"] as const

/** Asks for everything about a new key. The response has the token, which is shown once. */
export const CreateKeyForm = ({ onClose, onCreated }: {
  readonly onCreated: (key: Schemas["CreatedApiKey"]) => void
  readonly onClose: () => void
}) => {
  const { apiKeys: texts, forms, people } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data: known } = useQuery(scopesQuery)
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const scopes = known?.scopes.filter((scope) => me?.is_admin === true || !known.admin_only.includes(scope)) ?? []
  return (
    <FormDialog
      title={texts.create}
      submit={forms.create}
      size="large"
      onClose={onClose}
      onSubmit={async (form) => {
        const allowed_cidrs = parseLines(fieldText(form, "addresses"))
        const [project, days] = [fieldText(form, "project"), fieldText(form, "days")]
        onCreated(
          await unwrap(api.POST("/api/v1/api-keys", {
            body: {
              name: fieldText(form, "name"),
              scopes: [...chosen],
              project_id: project === "" ? null : project,
              expires_in_days: days === "" ? null : Number(days),
              allowed_cidrs
            }
          }))
        )
        await queries.invalidateQueries(keysQuery)
      }}
    >
      <div className="grid gap-4 md:grid-cols-3">
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          name="name"
          maxLength={200}
          autoComplete="off"
          data-autofocus
        />
        <SelectField<string>
          label={texts.project}
          hint={texts.projectHint}
          name="project"
          initial=""
          choices={{ "": texts.allProjects, ...Object.fromEntries(projects.map(({ id, name }) => [id, name])) }}
        />
        <SelectField<string>
          label={texts.lifetime}
          name="days"
          initial="90"
          choices={{
            ...Object.fromEntries(lifetimes.map((days) => [days, people.days(format.count(Number(days)))])),
            "": texts.forEver
          }}
        />
      </div>
      <ScopeFields presets={known?.presets ?? []} scopes={scopes} chosen={chosen} onChoose={choose} />
      <TextAreaField
        label={`${texts.addresses} (${forms.optional})`}
        hint={texts.addressesHint}
        name="addresses"
        rows={2}
      />
    </FormDialog>
  )
}
