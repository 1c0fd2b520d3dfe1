import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../../api/client.ts"
import { useRefetchInterval } from "../../api/live.ts"
import { useNow } from "../../format/now.ts"
import { useFormat } from "../../format/useFormat.ts"
import { fromWallClock } from "../../format/wallClock.ts"
import { useZone } from "../../format/zone.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { useCan } from "../../session/permissions.ts"
import { Button } from "../../ui/Button.tsx"
import { fieldText, TextField } from "../../ui/Fields.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { TimeField } from "../../ui/TimeField.tsx"

type Window = Schemas["MaintenanceWindow"]

const refetchMillis = 10_000
const [minuteMillis, hourMillis] = [60_000, 3_600_000]
const path = "/api/v1/projects/{slug}/notifications/maintenance-windows"

const stateOf = ({ ends_at, starts_at }: Window, now: number) =>
  Date.parse(ends_at) <= now ? "ended" : Date.parse(starts_at) <= now ? "lasts" : "planned"

const colours = { planned: "text-waiting", lasts: "text-running", ended: "text-soft" } as const

const WindowDialog = ({ onClose, slug, window }: {
  readonly slug: string
  /** Null: a new one. */
  readonly window: Window | null
  readonly onClose: () => void
}) => {
  const { forms, maintenance: texts } = useTexts()
  const zone = useZone()
  const queries = useQueryClient()
  const [now] = useState(() => Math.floor(Date.now() / minuteMillis) * minuteMillis)
  const save = async (form: FormData) => {
    const timeOf = (name: string) => new Date(fromWallClock(fieldText(form, name), zone)).toISOString()
    const body = { name: fieldText(form, "name"), starts_at: timeOf("starts_at"), ends_at: timeOf("ends_at") }
    await (window === null
      ? unwrap(api.POST(path, { params: { path: { slug } }, body }))
      : unwrap(api.PATCH(`${path}/{window_id}`, { params: { path: { slug, window_id: window.id } }, body })))
    await queries.invalidateQueries({ queryKey: ["maintenance", slug] })
  }
  return (
    <FormDialog
      title={window === null ? texts.create : texts.edit(window.name)}
      submit={window === null ? forms.create : forms.save}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="text-soft">{texts.hint}</p>
      <TextField label={texts.name} name="name" maxLength={200} defaultValue={window?.name ?? ""} data-autofocus />
      <div className="grid items-start gap-4 md:grid-cols-2">
        <TimeField
          label={texts.startsAt}
          name="starts_at"
          initial={window === null ? now : Date.parse(window.starts_at)}
        />
        <TimeField
          label={texts.endsAt}
          name="ends_at"
          hint={texts.endHint}
          initial={window === null ? now + hourMillis : Date.parse(window.ends_at)}
        />
      </div>
    </FormDialog>
  )
}

type OpenDialog = { readonly kind: "create" } | { readonly kind: "edit" | "delete"; readonly window: Window }

/** The times in which a project sends no message. Members see them, admins plan them. */
export const MaintenancePart = ({ slug }: { readonly slug: string }) => {
  const { forms, maintenance: texts } = useTexts()
  const format = useFormat()
  const now = useNow()
  const isAdmin = useCan(slug, "admin")
  const queries = useQueryClient()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const queryKey = ["maintenance", slug]
  const list = useQuery({
    queryKey,
    queryFn: () => unwrap(api.GET(path, { params: { path: { slug } } })),
    refetchInterval
  })
  const isEmpty = list.data?.length === 0
  const createButton = isAdmin && (
    <Button variant="primary" onClick={() => setOpenDialog({ kind: "create" })}>{texts.create}</Button>
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        {!isEmpty && createButton}
        <p className="text-soft">{texts.hint}</p>
      </div>
      <ListFrame
        list={list}
        isEmpty={isEmpty}
        empty={<EmptyState title={texts.none} hint={texts.noneHint}>{createButton}</EmptyState>}
      >
        <Table
          label={texts.title}
          rows={list.data ?? []}
          rowKey={({ id }) => id}
          columns={[
            { title: texts.name, cell: ({ name }) => <span className="font-medium break-words">{name}</span> },
            {
              title: texts.state,
              cell: (window) => {
                const state = stateOf(window, now)
                return <span className={colours[state]}>{texts.states[state]}</span>
              }
            },
            { title: texts.startsAt, isMinor: true, cell: ({ starts_at }) => <Time isPlanned at={starts_at} /> },
            { title: texts.endsAt, cell: ({ ends_at }) => <Time isPlanned at={ends_at} /> },
            {
              title: texts.lasts,
              isNumber: true,
              isMinor: true,
              cell: ({ ends_at, starts_at }) => format.duration(Date.parse(ends_at) - Date.parse(starts_at))
            },
            ...(isAdmin
              ? [{
                title: texts.actions,
                isNumber: true,
                cell: (window: Window) => (
                  <span className="inline-flex gap-2">
                    {stateOf(window, now) !== "ended" && (
                      <Button
                        aria-label={texts.actionOn(forms.edit, window.name)}
                        onClick={() => setOpenDialog({ kind: "edit", window })}
                      >
                        {forms.edit}
                      </Button>
                    )}
                    <Button
                      variant="danger"
                      aria-label={texts.actionOn(forms.delete, window.name)}
                      onClick={() => setOpenDialog({ kind: "delete", window })}
                    >
                      {forms.delete}
                    </Button>
                  </span>
                )
              }]
              : [])
          ]}
        />
      </ListFrame>
      {openDialog?.kind === "create" && <WindowDialog slug={slug} window={null} onClose={() => setOpenDialog(null)} />}
      {openDialog?.kind === "edit" && (
        <WindowDialog
          slug={slug}
          window={openDialog.window}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {openDialog?.kind === "delete" && (
        <FormDialog
          title={texts.deleteTitle(openDialog.window.name)}
          submit={forms.delete}
          variant="danger"
          onSubmit={async () => {
            await unwrap(
              api.DELETE(`${path}/{window_id}`, { params: { path: { slug, window_id: openDialog.window.id } } })
            )
            await queries.invalidateQueries({ queryKey })
          }}
          onClose={() => setOpenDialog(null)}
        >
          <p className="text-soft">{texts.deleteHints[stateOf(openDialog.window, now)]}</p>
        </FormDialog>
      )}
    </>
  )
}
