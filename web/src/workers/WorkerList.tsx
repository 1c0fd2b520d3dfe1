import { useState } from "react"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { LongList } from "../ui/LongList.tsx"
import type { LongListSearch } from "../ui/longListSearch.ts"
import { EmptyState } from "../ui/Notices.tsx"
import { foldGroups, keyOf, type Line } from "./foldGroups.ts"
import { useLint } from "./useLint.ts"
import { useWorkerColumns } from "./useWorkerColumns.tsx"
import { useWorkers } from "./workers.ts"

export interface WorkersListProps {
  readonly slug: string
  readonly search: LongListSearch
  readonly onSearch: (search: LongListSearch, replace: boolean) => void
}

/** Each worker of an engine with its pool, its queues and its counters. */
export const WorkerList = ({ onSearch, search, slug }: WorkersListProps) => {
  const { workers: texts } = useTexts()
  const list = useWorkers(slug)
  const { data: lint } = useLint(slug)
  const findings = lint === undefined || lint.workers_evaluated === 0
    ? null
    : new Map(lint.workers.map((worker) => [worker.worker_id, worker.findings.length]))
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = (key: string) =>
    setOpened((keys) => new Set(keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]))
  return (
    <LongList
      list={list}
      rows={(list.data ?? []).map((worker): Line => ({ worker, folded: [] }))}
      rowKey={({ folded, worker }) => folded.length > 0 ? keyOf(worker) : worker.id}
      columns={useWorkerColumns({ slug, opened, onToggle: toggle, findings })}
      label={texts.title}
      filterLabel={texts.filter}
      empty={
        <EmptyState title={texts.none} hint={texts.noneHint}>
          <ConnectLink slug={slug} />
        </EmptyState>
      }
      textsOf={({ worker: { engine, hostname, name, queues } }) => [name, engine, hostname, ...queues]}
      lastSeenAt={({ worker }) => worker.last_heartbeat}
      arrange={(lines) => foldGroups(lines, opened)}
      search={search}
      onSearch={onSearch}
    />
  )
}
