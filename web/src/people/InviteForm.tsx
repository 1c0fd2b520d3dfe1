import { useQueryClient } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fieldText, SelectField, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { RadioField } from "../ui/RadioField.tsx"
import { invitationsQuery, roleOf } from "./members.ts"

const days = ["3", "7", "14", "30"] as const

/** Asks who is invited with which role. The response has the link, which is shown once. */
export const InviteForm = ({ onClose, onInvited, slug }: {
  readonly slug: string
  readonly onInvited: (created: Schemas["CreatedInvitation"]) => void
  readonly onClose: () => void
}) => {
  const { people: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.inviteTitle}
      submit={texts.invite}
      onClose={onClose}
      onSubmit={async (form) => {
        onInvited(
          await unwrap(api.POST("/api/v1/projects/{slug}/invitations", {
            params: { path: { slug } },
            body: { email: fieldText(form, "email"), role: roleOf(form), ttl_days: Number(form.get("days")) }
          }))
        )
        await queries.invalidateQueries(invitationsQuery(slug))
      }}
    >
      <TextField
        label={texts.email}
        name="email"
        type="email"
        autoComplete="off"
        hint={texts.emailHint}
        data-autofocus
      />
      <RadioField label={texts.role} name="role" choices={texts.roles} hints={texts.roleHints} initial="viewer" />
      <SelectField<string>
        label={texts.validFor}
        name="days"
        initial="7"
        choices={Object.fromEntries(days.map((count) => [count, texts.days(format.count(Number(count)))]))}
      />
    </FormDialog>
  )
}
