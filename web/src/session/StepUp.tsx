import { type ReactNode, useCallback, useRef, useState } from "react"
import { ApiError } from "../api/client.ts"
import { lazyDialog } from "../code/lazyComponent.tsx"
import { ProofContext, type Prove } from "./proof.ts"
import type { ProofKind } from "./ProofDialog.tsx"

const ProofDialog = lazyDialog(async () => (await import("./ProofDialog.tsx")).ProofDialog)

export const StepUpProvider = ({ children }: { readonly children: ReactNode }) => {
  const [by, setBy] = useState<ProofKind | null>(null)
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
