import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { useAction } from "../ui/useAction.ts"
import type { BulkRetry } from "./bulkRetry.ts"
import { bulkRetriesKey, cancelBulkRetry, pauseBulkRetry, resumeBulkRetry } from "./queries.ts"

/** Pauses, resumes and cancels a request that has not ended, and changes its rate. */
export const BulkRetryControls = ({ request, slug }: { readonly slug: string; readonly request: BulkRetry }) => {
  const texts = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const [question, setQuestion] = useState<"rate" | "cancel" | null>(null)
  const key = bulkRetriesKey(slug)
  const pause = useAction(key, () => pauseBulkRetry(slug, request.id))
  const resume = useAction(key, () => resumeBulkRetry(slug, request.id))
  const readAgain = () => queries.invalidateQueries({ queryKey: key })
  if (request.control_state === "cancelled") return null
  return (
    <div className="ml-auto flex flex-wrap items-center gap-2">
      <Button onClick={() => setQuestion("rate")}>{texts.bulkRetries.changeRate}</Button>
      {request.control_state === "paused"
        ? (
          <Button variant="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
            <Icon name="play" />
            {texts.bulkRetries.resume}
          </Button>
        )
        : (
          <Button disabled={pause.isPending} onClick={() => pause.mutate()}>
            <Icon name="pause" />
            {texts.bulkRetries.pause}
          </Button>
        )}
      <Button variant="danger" onClick={() => setQuestion("cancel")}>
        <Icon name="cancel" />
        {texts.bulkRetries.cancel}
      </Button>
      {question === "rate" && (
        <FormDialog
          title={texts.bulkRetries.changeRate}
          submit={request.control_state === "paused" ? texts.bulkRetries.resume : texts.forms.save}
          onClose={() => setQuestion(null)}
          onSubmit={async (form) => {
            await resumeBulkRetry(slug, request.id, Number(fieldText(form, "rate") || "0"))
            await readAgain()
          }}
        >
          <TextField
            label={texts.bulkRetries.rateField}
            hint={request.control_state === "paused"
              ? texts.bulkRetries.rateResumes
              : texts.bulkRetries.rateHint}
            name="rate"
            type="number"
            step="any"
            min="0.01"
            max="1000"
            required={false}
            defaultValue={request.rate_per_second ?? ""}
            data-autofocus
          />
        </FormDialog>
      )}
      {question === "cancel" && (
        <FormDialog
          title={texts.bulkRetries.cancelQuestion}
          submit={texts.bulkRetries.cancel}
          dismiss={texts.keepRunning}
          variant="danger"
          onClose={() => setQuestion(null)}
          onSubmit={async () => {
            await cancelBulkRetry(slug, request.id)
            await readAgain()
          }}
        >
          <p>{texts.bulkRetries.cancelHint(format.count(request.counts.pending))}</p>
        </FormDialog>
      )}
    </div>
  )
}
