import { useQuery, useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"

const key = ["versions"]

const Installation = () => {
  const { system: texts } = useTexts()
  const format = useFormat()
  const query = useQuery({ queryKey: ["system"], queryFn: () => unwrap(api.GET("/api/v1/health/system")) })
  const system = query.data
  const os = system === undefined ? "" : `${system.os.platform} ${system.os.release} ${system.os.arch}`
  return (
    <div className="mx-4">
      <Panel title={texts.installation}>
        <ListFrame list={query} isEmpty={false} empty={null}>
          {system !== undefined && (
            <Facts>
              <Fact name={texts.program}>{system.version}</Fact>
              <Fact name={texts.runtime}>{`${system.runtime.name} ${system.runtime.version}`}</Fact>
              <Fact name={texts.os}>
                <span title={os}>{os}</span>
              </Fact>
              <Fact name={texts.database}>
                {`${texts.dialects[system.database.dialect]} ${system.database.version}`}
              </Fact>
              <Fact name={texts.schema}>{format.number(system.database.revision)}</Fact>
              <Fact name={texts.size}>
                {texts.megabytes(format.number(Math.ceil(system.database.size_bytes / 1e6)))}
              </Fact>
            </Facts>
          )}
        </ListFrame>
      </Panel>
    </div>
  )
}

/** What runs, and what the release feed has, if there is one. It is read only when the person asks for it. */
export const Versions = () => {
  const { system: texts } = useTexts()
  const queries = useQueryClient()
  const query = useQuery({ queryKey: key, queryFn: () => unwrap(api.GET("/api/v1/admin/system/versions")) })
  const check = useAction(key, async () => {
    queries.setQueryData(key, await unwrap(api.POST("/api/v1/admin/system/versions/check")))
  })
  const hasFeed = query.isError || (query.data !== undefined && query.data.canonical_url !== "")
  const rows = Object.entries(query.data?.packages ?? {}).map(([name, versions]) => ({ name, ...versions }))
  return (
    <>
      <Installation />
      {hasFeed && (
        <div>
          <div className="flex flex-wrap items-center gap-3 px-4 pb-3">
            <p className="text-soft">
              {query.data?.fetched_at === null ? texts.neverChecked : query.data !== undefined && (
                <>
                  {texts.checked} <Time at={query.data.fetched_at} />
                </>
              )}
            </p>
            <Button className="ml-auto" disabled={check.isPending} onClick={() => check.mutate()}>{texts.check}</Button>
          </div>
          <ListFrame list={query} isEmpty={false} empty={null}>
            <Table
              label={texts.tabs.versions}
              rows={rows}
              rowKey={({ name }) => name}
              columns={[
                { title: texts.package, cell: ({ name }) => <code className="font-mono">{name}</code> },
                { title: texts.installed, cell: ({ installed }) => installed },
                { title: texts.latest, cell: ({ latest }) => latest ?? "–" },
                {
                  title: texts.status,
                  cell: ({ is_outdated }) =>
                    is_outdated === null ? texts.unknown : is_outdated
                      ? <span className="text-retry">{texts.outdated}</span>
                      : <span className="text-success">{texts.current}</span>
                }
              ]}
            />
          </ListFrame>
        </div>
      )}
    </>
  )
}
