import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { useToast } from "../ui/Toasts.tsx"

/** Passwords are sent as typed: spaces belong to them. */
const passwordIn = (form: FormData, name: string) => String(form.get(name) ?? "")

/** Asks for the old and the new password. */
export const PasswordForm = ({ onClose }: { readonly onClose: () => void }) => {
  const { account: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const toast = useToast()
  const { data: policy } = useQuery({
    queryKey: ["password-policy"],
    queryFn: () => unwrap(api.GET("/api/v1/auth/policy")),
    staleTime: Infinity
  })
  return (
    <FormDialog
      title={texts.changePassword}
      submit={texts.changePassword}
      onClose={onClose}
      onSubmit={async (form) => {
        const new_password = passwordIn(form, "new")
        if (new_password !== passwordIn(form, "again")) throw new Error(texts.passwordsDiffer)
        await unwrap(api.POST("/api/v1/auth/change-password", {
          body: { current_password: passwordIn(form, "current"), new_password }
        }))
        toast.show({ title: texts.changePassword, text: texts.passwordChanged, tone: "plain" })
          .replace({ tone: "good" })
        await queries.invalidateQueries()
      }}
    >
      <p className="text-soft">{texts.passwordHint}</p>
      <TextField
        label={texts.currentPassword}
        name="current"
        type="password"
        autoComplete="current-password"
        data-autofocus
      />
      <TextField
        label={texts.newPassword}
        name="new"
        type="password"
        autoComplete="new-password"
        minLength={policy?.min_length}
        {...(policy !== undefined && { hint: texts.passwordRule(format.number(policy.min_length)) })}
      />
      <TextField label={texts.passwordAgain} name="again" type="password" autoComplete="new-password" />
    </FormDialog>
  )
}
