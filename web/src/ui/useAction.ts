import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { useProof } from "../session/proof.ts"
import { approvalIdOf } from "./ApprovalLink.tsx"
import { useProblem } from "./Notices.tsx"
import { useToast } from "./Toasts.tsx"

/**
 * A change that one click makes. It asks for the password or a code where the API requires it again, says why it was
 * refused, and reads again what begins with the key.
 */
export const useAction = <A = void>(key: ReadonlyArray<unknown>, action: (input: A) => Promise<unknown>) => {
  const texts = useTexts()
  const problemOf = useProblem()
  const prove = useProof()
  const queries = useQueryClient()
  const toast = useToast()
  const { slug } = useParams({ strict: false })
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (input: A) => prove(() => action(input)),
    onError: (error) => {
      const approvalId = approvalIdOf(error)
      toast.show({
        title: approvalId === null ? texts.error.actionTitle : texts.forms.awaitsApproval,
        ...problemOf(error),
        tone: approvalId === null ? "bad" : "plain",
        ...(approvalId !== null && slug !== undefined && {
          action: {
            text: texts.approvals.see,
            run: () => void navigate({ to: "/projects/$slug/approvals", params: { slug }, search: { id: approvalId } })
          }
        })
      })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: key })
  })
}
