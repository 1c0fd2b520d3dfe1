import { useState } from "react"
import type { Schemas } from "../api/client.ts"
import { BulkRetryDialog } from "../bulkRetries/BulkRetryDialog.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"

/** Retries all tasks of a failure group that still fail, once an operator has confirmed it. */
export const RetryGroupButton = ({ group: { fingerprint, open_count, sample_task_name }, slug }: {
  readonly slug: string
  readonly group: Pick<Schemas["FailureGroup"], "fingerprint" | "open_count" | "sample_task_name">
}) => {
  const { failures: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const [isAsking, setAsking] = useState(false)
  if (!canOperate) return null
  return (
    <>
      <Button
        variant={open_count > 0 ? "primary" : "plain"}
        disabled={open_count === 0}
        onClick={() => setAsking(true)}
      >
        <Icon name="retry" />
        {texts.retryAll}
      </Button>
      {isAsking && (
        <BulkRetryDialog
          slug={slug}
          title={texts.retryQuestion(sample_task_name ?? fingerprint)}
          filter={{ fingerprint }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
