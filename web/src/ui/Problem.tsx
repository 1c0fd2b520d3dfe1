import { approvalIdOf, ApprovalLink } from "./ApprovalLink.tsx"
import { RequestId, requestIdOf, useErrorText } from "./Notices.tsx"

/** Why a form was refused, with the id of its request; or which approval it waits for. */
export const Problem = ({ error }: { readonly error: unknown }) => {
  const textOf = useErrorText()
  const requestId = requestIdOf(error)
  const approvalId = approvalIdOf(error)
  return (
    <div role="alert" className="grid gap-1">
      <p className={approvalId === null ? "break-words text-failure" : undefined}>
        {textOf(error)} {approvalId !== null && <ApprovalLink id={approvalId} />}
      </p>
      {requestId !== null && <RequestId id={requestId} />}
    </div>
  )
}
