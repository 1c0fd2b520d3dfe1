import { useQueryClient } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery } from "../session/session.ts"
import { CheckField, fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ZoneField } from "../ui/ZoneField.tsx"

type User = Schemas["UserDetail"]

interface UserDialog {
  readonly user: User
  readonly onClose: () => void
}

export const usersKey = ["users"]

export const nameOf = ({ display_name, email }: User) => display_name ?? email

const useChanged = () => {
  const queries = useQueryClient()
  return () => Promise.all([queries.invalidateQueries({ queryKey: usersKey }), queries.invalidateQueries(meQuery)])
}

/** Passwords are sent as typed: spaces belong to them. */
const passwordIn = (form: FormData) => String(form.get("password") ?? "")

const PasswordField = ({ autoFocus = false }: { readonly autoFocus?: boolean }) => {
  const { users: texts } = useTexts()
  return (
    <TextField
      label={texts.password}
      hint={texts.passwordHint}
      name="password"
      type="password"
      minLength={12}
      autoComplete="new-password"
      {...(autoFocus && { "data-autofocus": true })}
    />
  )
}

/** Asks for a new account with its first password. */
export const CreateUserForm = ({ onClose }: { readonly onClose: () => void }) => {
  const { account, forms, people, users: texts } = useTexts()
  const changed = useChanged()
  return (
    <FormDialog
      title={texts.create}
      submit={forms.create}
      onClose={onClose}
      onSubmit={async (form) => {
        const display_name = fieldText(form, "name")
        await unwrap(api.POST("/api/v1/users", {
          body: {
            email: fieldText(form, "email"),
            display_name: display_name === "" ? null : display_name,
            password: passwordIn(form),
            is_admin: form.get("admin") !== null
          }
        }))
        await changed()
      }}
    >
      <p className="text-soft">{texts.createHint}</p>
      <TextField label={people.email} name="email" type="email" autoComplete="off" data-autofocus />
      <TextField
        label={account.displayName}
        name="name"
        required={false}
        maxLength={200}
        autoComplete="off"
      />
      <PasswordField />
      <CheckField name="admin" label={account.globalAdmin} hint={texts.adminHint} />
    </FormDialog>
  )
}

/** Changes the names of an account, whether it is a global admin, and whether it works. */
export const EditUserForm = ({ onClose, user }: UserDialog) => {
  const { account, forms, users: texts } = useTexts()
  const changed = useChanged()
  return (
    <FormDialog
      title={nameOf(user)}
      submit={forms.save}
      onClose={onClose}
      onSubmit={async (form) => {
        await unwrap(api.PATCH("/api/v1/users/{user_id}", {
          params: { path: { user_id: user.id } },
          body: {
            display_name: fieldText(form, "name"),
            timezone: fieldText(form, "timezone"),
            is_admin: form.get("admin") !== null,
            is_active: form.get("active") !== null
          }
        }))
        await changed()
      }}
    >
      <TextField
        label={account.displayName}
        name="name"
        defaultValue={user.display_name ?? ""}
        required={false}
        maxLength={200}
        autoComplete="off"
        data-autofocus
      />
      <ZoneField label={account.zone} name="timezone" initial={user.timezone} />
      <CheckField name="active" label={texts.active} hint={texts.activeHint} defaultChecked={user.is_active} />
      <CheckField
        name="admin"
        label={account.globalAdmin}
        hint={texts.adminHint}
        defaultChecked={user.is_admin}
      />
    </FormDialog>
  )
}

/** Sets another password for an account. */
export const PasswordOfUserForm = ({ onClose, user }: UserDialog) => {
  const { users: texts } = useTexts()
  return (
    <FormDialog
      title={texts.passwordOf(nameOf(user))}
      submit={texts.setPassword}
      onClose={onClose}
      onSubmit={(form) =>
        unwrap(api.POST("/api/v1/users/{user_id}/password", {
          params: { path: { user_id: user.id } },
          body: { new_password: passwordIn(form) }
        }))}
    >
      <p className="text-soft">{texts.setPasswordHint}</p>
      <PasswordField autoFocus />
    </FormDialog>
  )
}

export const DeleteUserQuestion = ({ onClose, user }: UserDialog) => {
  const { users: texts } = useTexts()
  const changed = useChanged()
  return (
    <FormDialog
      title={texts.deleteTitle(nameOf(user))}
      submit={texts.delete}
      variant="danger"
      phrase={user.email}
      onClose={onClose}
      onSubmit={async () => {
        await unwrap(api.DELETE("/api/v1/users/{user_id}", { params: { path: { user_id: user.id } } }))
        await changed()
      }}
    >
      <p className="text-soft">{texts.deleteHint}</p>
    </FormDialog>
  )
}
