import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fieldText, TextAreaField, TextField } from "../ui/Fields.tsx"
import { InlineForm } from "../ui/InlineForm.tsx"
import { ZoneField } from "../ui/ZoneField.tsx"
import { useProjectChange } from "./project.ts"

export const slugPattern = "[a-z0-9]([a-z0-9\\-]*[a-z0-9])?"

/** The names of a project, and the zone of its times. */
export const GeneralForm = ({ project }: { readonly project: Schemas["Project"] }) => {
  const { projectSettings: texts } = useTexts()
  const change = useProjectChange(project.slug)
  return (
    <InlineForm
      onSubmit={(form) => {
        const description = fieldText(form, "description")
        return change({
          name: fieldText(form, "name"),
          slug: fieldText(form, "slug"),
          description: description === "" ? null : description,
          environment: fieldText(form, "environment"),
          timezone: fieldText(form, "timezone")
        })
      }}
    >
      <TextField label={texts.name} name="name" defaultValue={project.name} maxLength={200} autoComplete="off" />
      <TextField
        label={texts.slug}
        hint={texts.slugHint}
        name="slug"
        defaultValue={project.slug}
        pattern={slugPattern}
        minLength={2}
        maxLength={63}
        autoComplete="off"
        className="font-mono"
      />
      <TextAreaField
        label={texts.description}
        name="description"
        rows={2}
        defaultValue={project.description ?? ""}
        maxLength={2000}
        className="font-sans"
      />
      <TextField
        label={texts.environment}
        hint={texts.environmentHint}
        name="environment"
        defaultValue={project.environment}
        maxLength={40}
        required={false}
        autoComplete="off"
      />
      <ZoneField label={texts.zone} hint={texts.zoneHint} name="timezone" initial={project.timezone} />
    </InlineForm>
  )
}
