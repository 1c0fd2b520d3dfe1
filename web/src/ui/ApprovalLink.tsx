import { useParams } from "@tanstack/react-router"
import { ApiError } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextLink } from "./TextLink.tsx"

/** The approval that an action waits for, where the error is such a refusal (docs/approvals.md). */
export const approvalIdOf = (error: unknown): string | null =>
  error instanceof ApiError && error.code === "approval_required" && typeof error.details.approval_id === "string"
    ? error.details.approval_id
    : null

/** Leads to the approval that an action waits for. */
export const ApprovalLink = ({ id }: { readonly id: string }) => {
  const { approvals: texts } = useTexts()
  const { slug } = useParams({ strict: false })
  if (slug === undefined) return null
  return (
    <TextLink to="/projects/$slug/approvals" params={{ slug }} search={{ id }}>
      {texts.see}
    </TextLink>
  )
}
