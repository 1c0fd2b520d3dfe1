import { type FormEvent, useState } from "react"
import { useProof } from "../session/proof.ts"
import { keepUnsaved } from "./unsaved.ts"

type Status =
  | { readonly name: "idle" | "sending" | "done" }
  | { readonly name: "failed"; readonly error: unknown }

/**
 * Sends what a form or a step says: whether it is on its way, done, or why it was refused. Where the API requires the
 * password or a code again, it asks for it and sends again.
 */
export const useSubmit = () => {
  const prove = useProof()
  const [status, setStatus] = useState<Status>({ name: "idle" })
  /** Whether it is done. Input of the form, where there is one, that was not taken is unsaved. */
  const send = async (action: () => Promise<unknown>, form?: HTMLFormElement): Promise<boolean> => {
    setStatus({ name: "sending" })
    try {
      await prove(action)
      setStatus({ name: "done" })
      return true
    } catch (error) {
      if (form !== undefined) keepUnsaved(form, error)
      setStatus({ name: "failed", error })
      return false
    }
  }
  return {
    isBusy: status.name === "sending",
    isDone: status.name === "done",
    /** Null: nothing was refused. */
    failure: status.name === "failed" ? status.error : null,
    send,
    /** The handler of a form. */
    submitWith: (action: (form: FormData) => Promise<unknown>, afterwards?: () => void) =>
    (
      event: FormEvent<HTMLFormElement>
    ) => {
      event.preventDefault()
      const form = event.currentTarget
      const fields = new FormData(form)
      void send(() => action(fields), form).then((isDone) => isDone && afterwards?.())
    },
    reset: () => setStatus({ name: "idle" })
  }
}
