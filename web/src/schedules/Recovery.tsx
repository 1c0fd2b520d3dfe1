import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { firesQuery } from "./queries.ts"
import { type Evidence, EvidenceDialog, GrantDialog, ResolveDialog } from "./RecoveryDialogs.tsx"
import { type Fire, isServiceOwned, type Schedule } from "./states.ts"

/** Whether an operator may say what became of the fire (docs/schedules.md, Quarantine and recovery). */
const isUnknown = ({ command_id, status }: Fire) =>
  command_id !== null && (status === "terminal_timeout" || status === "terminal_cancelled")

const isEvidence = ({ command_id, status }: Fire) =>
  command_id === null && ["pending", "accepted", "delivered", "buffered", "terminal_timeout"].includes(status)

/** What can be done about an open fire: say what became of it. */
export const FireRecovery = ({ fire, schedule, slug }: {
  readonly slug: string
  readonly schedule: Schedule
  readonly fire: Fire
}) => {
  const { schedules: { recovery: texts } } = useTexts()
  const canOperate = useCan(slug, "operator")
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  if (!canOperate || !(isUnknown(fire) || isEvidence(fire))) return null
  return (
    <div className="grid justify-items-start gap-2">
      <p className="text-soft">{isUnknown(fire) ? texts.resolveHint : texts.evidenceFireHint}</p>
      <Button onClick={() => setOpen(true)}>{texts.resolve}</Button>
      {isOpen && (isUnknown(fire)
        ? <ResolveDialog slug={slug} schedule={schedule} fire={fire} onClose={close} />
        : (
          <EvidenceDialog
            slug={slug}
            schedule={schedule}
            initial={{ fire_id: fire.fire_id, kind: "fire", id: fire.id }}
            onClose={close}
          />
        ))}
    </div>
  )
}

const steps = ["definition_invalid", "two_owners", "outcome_unknown"] as const

/** Why a schedule is in quarantine, what that means, and what ends it. */
export const QuarantinePanel = ({ schedule, slug }: { readonly slug: string; readonly schedule: Schedule }) => {
  const { schedules: { recovery: texts } } = useTexts()
  const canOperate = useCan(slug, "operator")
  const fires = useQuery({ ...firesQuery(slug, schedule.id), enabled: isServiceOwned(schedule) })
  const [resolved, setResolved] = useState<Fire | null>(null)
  const code = steps.find((one) => one === schedule.quarantine_code) ?? "definition_invalid"
  const unknown = (fires.data ?? []).filter(isUnknown)
  return (
    <section
      aria-label={texts.title}
      className="mx-4 mb-4 grid gap-2 rounded-base border border-line border-l-4 border-l-failure bg-paper px-4 py-3"
    >
      <h2 className="font-semibold text-failure">{texts.reasons[code]}</h2>
      <p className="max-w-[90ch]">
        {schedule.quarantine_detail} {schedule.quarantined_at !== null && (
          <span className="text-soft">
            <Time at={schedule.quarantined_at} />
          </span>
        )}
      </p>
      <p className="max-w-[90ch] text-soft">{texts.meaning}</p>
      <p className="max-w-[90ch]">{texts.steps[code]}</p>
      {code === "outcome_unknown" && canOperate &&
        unknown.map((fire) => <FireButton key={fire.fire_id} fire={fire} onPress={() => setResolved(fire)} />)}
      {resolved !== null && (
        <ResolveDialog
          slug={slug}
          schedule={schedule}
          fire={resolved}
          onClose={() => setResolved(null)}
        />
      )}
    </section>
  )
}

const FireButton = ({ fire, onPress }: { readonly fire: Fire; readonly onPress: () => void }) => {
  const { schedules: { recovery: texts } } = useTexts()
  return (
    <p className="flex flex-wrap items-center gap-2">
      <Button variant="primary" onClick={onPress}>{texts.resolveFire}</Button>
      <code className="font-mono text-small break-all text-soft">{fire.fire_id}</code>
    </p>
  )
}

/** What schedulers without fencing leave behind: evidence to resolve, and the grant by which such a scheduler may fire. */
export const LegacyPanel = ({ schedule, slug }: { readonly slug: string; readonly schedule: Schedule }) => {
  const { schedules: { recovery: texts } } = useTexts()
  const canOperate = useCan(slug, "operator")
  const isAdmin = useCan(slug, "admin")
  const [dialog, setDialog] = useState<"grant" | Evidence | null>(null)
  const isGranted = schedule.legacy_fire_control_token !== null
  if (!canOperate) return null
  return (
    <Panel title={texts.legacy}>
      <details className="px-4 py-3">
        <summary className="cursor-pointer text-soft">{texts.legacySummary}</summary>
        <div className="mt-3 grid gap-4">
          <div className="grid justify-items-start gap-2">
            <p className="font-medium">{texts.evidence}</p>
            <p className="text-soft">{texts.evidenceHint}</p>
            <Button onClick={() => setDialog({ fire_id: "", kind: "command", id: "" })}>{texts.resolveEvidence}</Button>
          </div>
          <div className="grid justify-items-start gap-2">
            <p className="font-medium">{texts.grant}</p>
            <p className="text-soft">{texts.grantHint}</p>
            <p>{isGranted ? texts.granted : texts.notGranted}</p>
            {isAdmin && (
              <Button onClick={() => setDialog("grant")}>{isGranted ? texts.revokeGrant : texts.giveGrant}</Button>
            )}
          </div>
        </div>
      </details>
      {dialog === "grant" && <GrantDialog slug={slug} schedule={schedule} onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== "grant" && (
        <EvidenceDialog
          slug={slug}
          schedule={schedule}
          initial={dialog}
          onClose={() => setDialog(null)}
        />
      )}
    </Panel>
  )
}
