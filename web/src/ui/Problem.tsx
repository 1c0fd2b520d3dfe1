import { useTexts } from "../i18n/Language.tsx"
import { approvalIdOf, ApprovalLink } from "./ApprovalLink.tsx"
import { RequestId, requestIdOf, useErrorText } from "./Notices.tsx"

/** Why a form was refused, with the id of its request; or which approval it waits for. */
export const Problem = ({ error }: { readonly error: unknown }) => {
  const { forms: texts } = useTexts()
  const textOf = useErrorText()
  const requestId = requestIdOf(error)
  const approvalId = approvalIdOf(error)
  return (
    <div role="alert" className="grid gap-0.5">
      <p className={approvalId === null ? "break-words text-failure" : undefined}>
        {approvalId === null ? textOf(error) : (
          <>
            {texts.requested} <ApprovalLink id={approvalId} />
          </>
        )}
      </p>
      {requestId !== null && <RequestId id={requestId} />}
    </div>
  )
}
