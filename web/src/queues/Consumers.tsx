import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { useWorkers } from "../workers/workers.ts"

/** The workers that take tasks of the queue, by name, each with its page. */
export const Consumers = ({ queue, slug }: {
  readonly slug: string
  readonly queue: Pick<Schemas["Queue"], "engine" | "name">
}) => {
  const { queues: texts } = useTexts()
  const { data: workers } = useWorkers(slug)
  if (workers === undefined) return null
  const consumers = workers.filter(({ engine, queues, state }) =>
    engine === queue.engine && state !== "offline" && queues.includes(queue.name)
  )
  if (consumers.length === 0) return <span className="text-soft">{texts.noConsumer}</span>
  return (
    <span className="flex flex-wrap gap-x-3">
      {consumers.map(({ id, name }) => (
        <TextLink key={id} to="/projects/$slug/workers/$workerId" params={{ slug, workerId: id }} look="row">
          {name}
        </TextLink>
      ))}
    </span>
  )
}
