import { useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Table } from "../ui/Table.tsx"

type Health = Schemas["DeepHealth"]

const colours = { ok: "text-success", degraded: "text-retry", failed: "text-failure" } as const
const severity = { failed: 0, degraded: 1, ok: 2 } as const

const isHealth = (body: unknown): body is Health => typeof body === "object" && body !== null && "checks" in body

/** The API responds to a failed check with 503 and the same body. */
const readHealth = async (): Promise<Health> => {
  const result = await api.GET("/api/v1/health/deep")
  const failed: unknown = result.error
  return isHealth(failed) ? failed : unwrap(Promise.resolve(result))
}

const loopPrefix = "loop."

/** Each part of the brain with its state. The background loops are one line while all run. */
export const HealthChecks = () => {
  const { system: texts } = useTexts()
  const format = useFormat()
  const query = useQuery({
    queryKey: ["health"],
    queryFn: readHealth,
    refetchInterval: useRefetchInterval(15_000)
  })
  const checks = Object.entries(query.data?.checks ?? {}).map(([name, check]) => ({ name, ...check }))
  const loops = checks.filter(({ name }) => name.startsWith(loopPrefix))
  const healthyLoops = loops.filter(({ status }) => status === "ok")
  // a newer brain may have a check without a text here
  const names: Readonly<Record<string, string>> = texts.checks
  const hints: Readonly<Record<string, string>> = texts.checkHints
  const rows = checks.filter((check) => !healthyLoops.includes(check))
    .toSorted((one, other) => severity[one.status] - severity[other.status])
  const nameOf = (name: string) =>
    names[name] ?? (name.startsWith(loopPrefix) ? texts.loop(name.slice(loopPrefix.length)) : name)
  return (
    <ListFrame list={query} isEmpty={false} empty={null}>
      {query.data !== undefined && (
        <div>
          <p className="px-4 pb-3">
            <span className={`font-medium ${colours[query.data.status]}`}>{texts.statuses[query.data.status]}</span>
            <span className="text-soft">{` – ${texts.statusHints[query.data.status]}`}</span>
          </p>
          <Table
            label={texts.tabs.health}
            rows={rows}
            rowKey={({ name }) => name}
            columns={[
              {
                title: texts.part,
                cell: ({ name }) => (
                  <span className="grid py-1">
                    <span className="font-medium">{nameOf(name)}</span>
                    <span className="text-small text-soft">{hints[name]}</span>
                  </span>
                )
              },
              {
                title: texts.status,
                cell: ({ status }) => <span className={colours[status]}>{texts.statuses[status]}</span>
              },
              {
                title: texts.detail,
                isMinor: true,
                cell: ({ detail, expected, revision }) =>
                  detail ?? (expected === null || revision === null ? "" : texts.revision(revision, expected))
              },
              {
                title: texts.took,
                isNumber: true,
                isMinor: true,
                cell: ({ latency_ms }) => (latency_ms === null ? "" : format.duration(latency_ms))
              }
            ]}
          />
          <p className="max-w-[80ch] px-4 text-soft">
            {texts.loops(format.number(healthyLoops.length), format.number(loops.length))}
          </p>
        </div>
      )}
    </ListFrame>
  )
}
