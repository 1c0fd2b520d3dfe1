import { useState } from "react"
import { base } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCan } from "../session/permissions.ts"
import { JsonTree } from "../tasks/JsonTree.tsx"
import { Button } from "../ui/Button.tsx"
import { Fact, Facts } from "../ui/Panel.tsx"
import { CopyLine, ShownOnce } from "../ui/ShownOnce.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { ApprovalChange } from "./ApprovalChange.tsx"
import { ApproveQuestion, RejectQuestion } from "./DecisionQuestions.tsx"
import type { Approval } from "./queries.ts"

type Question = "approve" | "reject"

const Decision = ({ approval, onLink, slug }: {
  readonly slug: string
  readonly approval: Approval
  readonly onLink: (path: string) => void
}) => {
  const { approvals: texts } = useTexts()
  const { isMe } = usePeople(slug)
  const isAdmin = useCan(slug, "admin")
  const [question, setQuestion] = useState<Question | null>(null)
  if (isMe(approval.requested_by)) return <p className="text-soft">{texts.own}</p>
  if (!isAdmin) return <p className="text-soft">{texts.needsAdmin}</p>
  const close = () => setQuestion(null)
  return (
    <div className="flex gap-2">
      <Button variant="primary" onClick={() => setQuestion("approve")}>{texts.approve}</Button>
      <Button onClick={() => setQuestion("reject")}>{texts.reject}</Button>
      {question === "approve" && <ApproveQuestion slug={slug} approval={approval} onClose={close} onLink={onLink} />}
      {question === "reject" && <RejectQuestion slug={slug} approval={approval} onClose={close} />}
    </div>
  )
}

/** Why an approved action was refused. */
const useRefusal = ({ result, status }: Approval): string | null => {
  const { approvals: texts } = useTexts()
  if (status !== "failed" || typeof result !== "object" || result === null) return null
  if ("code" in result && result.code === "approval_outdated") return texts.outdated
  return "detail" in result ? String(result.detail) : null
}

/** Whether the approved action began a bulk job. */
const isJob = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "type" in result && result.type === "bulk_job"

const jsonText = (value: unknown) => JSON.stringify(value, null, 2)

/** What was asked for, who did, what became of it, and the buttons of the person who may decide. */
export const ApprovalDetails = ({ approval, slug }: { readonly slug: string; readonly approval: Approval }) => {
  const { approvals: texts, bulkJobs, people } = useTexts()
  const { nameOf } = usePeople(slug)
  const { created_at, decided_at, decided_by, decided_by_name, expires_at, kind, reason } = approval
  const { request, requested_by, requested_by_name, result, status } = approval
  const refusal = useRefusal(approval)
  const [link, setLink] = useState<string | null>(null)
  return (
    <div className="border-t border-line">
      <div className="grid gap-2 px-4 pt-3">
        <p className="max-w-[72ch] text-soft">{texts.statusHints[status]}</p>
        {refusal !== null && <p className="max-w-[72ch]">{refusal}</p>}
        {status === "pending" && <Decision slug={slug} approval={approval} onLink={setLink} />}
      </div>
      <Facts>
        <Fact name={texts.kind}>{texts.kinds[kind]}</Fact>
        <Fact name={texts.requestedBy}>{nameOf(requested_by, requested_by_name)}</Fact>
        <Fact name={texts.requestedAt}>
          <Time at={created_at} />
        </Fact>
        {status === "pending" && (
          <Fact name={texts.expiresAt}>
            <Time at={expires_at} isPlanned />
          </Fact>
        )}
        {decided_by !== null && <Fact name={texts.decidedBy}>{nameOf(decided_by, decided_by_name)}</Fact>}
        {decided_at !== null && (
          <Fact name={texts.decidedAt}>
            <Time at={decided_at} />
          </Fact>
        )}
      </Facts>
      {reason !== null && (
        <p className="px-4 pb-3">
          <span className="text-soft">{texts.reason}:</span> {reason}
        </p>
      )}
      <ApprovalChange approval={approval} />
      <div className="border-t border-line">
        <JsonTree heading="h2" label={texts.request} value={request} text={jsonText(request)} />
        {result !== null && <JsonTree heading="h2" label={texts.result} value={result} text={jsonText(result)} />}
      </div>
      {isJob(result) && (
        <p className="px-4 py-3">
          <TextLink to="/projects/$slug/bulk-jobs" params={{ slug }}>
            {bulkJobs.see}
          </TextLink>
        </p>
      )}
      {link !== null && (
        <ShownOnce title={texts.approved} onClose={() => setLink(null)}>
          <CopyLine label={people.link} text={`${base}${link}`} />
          <p className="text-soft">{people.linkHint}</p>
        </ShownOnce>
      )}
      {status === "approved" && result === null && <p className="px-4 pb-3">{texts.noResult}</p>}
    </div>
  )
}
