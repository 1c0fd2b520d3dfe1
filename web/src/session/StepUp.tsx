import { type ReactNode, useCallback, useRef, useState } from "react"
import { api, ApiError, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ProofContext, type Prove } from "./proof.ts"

type By = "code" | "password"

const sendProof = (by: By, proof: string) =>
  by === "code"
    ? unwrap(api.POST("/api/v1/auth/mfa/verify", { body: { code: proof, remember_device: false } }))
    : unwrap(api.POST("/api/v1/auth/reauthenticate", { body: { password: proof } }))

const ProofDialog = ({ by, onClose, onProved }: {
  readonly by: By
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

export const StepUpProvider = ({ children }: { readonly children: ReactNode }) => {
  const [by, setBy] = useState<By | null>(null)
  const resolveProof = useRef<(isProved: boolean) => void>(() => {})
  const prove = useCallback<Prove>(async (action) => {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "mfa_reverify_required") throw error
      setBy(error.details.by === "code" ? "code" : "password")
      const isProved = await new Promise<boolean>((resolve) => {
        resolveProof.current = resolve
      })
      if (!isProved) throw error
      return action()
    }
  }, [])
  return (
    <ProofContext value={prove}>
      {children}
      {by !== null && (
        <ProofDialog
          by={by}
          onProved={() => resolveProof.current(true)}
          onClose={() => {
            resolveProof.current(false) // after a proof the promise is resolved already
            setBy(null)
          }}
        />
      )}
    </ProofContext>
  )
}
