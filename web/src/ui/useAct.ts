import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProof } from "../session/StepUp.tsx"
import { useErrorText } from "./Notices.tsx"
import { useToast } from "./Toasts.tsx"

/**
 * A change that one click makes. It asks for a fresh proof where the API wants one, says why it was refused, and reads
 * again what begins with the key.
 */
export const useAct = <A = void>(key: ReadonlyArray<unknown>, act: (input: A) => Promise<unknown>) => {
  const texts = useTexts()
  const errorText = useErrorText()
  const prove = useProof()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: (input: A) => prove(() => act(input)),
    onError: (error) => {
      const isHeld = error instanceof ApiError && error.code === "approval_required"
      toast.show({
        title: isHeld ? texts.forms.held : texts.error.actionTitle,
        text: errorText(error),
        tone: isHeld ? "plain" : "bad"
      })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key })
  })
}
