import { createContext, useContext } from "react"

export type Prove = <A>(action: () => Promise<A>) => Promise<A>

export const ProofContext = createContext<Prove>((action) => action())

/** Runs an action; where the API requires the password or a code again (docs/mfa.md, Step-up), asks for it and runs it again. */
export const useProof = (): Prove => useContext(ProofContext)
