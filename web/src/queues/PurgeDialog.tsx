import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Agent } from "../agents/agents.ts"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useCommand } from "../commands/following.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { CheckField, SelectField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { workersQuery } from "../workers/workers.ts"

/** Workers of a queue whose agents are read. */
const maxWorkers = 20

/** The agents that reported workers of the queue; none is known of a queue with more workers than are read. */
const useReporters = (slug: string, { engine, name }: Schemas["Queue"], isNeeded: boolean) => {
  const queries = useQueryClient()
  return useQuery({
    queryKey: ["queue-reporters", slug, engine, name],
    enabled: isNeeded,
    queryFn: async () => {
      const workers = await queries.fetchQuery(workersQuery(slug))
      const own = workers.filter((one) => one.engine === engine && one.queues.includes(name))
      if (own.length > maxWorkers) return new Set<string | null>()
      const details = await Promise.all(
        own.map(({ id }) =>
          unwrap(api.GET("/api/v1/projects/{slug}/workers/{worker_id}", { params: { path: { slug, worker_id: id } } }))
        )
      )
      return new Set(details.map(({ agent_id }) => agent_id))
    }
  })
}

/**
 * Asks before every waiting message of a queue is deleted: it shows how many wait, and the queue's name is typed. The agent
 * refuses when the queue has another length by then, unless the person wants it whatever its length is. Of several agents
 * the person chooses one, since each may reach a queue of this name on another broker.
 */
export const PurgeDialog = ({ agents, onClose, queue, slug }: {
  readonly slug: string
  readonly queue: Schemas["Queue"]
  /** Those that can purge queues of the engine. */
  readonly agents: ReadonlyArray<Agent>
  readonly onClose: () => void
}) => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  const command = useCommand(slug)
  const { depth, engine, name } = queue
  const isOne = agents.length === 1
  const reporters = useReporters(slug, queue, !isOne)
  const [agentId, setAgentId] = useState<string | null>(null)
  const reporting = isOne ? agents : agents.filter(({ id }) => reporters.data?.has(id))
  const agent = agents.find(({ id }) => id === (agentId ?? (reporting.length === 1 ? reporting[0]?.id : undefined)))
  return (
    <FormDialog
      title={texts.purgeQuestion(name)}
      submit={texts.purge}
      variant="danger"
      phrase={name}
      isBlocked={agent === undefined}
      onClose={onClose}
      onSubmit={(form) =>
        command(texts.purgeNotice(name), () =>
          unwrap(api.POST("/api/v1/projects/{slug}/commands/purge-queue", {
            params: { path: { slug } },
            body: {
              agent_id: agent?.id ?? "", // the form is blocked without an agent
              engine,
              queue: name,
              observed_depth: depth,
              force: depth === null || form.get("force") !== null
            }
          })))}
    >
      <p>{depth === null ? texts.purgeUnknown : texts.purgeDepth(format.count(depth))}</p>
      {!isOne && (reporters.isError
        ? <ErrorNotice error={reporters.error} onRetry={() => void reporters.refetch()} />
        : reporters.data === undefined
        ? <Loading />
        : (
          <SelectField
            label={texts.purgeAgent}
            hint={texts.purgeAgentHint}
            choices={{
              ...(agent === undefined && { "": texts.chooseAgent }),
              ...Object.fromEntries(agents.map(({ id, name }) => [id, name]))
            }}
            value={agent?.id ?? ""}
            onChoose={setAgentId}
          />
        ))}
      {agent !== undefined && <p className="text-soft">{texts.purgeHint(agent.name)}</p>}
      {depth !== null && <CheckField name="force" label={texts.purgeForce} hint={texts.purgeForceHint} />}
    </FormDialog>
  )
}
