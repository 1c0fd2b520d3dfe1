import { useState } from "react"
import type { Agent } from "../agents/agents.ts"
import { mayDo } from "../agents/findAgent.ts"
import { api, unwrap } from "../api/client.ts"
import { useCommand } from "../commands/following.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { DurationField } from "../ui/DurationField.tsx"
import { SelectField, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { useAction } from "../ui/useAction.ts"
import type { QueueDetail } from "./queries.ts"

const maxPauseSeconds = 30 * 86_400
const maxTargetSeconds = 7 * 86_400

const AgentChoice = ({ agents }: { readonly agents: ReadonlyArray<Agent> }) => {
  const { queues: texts } = useTexts()
  return agents.length === 1
    ? <input type="hidden" name="agent" value={agents[0]?.id} />
    : (
      <SelectField
        name="agent"
        label={texts.purgeAgent}
        hint={texts.pauseAgentHint}
        choices={Object.fromEntries(agents.map(({ id, name }) => [id, name]))}
      />
    )
}

/** Those of the agents that can do it to queues of the engine, connected ones first. */
const listAble = (agents: ReadonlyArray<Agent>, engine: string, action: "pause_queue" | "resume_queue") =>
  agents.filter((agent) => mayDo(agent, engine, action))
    .toSorted((left, right) => Number(right.state === "online") - Number(left.state === "online"))

const PauseDialog = ({ agents, onClose, queue, slug }: DialogProps & { readonly agents: ReadonlyArray<Agent> }) => {
  const { queues: texts } = useTexts()
  const command = useCommand(slug)
  return (
    <FormDialog
      title={texts.pauseQuestion(queue.name)}
      submit={texts.pause}
      onClose={onClose}
      onSubmit={(form) => {
        const seconds = Number(form.get("seconds"))
        return command(texts.pauseNotice(queue.name), () =>
          unwrap(api.POST("/api/v1/projects/{slug}/commands/pause-queue", {
            params: { path: { slug } },
            body: {
              agent_id: String(form.get("agent")),
              engine: queue.engine,
              queue: queue.name,
              reason: String(form.get("reason")),
              resume_at: seconds === 0 ? null : new Date(Date.now() + seconds * 1000).toISOString()
            }
          })))
      }}
    >
      <p>{texts.pauseHint}</p>
      <TextField name="reason" label={texts.pauseReason} hint={texts.pauseReasonHint} maxLength={500} data-autofocus />
      <DurationField
        name="seconds"
        label={texts.pauseFor}
        placeholder={texts.pauseForHint}
        initial={1800}
        min={60}
        max={maxPauseSeconds}
        required={false}
      />
      <AgentChoice agents={agents} />
    </FormDialog>
  )
}

const TargetDialog = ({ onClose, onSet, queue, slug }: DialogProps & { readonly onSet: () => unknown }) => {
  const { queues: texts } = useTexts()
  return (
    <FormDialog
      title={texts.targetQuestion(queue.name)}
      submit={texts.setTarget}
      onClose={onClose}
      onSubmit={async (form) => {
        const seconds = String(form.get("seconds"))
        await unwrap(api.PUT("/api/v1/projects/{slug}/queues/{engine}/{name}/target", {
          params: { path: { slug, engine: queue.engine, name: queue.name } },
          body: { start_within_seconds: seconds === "" ? null : Number(seconds) }
        }))
        await onSet()
      }}
    >
      <p>{texts.targetHint}</p>
      <DurationField
        name="seconds"
        label={texts.startWithin}
        initial={queue.start_target_seconds ?? ""}
        min={1}
        max={maxTargetSeconds}
        required={false}
      />
    </FormDialog>
  )
}

interface DialogProps {
  readonly slug: string
  readonly queue: QueueDetail
  readonly onClose: () => void
}

/** Pauses and resumes a queue where one of its engine's agents can, and sets its target. */
export const QueueActions = ({ agents, onChange, queue, slug }: {
  readonly slug: string
  readonly queue: QueueDetail
  readonly agents: ReadonlyArray<Agent>
  readonly onChange: () => unknown
}) => {
  const { queues: texts } = useTexts()
  const command = useCommand(slug)
  const [dialog, setDialog] = useState<"pause" | "target" | null>(null)
  const pausing = listAble(agents, queue.engine, "pause_queue")
  // an agent pauses on its own broker, so the one that paused resumes
  const able = listAble(agents, queue.engine, "resume_queue")
  const resuming = able.find(({ id }) => id === queue.pause?.agent_id) ?? able[0]
  const close = () => setDialog(null)
  const resume = useAction(
    ["queues", slug],
    (agent_id: string) =>
      command(texts.resumeNotice(queue.name), () =>
        unwrap(api.POST("/api/v1/projects/{slug}/commands/resume-queue", {
          params: { path: { slug } },
          body: { agent_id, engine: queue.engine, queue: queue.name }
        })))
  )
  return (
    <>
      {pausing.length === 0 || resuming === undefined
        ? <span className="text-small text-soft">{texts.cannotPause(queue.engine)}</span>
        : queue.pause === null
        ? <Button onClick={() => setDialog("pause")}>{texts.pause}</Button>
        : (
          <Button variant="primary" disabled={resume.isPending} onClick={() => resume.mutate(resuming.id)}>
            {texts.resume}
          </Button>
        )}
      <Button onClick={() => setDialog("target")}>{texts.target}</Button>
      {dialog === "pause" && <PauseDialog slug={slug} queue={queue} agents={pausing} onClose={close} />}
      {dialog === "target" && <TargetDialog slug={slug} queue={queue} onClose={close} onSet={onChange} />}
    </>
  )
}
