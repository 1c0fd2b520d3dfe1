import { useQuery } from "@tanstack/react-query"
import { api, base, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { exportsKey } from "./queries.ts"

type Job = Schemas["ExportJob"]

const colours: Readonly<Record<Job["status"], string>> = {
  pending: "text-waiting",
  running: "text-running",
  completed: "text-success",
  failed: "text-failure"
}

const activeMillis = 1_500
const idleMillis = 15_000

const isActive = ({ status }: Job) => status === "pending" || status === "running"

const Status = ({ job: { error, status, truncated } }: { readonly job: Job }) => {
  const { audit: texts } = useTexts()
  return (
    <div>
      <span className={colours[status]}>{texts.statuses[status]}</span>
      {error !== null && <p>{error}</p>}
      {truncated && <p className="text-soft">{texts.truncated}</p>}
    </div>
  )
}

const Filters = ({ job: { filters } }: { readonly job: Job }) => {
  const { audit: texts } = useTexts()
  const terms = Object.entries(filters)
  if (terms.length === 0) return <span className="text-soft">{texts.noFilters}</span>
  return <span className="break-words">{terms.map(([name, value]) => `${name}: ${String(value)}`).join(", ")}</span>
}

/** Exports of the log: how far each is, and its file. */
export const ExportJobs = ({ slug }: { readonly slug: string }) => {
  const { audit: texts } = useTexts()
  const format = useFormat()
  const { nameOf } = usePeople(slug)
  const whileActive = useRefetchInterval(activeMillis)
  const whileIdle = useRefetchInterval(idleMillis)
  const list = useQuery({
    queryKey: exportsKey(slug),
    queryFn: async () =>
      (await unwrap(api.GET("/api/v1/projects/{slug}/audit/export-jobs", { params: { path: { slug } } }))).items,
    refetchInterval: ({ state: { data } }) => (data?.some(isActive) === true ? whileActive : whileIdle)
  })
  const jobs = list.data ?? []
  return (
    <ListFrame
      list={list}
      isEmpty={jobs.length === 0}
      empty={<EmptyState title={texts.noExports} hint={texts.noExportsHint} />}
    >
      <Table
        label={texts.exports}
        rows={jobs}
        rowKey={({ id }) => id}
        columns={[
          { title: texts.status, cell: (job) => <Status job={job} /> },
          { title: texts.format, cell: (job) => job.format.toUpperCase() },
          { title: texts.filters, isMinor: true, cell: (job) => <Filters job={job} /> },
          {
            title: texts.rows,
            isNumber: true,
            isMinor: true,
            cell: ({ row_count }) => row_count !== null && format.number(row_count)
          },
          {
            title: texts.size,
            isNumber: true,
            isMinor: true,
            cell: ({ size_bytes }) => size_bytes !== null && texts.bytes(format.number(Math.ceil(size_bytes / 1024)))
          },
          { title: texts.by, isMinor: true, cell: ({ user_id }) => nameOf(user_id) },
          { title: texts.created, isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: "",
            isNumber: true,
            cell: ({ downloadable, location }) =>
              downloadable && location !== null && (
                <a
                  href={`${base}${location}`}
                  download
                  className="inline-flex items-center gap-2 font-medium underline underline-offset-2"
                >
                  <Icon name="download" />
                  {texts.download}
                </a>
              )
          }
        ]}
      />
    </ListFrame>
  )
}
