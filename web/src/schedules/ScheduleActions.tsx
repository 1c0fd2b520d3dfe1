import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import type { OperationName } from "./operations.ts"
import { capabilitiesQuery, schedulesKey } from "./queries.ts"
import { ScheduleForm } from "./ScheduleForm.tsx"
import { isServiceOwned, type Schedule } from "./states.ts"
import { type ScheduleAction, useDelete, useScheduleAction, useTrigger } from "./useScheduleActions.ts"

const everything: ReadonlySet<OperationName> = new Set(["enable", "disable", "create", "update", "delete", "trigger"])
const nothing: ReadonlySet<OperationName> = new Set()

/** What can be done with the schedule from here: everything with the service's own, else what its scheduler takes now. */
export const usePossible = (slug: string, schedule: Schedule): ReadonlySet<OperationName> => {
  const isOwn = isServiceOwned(schedule)
  const { data } = useQuery({ ...capabilitiesQuery(slug), enabled: !isOwn })
  if (isOwn) return everything
  const known = data?.schedulers.find(({ scheduler }) => scheduler === schedule.scheduler)
  return known === undefined || !known.is_live ? nothing : new Set(known.operations)
}

const TriggerQuestion = ({ onClose, schedule, slug }: {
  readonly slug: string
  readonly schedule: Schedule
  readonly onClose: () => void
}) => {
  const { schedules: { actions: texts } } = useTexts()
  const trigger = useTrigger(slug)
  return (
    <FormDialog
      title={texts.triggerQuestion(schedule.name)}
      submit={texts.trigger}
      onSubmit={() => trigger(schedule)}
      onClose={onClose}
    >
      <p className="text-soft">{isServiceOwned(schedule) ? texts.triggerHint : texts.triggerHintForeign}</p>
    </FormDialog>
  )
}

const DeleteQuestion = ({ onClose, schedule, slug }: {
  readonly slug: string
  readonly schedule: Schedule
  readonly onClose: () => void
}) => {
  const { forms, schedules: { actions: texts } } = useTexts()
  const remove = useDelete(slug)
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <FormDialog
      title={texts.deleteQuestion(schedule.name)}
      submit={forms.delete}
      variant="danger"
      phrase={schedule.name}
      onSubmit={async () => {
        const isDeleted = await remove(schedule)
        if (isDeleted) await navigate({ to: "/projects/$slug/schedules", params: { slug } })
        void queries.invalidateQueries({ queryKey: [...schedulesKey(slug), "list"] })
      }}
      onClose={onClose}
    >
      <p className="text-soft">{isServiceOwned(schedule) ? texts.deleteHint : texts.deleteHintForeign}</p>
    </FormDialog>
  )
}

/** What a person may do with the schedule. */
export const ScheduleActions = ({ exact, schedule, slug }: {
  readonly slug: string
  readonly schedule: Schedule
  readonly exact: Pick<Schedule, "args" | "kwargs">
}) => {
  const { forms, schedules: { actions: texts } } = useTexts()
  const canOperate = useCan(slug, "operator")
  const isAdmin = useCan(slug, "admin")
  const possible = usePossible(slug, schedule)
  const action = useScheduleAction(slug)
  const [question, setQuestion] = useState<"trigger" | "edit" | "delete" | null>(null)
  if (!canOperate) return null
  const isOwn = isServiceOwned(schedule)
  const close = () => setQuestion(null)
  const actionButton = (name: ScheduleAction, icon?: ReactNode) => (
    <Button
      title={texts.hints[name]}
      disabled={action.isPending}
      onClick={() => action.mutate({ action: name, schedule })}
    >
      {icon}
      {texts[name]}
    </Button>
  )
  const enabling = schedule.is_enabled ? "disable" : "enable"
  return (
    <div className="ml-auto flex flex-wrap gap-2">
      {isOwn && schedule.is_enabled && (schedule.paused_at === null
        ? actionButton("pause", <Icon name="pause" />)
        : actionButton("resume", <Icon name="play" />))}
      {possible.has(enabling) && actionButton(enabling)}
      {isAdmin && possible.has("update") && (
        <Button onClick={() => setQuestion("edit")}>
          <Icon name="edit" />
          {forms.edit}
        </Button>
      )}
      {isAdmin && possible.has("delete") && (
        <Button variant="danger" onClick={() => setQuestion("delete")}>
          <Icon name="delete" />
          {forms.delete}
        </Button>
      )}
      {possible.has("trigger") && (
        <Button variant="primary" onClick={() => setQuestion("trigger")}>{texts.trigger}</Button>
      )}
      {question === "trigger" && <TriggerQuestion slug={slug} schedule={schedule} onClose={close} />}
      {question === "delete" && <DeleteQuestion slug={slug} schedule={schedule} onClose={close} />}
      {question === "edit" && <ScheduleForm slug={slug} edited={{ schedule, exact }} onClose={close} />}
    </div>
  )
}
