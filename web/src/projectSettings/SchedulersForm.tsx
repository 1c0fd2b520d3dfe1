import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fieldText, TextAreaField, TextField } from "../ui/Fields.tsx"
import { InlineForm } from "../ui/InlineForm.tsx"
import { parseLines } from "../ui/lines.ts"
import { useProjectChange } from "./project.ts"

/** Which schedulers fire the project's schedules. */
export const SchedulersForm = ({ project }: { readonly project: Schemas["Project"] }) => {
  const { projectSettings: texts } = useTexts()
  const change = useProjectChange(project.slug)
  return (
    <InlineForm
      onSubmit={(form) =>
        change({
          default_scheduler_owner: fieldText(form, "owner"),
          allowed_schedulers: parseLines(fieldText(form, "allowed"))
        })}
    >
      <TextField
        label={texts.owner}
        hint={texts.ownerHint}
        name="owner"
        defaultValue={project.default_scheduler_owner}
        maxLength={40}
        autoComplete="off"
        className="font-mono"
      />
      <TextAreaField
        label={texts.allowedSchedulers}
        hint={texts.allowedSchedulersHint}
        name="allowed"
        rows={2}
        defaultValue={project.allowed_schedulers?.join("\n")}
      />
    </InlineForm>
  )
}
