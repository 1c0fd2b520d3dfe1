import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"

/** A code of the second factor; without one, the password. */
export type ProofKind = "code" | "password"

const sendProof = (by: ProofKind, proof: string) =>
  by === "code"
    ? unwrap(api.POST("/api/v1/auth/mfa/verify", { body: { code: proof, remember_device: false } }))
    : unwrap(api.POST("/api/v1/auth/reauthenticate", { body: { password: proof } }))

/** Asks for the password or a code again. */
export const ProofDialog = ({ by, onClose, onProved }: {
  readonly by: ProofKind
  readonly onProved: () => void
  readonly onClose: () => void
}) => {
  const { session, stepUp: texts } = useTexts()
  return (
    <FormDialog
      title={texts.title}
      submit={session.verify}
      onSubmit={async (form) => {
        await sendProof(by, fieldText(form, "proof"))
        onProved()
      }}
      onClose={onClose}
    >
      <p className="text-soft">{texts.hint}</p>
      {by === "code"
        ? <TextField label={session.code} name="proof" autoComplete="one-time-code" maxLength={40} data-autofocus />
        : (
          <TextField
            label={session.password}
            name="proof"
            type="password"
            autoComplete="current-password"
            data-autofocus
          />
        )}
    </FormDialog>
  )
}
