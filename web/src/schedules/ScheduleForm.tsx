import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useId, useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { isLossyCopy } from "../format/lossyCopy.ts"
import { useZone } from "../format/zone.ts"
import { useTexts } from "../i18n/Language.tsx"
import { draftFields } from "../ui/draftFields.ts"
import { DurationField } from "../ui/DurationField.tsx"
import { SelectField, TextAreaField, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ChangeList } from "./ChangeList.tsx"
import { changesOf, type Draft, type DraftField, draftOf, emptyDraft, problemOf, writableFields } from "./definition.ts"
import { PreviewPanel, usePreview } from "./PreviewPanel.tsx"
import { capabilitiesQuery, schedulesKey } from "./queries.ts"
import { type Edited, useSave } from "./saveSchedule.ts"
import { serviceScheduler } from "./states.ts"
import { editedCadenceOf, readInterval, writeInterval } from "./ticks.ts"

const useEngines = (slug: string): ReadonlyArray<string> => {
  const { data } = useQuery({
    queryKey: ["agents", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
  })
  return [...new Set(data?.flatMap(({ engine_adapters }) => engine_adapters))].sort()
}

/** The schedulers of engines that can create schedules from here. */
const useCreators = (slug: string): ReadonlyArray<string> => {
  const { data } = useQuery(capabilitiesQuery(slug))
  return (data?.schedulers ?? []).filter(({ is_live, operations }) => is_live && operations.includes("create"))
    .map(({ scheduler }) => scheduler)
}

const Choices = ({ id, values }: { readonly id: string; readonly values: ReadonlyArray<string> }) => (
  <datalist id={id}>{values.map((value) => <option key={value} value={value} />)}</datalist>
)

/** Creates or edits a schedule, and shows before the save when it would fire and what the save would change. */
export const ScheduleForm = ({ edited, onClose, slug }: {
  readonly slug: string
  /** Null: a new one. */
  readonly edited: Edited | null
  readonly onClose: () => void
}) => {
  const { forms, schedules: { catchUps, form: texts, page, unknownOutcomes } } = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const save = useSave(slug)
  const engines = useEngines(slug)
  const creators = useCreators(slug)
  const id = useId()
  const zone = useZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const [before] = useState(() => edited === null ? emptyDraft(zone) : draftOf(edited.schedule, edited.exact))
  const [draft, setDraft] = useState(before)
  const [openedAt] = useState(() => Date.now())
  const writable = new Set(writableFields(draft.scheduler, edited === null))
  const isOwn = draft.scheduler === serviceScheduler
  const changes = changesOf(before, draft)
  const cadence = {
    kind: draft.kind,
    expression: draft.expression,
    timezone: draft.timezone,
    jitter_seconds: Number(draft.jitter_seconds) || 0
  }
  const previewed = usePreview(slug, {
    ...(edited === null ? { ...cadence, from: null } : editedCadenceOf(edited.schedule, cadence, openedAt)),
    // the scheduler of an engine runs its schedules itself
    engine: isOwn ? draft.engine.trim() || null : null,
    queue: draft.queue.trim() || null
  })
  const isPreviewed = previewed.shown.expression === draft.expression && previewed.preview.isSuccess &&
    !previewed.preview.isPlaceholderData
  /** Months have no length in seconds, and other schedulers take fractions of one. */
  const hasOtherInterval = edited?.schedule.kind === "interval" && readInterval(edited.schedule.expression) === null
  const update = (some: Partial<Draft>) =>
    setDraft((known) => {
      const next = { ...known, ...some }
      const isUnreadable = some.kind === "interval" && !hasOtherInterval && readInterval(next.expression) === null
      return isUnreadable ? { ...next, expression: "" } : next // what another kind wrote is no length
    })
  const fields = draftFields(draft, update)
  const expression = {
    label: texts.fields.expression,
    hint: texts.expressionHints[draft.kind as keyof typeof texts.expressionHints], // others have none
    "data-autofocus": edited === null ? undefined : true
  } as const
  const text = (field: DraftField) => ({ label: texts.fields[field], ...fields.text(field) })
  const duration = (field: "jitter_seconds" | "grace_seconds") => ({
    label: texts.fields[field],
    className: "w-full",
    ...fields.duration(field)
  })
  const choice = (field: DraftField, choices: Readonly<Record<string, string>>) => (
    <SelectField label={texts.fields[field]} choices={choices} {...fields.choice(field)} />
  )
  const jsonProblem = (field: "args" | "kwargs") => {
    if (problemOf(field, draft[field]) !== null) return texts.invalid[field]
    // arguments that stay as they are are not sent
    return changes.some((change) => change.field === field) && isLossyCopy(draft[field]) ? texts.invalid.lossy : null
  }
  const kinds = { ...texts.kinds, ...(!(draft.kind in texts.kinds) && { [draft.kind]: draft.kind }) }
  const submit = async () => {
    const problem = jsonProblem("args") ?? jsonProblem("kwargs")
    if (problem !== null) throw new Error(problem === texts.invalid.lossy ? problem : texts.invalid.json)
    const created = await save(draft, edited)
    await queries.invalidateQueries({ queryKey: schedulesKey(slug) })
    if (created !== null) {
      await navigate({ to: "/projects/$slug/schedules/$scheduleId", params: { slug, scheduleId: created } })
    }
  }
  return (
    <FormDialog
      size="large"
      title={edited === null ? texts.createTitle : texts.editTitle(edited.schedule.name)}
      submit={edited === null ? forms.create : forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-4 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid content-start gap-3">
          {edited === null && creators.length > 0 && (
            <SelectField
              label={page.scheduler}
              hint={isOwn ? texts.ownHint : texts.foreignHint}
              choices={Object.fromEntries([serviceScheduler, ...creators].map((name) => [name, name]))}
              {...fields.choice("scheduler")}
            />
          )}
          {writable.has("name") && <TextField {...text("name")} maxLength={200} data-autofocus />}
          <div className="grid gap-3 sm:grid-cols-2">
            {choice("kind", kinds)}
            <TextField {...text("timezone")} className="w-full" list={`${id}-zones`} />
          </div>
          {draft.kind === "interval" && !hasOtherInterval
            ? (
              <DurationField
                {...expression}
                className="w-full"
                initial={readInterval(draft.expression) ?? ""}
                min={1}
                max={3650 * 86_400}
                onValue={(seconds) => update({ expression: writeInterval(seconds, isOwn) })}
              />
            )
            : <TextField {...expression} {...fields.text("expression")} className="font-mono" />}
          <TextField {...text("task_name")} />
          <div className="grid gap-3 sm:grid-cols-2">
            {writable.has("engine") && <TextField {...text("engine")} className="w-full" list={`${id}-engines`} />}
            <TextField {...text("queue")} className="w-full" required={false} placeholder={page.ownQueue} />
          </div>
          <TextAreaField {...text("args")} rows={2} problem={jsonProblem("args")} />
          <TextAreaField {...text("kwargs")} rows={3} problem={jsonProblem("kwargs")} hint={texts.valuesHint} />
          {writable.has("catch_up") && (
            <>
              <div className="grid gap-3 sm:grid-cols-2">
                {choice("catch_up", catchUps)}
                {choice("on_unknown_outcome", unknownOutcomes)}
              </div>
              <div className="grid gap-3 sm:grid-cols-2">
                <DurationField {...duration("jitter_seconds")} max={86_400} />
                <DurationField
                  {...duration("grace_seconds")}
                  max={604_800}
                  required={false}
                  placeholder={page.defaultGrace}
                />
              </div>
            </>
          )}
          {edited === null && choice("is_enabled", texts.enabledChoices)}
        </div>
        <div className="grid content-start gap-4">
          <PreviewPanel {...previewed} />
          {edited !== null && (
            <ChangeList
              changes={changes}
              words={{
                before: edited.schedule.summary,
                after: isPreviewed ? previewed.preview.data?.summary ?? null : null
              }}
            />
          )}
          {edited?.schedule.source !== undefined && edited.schedule.source !== "dashboard" &&
            isOwn && <p className="text-soft">{texts.driftHint(edited.schedule.source)}</p>}
        </div>
      </div>
      <Choices id={`${id}-zones`} values={Intl.supportedValuesOf("timeZone")} />
      <Choices id={`${id}-engines`} values={engines} />
    </FormDialog>
  )
}
