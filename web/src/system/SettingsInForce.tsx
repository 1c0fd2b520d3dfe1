import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { CheckField } from "../ui/Fields.tsx"
import { FilterField } from "../ui/FilterField.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { Table } from "../ui/Table.tsx"

/** Every setting with its value and where the value comes from; secrets are masked by the brain. */
export const SettingsInForce = () => {
  const { q = "", set = false } = useSearch({ from: "/signed-in/system" })
  const { system: texts, tasks } = useTexts()
  const navigate = useNavigate()
  const query = useQuery({ queryKey: ["settings"], queryFn: () => unwrap(api.GET("/api/v1/admin/settings")) })
  const words = q.toLowerCase()
  const rows =
    query.data?.settings.filter(({ description, name, source }) =>
      (!set || source !== "default") && `${name} ${description}`.toLowerCase().includes(words)
    ) ?? []
  const filter = (change: { readonly q?: string; readonly set?: boolean }) =>
    void navigate({
      to: "/system",
      search: ({ q, set, ...rest }) => {
        const next = { q, set, ...change }
        return {
          ...rest,
          tab: "settings" as const,
          ...(next.q && { q: next.q }),
          ...(next.set === true && { set: true })
        }
      },
      replace: true
    })
  return (
    <div>
      <div className="grid gap-3 px-4 pb-3">
        <p className="max-w-[80ch] text-soft">{texts.settingsHint(query.data?.svc_home ?? "")}</p>
        <div className="flex flex-wrap items-center gap-4">
          <FilterField label={texts.filter} value={q} onType={(typed) => filter({ q: typed })} />
          <CheckField label={texts.onlySet} checked={set} onChange={({ target }) => filter({ set: target.checked })} />
        </div>
      </div>
      <ListFrame
        list={query}
        isEmpty={rows.length === 0}
        empty={
          <EmptyState title={texts.noSetting}>
            <Button onClick={() => filter({ q: "", set: false })}>{tasks.clear}</Button>
          </EmptyState>
        }
      >
        <Table
          label={texts.tabs.settings}
          rows={rows}
          rowKey={({ name }) => name}
          columns={[
            {
              title: texts.setting,
              cell: ({ description, name }) => (
                <span className="grid">
                  <code className="font-mono text-small break-all">{name}</code>
                  <span className="text-small text-soft">{description}</span>
                </span>
              )
            },
            {
              title: texts.value,
              cell: ({ value }) => <code className="font-mono text-small break-all">{value === "" ? "–" : value}</code>
            },
            {
              title: texts.source,
              isMinor: true,
              cell: ({ source }) => (
                <span className={`whitespace-nowrap ${source === "default" ? "text-soft" : "font-medium"}`}>
                  {texts.sources[source]}
                </span>
              )
            }
          ]}
        />
      </ListFrame>
    </div>
  )
}
