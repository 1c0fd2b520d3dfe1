import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { CheckField, fieldText, SelectField, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { RadioField } from "../ui/RadioField.tsx"
import { fireCommandQuery } from "./FireTable.tsx"
import { schedulesKey } from "./queries.ts"
import type { Fire, Schedule } from "./states.ts"

interface DialogProps {
  readonly slug: string
  readonly schedule: Schedule
  readonly onClose: () => void
}

/** The evidence of a fire from before fencing. */
export interface Evidence {
  readonly fire_id: string
  readonly kind: "command" | "fire"
  readonly id: string
}

/** What every resolution asks: whether the task ran, and whether the schedule fires on. */
const Decision = () => {
  const { schedules: { recovery: texts } } = useTexts()
  return (
    <>
      <RadioField
        name="ran"
        label={texts.question}
        choices={texts.choices}
        hints={texts.choiceHints}
        initial="yes"
      />
      <CheckField name="disable" label={texts.disableAfter} hint={texts.disableAfterHint} />
    </>
  )
}

const decisionOf = (form: FormData, schedule: Schedule) => ({
  observed_control_token: schedule.control_token ?? "",
  work_may_have_executed: fieldText(form, "ran") === "yes",
  enabled_after_resolution: form.get("disable") === null
})

const useReread = (slug: string) => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: schedulesKey(slug) })
}

/** A person records the outcome of a fire that was sent, and whose agent never sent a result. */
export const ResolveDialog = ({ fire, onClose, schedule, slug }: DialogProps & { readonly fire: Fire }) => {
  const { commands, schedules: { recovery: texts } } = useTexts()
  const format = useFormat()
  const reread = useReread(slug)
  const { data: command } = useQuery(fireCommandQuery(slug, fire.command_id))
  return (
    <FormDialog
      title={texts.resolveTitle(format.moment(Date.parse(fire.scheduled_for)))}
      submit={texts.resolve}
      onSubmit={async (form) => {
        await unwrap(
          api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/resolve-terminal-fire", {
            params: { path: { slug, schedule_id: schedule.id } },
            body: {
              fire_id: fire.fire_id,
              command_id: fire.command_id ?? "",
              expected_status: command?.status ?? "timeout",
              ...decisionOf(form, schedule)
            }
          })
        )
        await reread()
      }}
      onClose={onClose}
    >
      <p className="text-soft">{texts.resolveExplained}</p>
      {command !== undefined && <p className="text-soft">{texts.commandIs(commands.statuses[command.status])}</p>}
      <Decision />
    </FormDialog>
  )
}

/** A person resolves evidence of a fire that svc did not record, or did not send. */
export const EvidenceDialog = ({ initial, onClose, schedule, slug }: DialogProps & { readonly initial: Evidence }) => {
  const { schedules: { recovery: texts } } = useTexts()
  const reread = useReread(slug)
  return (
    <FormDialog
      title={texts.resolveEvidence}
      submit={texts.resolve}
      onSubmit={async (form) => {
        await unwrap(
          api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/resolve-legacy-evidence", {
            params: { path: { slug, schedule_id: schedule.id } },
            body: {
              fire_id: fieldText(form, "fire_id"),
              source_evidence_kind: fieldText(form, "kind") === "fire" ? "fire" : "command",
              source_evidence_id: fieldText(form, "id"),
              ...decisionOf(form, schedule)
            }
          })
        )
        await reread()
      }}
      onClose={onClose}
    >
      <p className="text-soft">{texts.evidenceHint}</p>
      <TextField name="fire_id" label={texts.fireId} defaultValue={initial.fire_id} className="font-mono" />
      <SelectField name="kind" label={texts.evidenceKind} choices={texts.evidenceKinds} initial={initial.kind} />
      <TextField name="id" label={texts.evidenceId} defaultValue={initial.id} className="font-mono" />
      <Decision />
    </FormDialog>
  )
}

/** An admin lets a scheduler without fencing fire, or ends that. */
export const GrantDialog = ({ onClose, schedule, slug }: DialogProps) => {
  const { schedules: { recovery: texts } } = useTexts()
  const reread = useReread(slug)
  const allow = schedule.legacy_fire_control_token === null
  return (
    <FormDialog
      title={allow ? texts.giveGrant : texts.revokeGrant}
      submit={allow ? texts.giveGrant : texts.revokeGrant}
      variant={allow ? "danger" : "primary"}
      onSubmit={async (form) => {
        await unwrap(
          api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/legacy-fire-grant", {
            params: { path: { slug, schedule_id: schedule.id } },
            body: {
              observed_control_token: schedule.control_token ?? "",
              allow,
              all_replicas_quiesced_and_resynced: form.get("quiesced") !== null
            }
          })
        )
        await reread()
      }}
      onClose={onClose}
    >
      <p className="text-soft">{texts.grantHint}</p>
      {allow && <CheckField name="quiesced" required label={texts.quiesced} hint={texts.quiescedHint} />}
    </FormDialog>
  )
}
