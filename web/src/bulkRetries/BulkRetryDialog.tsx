import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useDeferredValue, useRef, useState } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import type { BulkRetryFilter } from "./bulkRetry.ts"
import { bulkRetriesKey, createBulkRetry, previewBulkRetry } from "./queries.ts"

/** The API's limit of `max`; without one it takes all that match. */
const largestMax = 10_000
const shownRows = 5

/** `crypto.randomUUID` exists over https and on localhost only. */
const createKey = () =>
  `dashboard-${
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  }`

const CountList = ({ rows, title }: {
  readonly title: string
  readonly rows: ReadonlyArray<{ readonly name: string; readonly count: number }>
}) => {
  const { bulkRetries: texts } = useTexts()
  const format = useFormat()
  return (
    <div className="min-w-0">
      <h3 className="text-small text-soft">{title}</h3>
      <ul>
        {rows.slice(0, shownRows).map(({ count, name }) => (
          <li key={name} className="flex justify-between gap-3">
            <span className="truncate" title={name}>{name}</span>
            <span className="figures">{format.number(count)}</span>
          </li>
        ))}
        {rows.length > shownRows && <li className="text-soft">{texts.more(format.number(rows.length - shownRows))}</li>}
      </ul>
    </div>
  )
}

const Preview = ({ all, preview }: {
  readonly preview: Schemas["BulkRetryPreview"]
  /** The preview of all that match. */
  readonly all: Schemas["BulkRetryPreview"]
}) => {
  const { bulkRetries: texts, none } = useTexts()
  const format = useFormat()
  const total = format.count(preview.total)
  const ofAll = (all.capped ? texts.takesOfMore : texts.takes)(total.text, format.number(all.total))
  return (
    <div className="grid gap-3">
      <p className="text-large font-medium">{preview.capped ? ofAll : texts.matching(total)}</p>
      {preview.engines.filter(({ note }) => note !== null).map(({ count, engine, note }) => (
        <p key={engine} className="text-failure">
          {texts.engineNote(engine, format.number(count))} {note}
        </p>
      ))}
      {preview.total > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          <CountList title={texts.byName} rows={preview.names} />
          <CountList
            title={texts.byException}
            rows={preview.exceptions.map(({ count, exception }) => ({ name: exception ?? none, count }))}
          />
        </div>
      )}
    </div>
  )
}

/**
 * Retries every task of a filter: says how many there are, by name and error, and what prevents their retry; then starts
 * a bulk retry and shows it.
 */
export const BulkRetryDialog = ({ filter, hint, onClose, onStarted, slug, title }: {
  readonly slug: string
  readonly title: string
  /** A sentence about which tasks are meant. */
  readonly hint?: string
  /** Of bulk-retry-requests; without a state and without ids, only failed tasks match. */
  readonly filter: BulkRetryFilter
  readonly onClose: () => void
  readonly onStarted?: () => void
}) => {
  const { bulkRetries: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [typedMax, setMax] = useState("")
  const typed = Math.trunc(Number(typedMax))
  const max = useDeferredValue(typed >= 1 ? Math.min(largestMax, typed) : null)
  // The same body under the same key is the same request, so a second attempt after a lost response starts no second one.
  const sent = useRef({ body: "", key: "" })
  const previewOf = (most: number | null) => ({
    queryKey: [...bulkRetriesKey(slug), "preview", filter, most],
    queryFn: () => previewBulkRetry(slug, filter, most),
    gcTime: 0
  })
  const all = useQuery(previewOf(null))
  const preview = useQuery({ ...previewOf(max), placeholderData: (known) => known })
  const failed = [all, preview].find(({ isError }) => isError)
  const start = async (form: FormData) => {
    const rate = fieldText(form, "rate")
    const body = { filter, max, rate_per_second: rate === "" ? null : Number(rate) }
    const text = JSON.stringify(body)
    if (sent.current.body !== text) sent.current = { body: text, key: createKey() }
    const { id } = await createBulkRetry(slug, { ...body, idempotency_key: sent.current.key })
    onStarted?.()
    await queries.invalidateQueries({ queryKey: bulkRetriesKey(slug) })
    await navigate({ to: "/projects/$slug/bulk-retries/$requestId", params: { slug, requestId: id } })
  }
  return (
    <FormDialog
      title={title}
      submit={texts.start}
      size="large"
      isBlocked={all.data === undefined || preview.data === undefined || preview.isPlaceholderData ||
        preview.data.total === 0}
      onClose={onClose}
      onSubmit={start}
    >
      {hint !== undefined && <p className="text-soft">{hint}</p>}
      {failed !== undefined
        ? <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />
        : all.data !== undefined && preview.data !== undefined
        ? <Preview preview={preview.data} all={all.data} />
        : <Loading />}
      <div className="grid gap-4 sm:grid-cols-2">
        {filter.task_ids === undefined && (
          <TextField
            label={texts.maxField}
            hint={texts.maxHint(format.number(largestMax))}
            type="number"
            min={1}
            max={largestMax}
            required={false}
            value={typedMax}
            onChange={({ target }) => setMax(target.value)}
          />
        )}
        <TextField
          label={texts.rateField}
          hint={texts.rateHint}
          name="rate"
          type="number"
          step="any"
          min="0.01"
          max="1000"
          required={false}
        />
      </div>
    </FormDialog>
  )
}
