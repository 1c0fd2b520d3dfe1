import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react"
import { api, ApiError, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { Problem } from "../ui/Problem.tsx"

type By = "code" | "password"

type Prove = <A>(action: () => Promise<A>) => Promise<A>

const StepUpContext = createContext<Prove>((action) => action())

/** Runs an action; where the API requires the password or a code again (docs/mfa.md, Step-up), asks for it and runs it again. */
export const useProof = (): Prove => useContext(StepUpContext)

const sendProof = (by: By, proof: string) =>
  by === "code"
    ? unwrap(api.POST("/api/v1/auth/mfa/verify", { body: { code: proof, remember_device: false } }))
    : unwrap(api.POST("/api/v1/auth/reauthenticate", { body: { password: proof } }))

const ProofDialog = ({ by, onClose, onProved }: {
  readonly by: By
  readonly onProved: () => void
  readonly onClose: () => void
}) => {
  const texts = useTexts()
  const [failure, setFailure] = useState<unknown>(null)
  const send = async (form: FormData, close: () => void) => {
    setFailure(null)
    try {
      await sendProof(by, fieldText(form, "proof"))
      onProved()
      close()
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <Dialog title={texts.stepUp.title} onClose={onClose}>
      {(close) => (
        <form
          className="mt-3 grid gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            void send(new FormData(event.currentTarget), close)
          }}
        >
          <p className="text-soft">{texts.stepUp.hint}</p>
          {by === "code"
            ? (
              <TextField
                label={texts.session.code}
                name="proof"
                autoComplete="one-time-code"
                maxLength={40}
                data-autofocus
              />
            )
            : (
              <TextField
                label={texts.session.password}
                name="proof"
                type="password"
                autoComplete="current-password"
                data-autofocus
              />
            )}
          {failure !== null && <Problem error={failure} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>{texts.cancel}</Button>
            <Button type="submit" variant="primary">{texts.session.verify}</Button>
          </div>
        </form>
      )}
    </Dialog>
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
    <StepUpContext value={prove}>
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
    </StepUpContext>
  )
}
