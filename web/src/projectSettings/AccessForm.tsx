import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { roleOf } from "../people/members.ts"
import { fieldText, SelectField, TextAreaField } from "../ui/Fields.tsx"
import { InlineForm } from "../ui/InlineForm.tsx"
import { parseLines } from "../ui/lines.ts"
import { useProjectChange } from "./project.ts"

/** From where people reach the project, and who of them sees what tasks carry. */
export const AccessForm = ({ project }: { readonly project: Schemas["Project"] }) => {
  const { projectSettings: texts } = useTexts()
  const change = useProjectChange(project.slug)
  return (
    <InlineForm
      onSubmit={(form) =>
        change({ payload_role: roleOf(form), allowed_cidrs: parseLines(fieldText(form, "addresses")) })}
    >
      <SelectField
        label={texts.payloadRole}
        hint={texts.payloadRoleHint}
        name="role"
        initial={project.payload_role}
        choices={texts.payloadRoles}
      />
      <TextAreaField
        label={texts.addresses}
        hint={texts.addressesHint}
        name="addresses"
        defaultValue={project.allowed_cidrs?.join("\n")}
      />
    </InlineForm>
  )
}
