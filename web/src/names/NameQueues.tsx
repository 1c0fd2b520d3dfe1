import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { QueueLink } from "../queues/QueueLink.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass } from "../ui/TextLink.tsx"

/** The queues that its tasks came from. */
export const NameQueues = ({ queues, slug }: {
  readonly slug: string
  readonly queues: Schemas["TaskNameDetail"]["queues"]
}) => {
  const { names: texts, overview, tasks } = useTexts()
  const format = useFormat()
  return (
    <Panel title={texts.queues}>
      <Table
        isInPanel
        label={texts.queues}
        rows={queues}
        rowKey={({ engine, queue }) => `${engine} ${queue}`}
        columns={[
          {
            title: tasks.columns.queue,
            cell: ({ engine, queue }) =>
              queue === null ? "–" : <QueueLink slug={slug} engine={engine} name={queue} className={linkClass.name} />
          },
          { title: tasks.columns.engine, isMinor: true, cell: ({ engine }) => engine },
          {
            title: overview.throughput,
            isNumber: true,
            cell: ({ failure, success }) => format.number(success + failure)
          },
          { title: overview.failureRate, isNumber: true, cell: ({ failure_rate }) => format.percent(failure_rate) },
          {
            title: `${overview.waitsShort}, ${overview.p95}`,
            isNumber: true,
            cell: ({ wait_ms }) => (wait_ms === null ? "–" : format.duration(wait_ms.p95))
          }
        ]}
      />
    </Panel>
  )
}
