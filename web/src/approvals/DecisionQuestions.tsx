import { useQueryClient } from "@tanstack/react-query"
import { api, ApiError, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { type Approval, approvalsKey } from "./queries.ts"

interface Props {
  readonly slug: string
  readonly approval: Approval
  readonly onClose: () => void
}

const maxReasonLength = 500

/** Decides, shows what is true then, and says where another person was faster. */
const useDecide = (slug: string, decide: (reason: string | null) => Promise<Approval>) => {
  const { approvals: texts, error } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  return async (reason: string | null) => {
    try {
      return await decide(reason)
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.code !== "approval_decided") throw failure
      toast.show({ title: error.actionTitle, text: texts.notWaiting, tone: "plain" })
      return null
    } finally {
      await queries.invalidateQueries({ queryKey: approvalsKey(slug) })
    }
  }
}

const problemOf = (result: unknown): string =>
  typeof result === "object" && result !== null && "detail" in result ? String(result.detail) : ""

const linkOf = (result: unknown): string | null =>
  typeof result === "object" && result !== null && "accept_url_path" in result ? String(result.accept_url_path) : null

/** Approves, which performs the action at once; the API requires the password or a code again. */
export const ApproveQuestion = ({ approval, onClose, onLink, slug }: Props & {
  /** The link of an approved invitation, which is in this response only. */
  readonly onLink: (path: string) => void
}) => {
  const { approvals: texts } = useTexts()
  const { nameOf } = usePeople(slug)
  const toast = useToast()
  const decide = useDecide(slug, () =>
    unwrap(
      api.POST("/api/v1/projects/{slug}/approvals/{approval_id}/approve", {
        params: { path: { slug, approval_id: approval.id } }
      })
    ))
  return (
    <FormDialog
      title={texts.approveQuestion}
      submit={texts.approve}
      onClose={onClose}
      onSubmit={async () => {
        const decided = await decide(null)
        if (decided === null) return
        const isDone = decided.status === "approved"
        const link = linkOf(decided.result)
        if (link !== null) onLink(link)
        toast.show({ title: isDone ? texts.approved : texts.failed, text: "", tone: "plain" }).replace({
          text: isDone ? approval.summary : problemOf(decided.result),
          tone: isDone ? "good" : "bad"
        })
      }}
    >
      <p className="font-medium">{approval.summary}</p>
      <p className="text-soft">{texts.approveHint(nameOf(approval.requested_by, approval.requested_by_name))}</p>
    </FormDialog>
  )
}

/** Rejects, with a reason for the person who asked. */
export const RejectQuestion = ({ approval, onClose, slug }: Props) => {
  const { approvals: texts, forms } = useTexts()
  const { nameOf } = usePeople(slug)
  const decide = useDecide(slug, (reason) =>
    unwrap(
      api.POST("/api/v1/projects/{slug}/approvals/{approval_id}/reject", {
        params: { path: { slug, approval_id: approval.id } },
        body: { reason }
      })
    ))
  return (
    <FormDialog
      title={texts.rejectQuestion}
      submit={texts.reject}
      onClose={onClose}
      onSubmit={async (form) => {
        const reason = fieldText(form, "reason")
        await decide(reason === "" ? null : reason)
      }}
    >
      <p className="font-medium">{approval.summary}</p>
      <p className="text-soft">{texts.rejectHint(nameOf(approval.requested_by, approval.requested_by_name))}</p>
      <TextField
        name="reason"
        label={`${texts.rejectReason} (${forms.optional})`}
        required={false}
        maxLength={maxReasonLength}
        data-autofocus
      />
    </FormDialog>
  )
}
