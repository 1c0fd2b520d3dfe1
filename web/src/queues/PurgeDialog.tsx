import type { Agent } from "../agents/agents.ts"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useCommand } from "../commands/following.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { CheckField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"

/**
 * Asks before every waiting message of a queue is deleted: it shows how many wait, and the queue's name is typed. The agent
 * refuses when the queue has another length by then, unless the person wants it whatever its length is.
 */
export const PurgeDialog = ({ agent, onClose, queue, slug }: {
  readonly slug: string
  readonly queue: Schemas["Queue"]
  readonly agent: Agent
  readonly onClose: () => void
}) => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  const command = useCommand(slug)
  const { depth, engine, name } = queue
  return (
    <FormDialog
      title={texts.purgeQuestion(name)}
      submit={texts.purge}
      look="danger"
      phrase={name}
      onClose={onClose}
      onSubmit={(form) =>
        command(texts.purgeNotice(name), () =>
          unwrap(api.POST("/api/v1/projects/{slug}/commands/purge-queue", {
            params: { path: { slug } },
            body: {
              agent_id: agent.id,
              engine,
              queue: name,
              observed_depth: depth,
              force: depth === null || form.get("force") !== null
            }
          })))}
    >
      <p>{depth === null ? texts.purgeUnknown : texts.purgeDepth(format.number(depth))}</p>
      <p className="text-soft">{texts.purgeHint(agent.name)}</p>
      {depth !== null && <CheckField name="force" label={texts.purgeForce} hint={texts.purgeForceHint} />}
    </FormDialog>
  )
}
