import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { fieldText, SelectField, TextAreaField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { UntilDialog } from "../ui/UntilDialog.tsx"
import { useAction } from "../ui/useAction.ts"
import { GroupMark } from "./GroupMark.tsx"
import { assigneesQuery, type FailureGroup, isMuteCondition, type TriageChange, triageGroup } from "./queries.ts"

interface Subject {
  readonly slug: string
  readonly group: FailureGroup
}

/** The API lists no more. */
const maxAssignees = 500

const useTriage = ({ group: { fingerprint }, slug }: Subject) =>
  useAction<TriageChange>(["failures", slug], (change) => triageGroup(slug, fingerprint, change))

/** What operators do about a group by one press, and the dialog that mutes it. */
export const TriageButtons = ({ group, slug }: Subject) => {
  const { failures: texts } = useTexts()
  const triage = useTriage({ group, slug })
  const [isMuting, setMuting] = useState(false)
  const isMuted = group.triage === "muted"
  return (
    <>
      {group.triage !== "resolved" && (
        <Button
          disabled={triage.isPending}
          onClick={() => triage.mutate({ triage: "resolved" })}
        >
          {texts.resolve}
        </Button>
      )}
      {group.triage !== "resolved" && (
        <Button disabled={triage.isPending} onClick={() => setMuting(true)}>
          {isMuted ? texts.changeMute : texts.mute}
        </Button>
      )}
      {(group.triage === "resolved" || group.triage === "regressed") && (
        <Button
          disabled={triage.isPending}
          onClick={() => triage.mutate({ triage: "open" })}
        >
          {texts.reopen}
        </Button>
      )}
      {isMuting && (
        <UntilDialog
          title={texts.muteQuestion}
          subject={group.sample_task_name ?? group.fingerprint}
          hint={texts.muteHint}
          other={texts.muteOther}
          end={texts.unmute}
          silentUntil={group.muted_until}
          conditions={texts.muteUntil}
          onChoose={(until) =>
            triage.mutate(until === null ? { triage: "open" } : { triage: "muted", muted_until: until })}
          onClose={() => setMuting(false)}
        />
      )}
    </>
  )
}

const nobody = ""

const AssigneeField = ({ group, slug }: Subject) => {
  const { failures: texts } = useTexts()
  const { nameOf } = usePeople(slug)
  const triage = useTriage({ group, slug })
  const { data = [] } = useQuery(assigneesQuery(slug))
  const { assignee } = group
  const known = assignee === null || data.some(({ id }) => id === assignee.id) ? data : [...data, assignee]
  return (
    <SelectField
      label={texts.assignee}
      choices={{ [nobody]: texts.nobody, ...Object.fromEntries(known.map(({ id, name }) => [id, nameOf(id, name)])) }}
      {...(data.length >= maxAssignees && { hint: texts.assigneesEnd })}
      value={assignee?.id ?? nobody}
      onChoose={(id) => triage.mutate({ assignee: id === nobody ? null : id })}
    />
  )
}

const NoteDialog = ({ group: { fingerprint, note }, onClose, slug }: Subject & { readonly onClose: () => void }) => {
  const { failures: texts, forms } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.note}
      submit={forms.save}
      onSubmit={async (form) => {
        await triageGroup(slug, fingerprint, { note: fieldText(form, "note") })
        await queries.invalidateQueries({ queryKey: ["failures", slug] })
      }}
      onClose={onClose}
    >
      <TextAreaField
        label={texts.note}
        name="note"
        rows={6}
        maxLength={2000}
        spellCheck
        data-autofocus
        defaultValue={note ?? ""}
        className="font-sans"
      />
    </FormDialog>
  )
}

/** What members decided about a group: since when and by whom, who takes care of it, and their note. */
export const TriagePanel = ({ group, slug }: Subject) => {
  const { failures: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const { nameOf } = usePeople(slug)
  const [isWriting, setWriting] = useState(false)
  const { assignee, muted_until, note, triaged_at, triaged_by } = group
  return (
    <Panel
      title={texts.triage}
      actions={canOperate && (
        <Button variant="quiet" onClick={() => setWriting(true)}>
          {note === null ? texts.addNote : texts.editNote}
        </Button>
      )}
    >
      <Facts>
        <Fact name={texts.status}>
          <GroupMark group={group} />
        </Fact>
        {triaged_at !== null && (
          <Fact name={texts.since}>
            <Time at={triaged_at} />
          </Fact>
        )}
        {triaged_at !== null && <Fact name={texts.by}>{nameOf(triaged_by?.id ?? null, triaged_by?.name)}</Fact>}
        {muted_until !== null && (
          <Fact name={texts.mutedUntil}>
            {isMuteCondition(muted_until) ? texts.muteEnds[muted_until] : <Time at={muted_until} isPlanned />}
          </Fact>
        )}
        {!canOperate && (
          <Fact name={texts.assignee}>{assignee === null ? texts.nobody : nameOf(assignee.id, assignee.name)}</Fact>
        )}
      </Facts>
      {canOperate && (
        <div className="px-4 pb-3">
          <AssigneeField slug={slug} group={group} />
        </div>
      )}
      {note !== null && <p className="border-t border-line px-4 py-3 break-words whitespace-pre-wrap">{note}</p>}
      {isWriting && <NoteDialog slug={slug} group={group} onClose={() => setWriting(false)} />}
    </Panel>
  )
}
