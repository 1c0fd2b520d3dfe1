import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { stringify } from "lossless-json"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { SelectField, TextAreaField, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { EmptyState, ErrorNotice } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { ImportDiff } from "./ImportDiff.tsx"
import { schedulesKey } from "./queries.ts"
import { readSnapshot } from "./snapshot.ts"

type Body = Schemas["ImportSchedulesRequest"]

/** Numbers of arguments keep their digits, which JSON.stringify would round. */
const bodySerializer = (body: unknown) => stringify(body) ?? ""

/** Schedules as code: a snapshot is compared with what is there, and imported once a person has seen the difference. */
export const ImportPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/schedules/import" })
  const { schedules: { import: texts, page } } = useTexts()
  const format = useFormat()
  const isAdmin = useCan(slug, "admin")
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const [text, setText] = useState("")
  const [mode, setMode] = useState<"upsert" | "replace">("upsert")
  const [source, setSource] = useState("")
  const [isAsking, setAsking] = useState(false)
  const snapshot = readSnapshot(text)
  const body: Body = {
    schedules: (snapshot?.schedules ?? []) as Body["schedules"], // the API checks each, and names those that are wrong
    mode,
    source_filter: source.trim() === "" ? null : source.trim()
  }
  const options = { params: { path: { slug } }, bodySerializer, body }
  const diff = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/projects/{slug}/schedules:diff", options))
  })
  const change = (next: string) => {
    setText(next)
    diff.reset()
    const read = readSnapshot(next)
    if (read?.mode === "upsert" || read?.mode === "replace") setMode(read.mode)
    if (read !== null && read.source_filter !== null) setSource(read.source_filter)
  }
  const summary = diff.data?.summary
  const isChanging = summary !== undefined && summary.inserted + summary.updated + summary.deleted > 0
  const counts = summary === undefined
    ? ""
    : texts.counts(format.number(summary.inserted), format.number(summary.updated), format.number(summary.deleted))
  return (
    <>
      <div className="px-4 pt-3">
        <Link
          to="/projects/$slug/schedules"
          params={{ slug }}
          className="inline-flex items-center gap-1 text-soft hover:text-ink"
        >
          <Icon name="back" />
          {page.back}
        </Link>
      </div>
      <PageHeader title={texts.title} />
      {!isAdmin ? <EmptyState title={texts.adminsOnly} hint={texts.adminsOnlyHint} /> : (
        <form
          className="grid max-w-225 gap-4 px-4 pb-6"
          onSubmit={(event) => {
            event.preventDefault()
            diff.mutate()
          }}
        >
          <p className="text-soft">{texts.hint}</p>
          <div className="grid gap-1">
            <label htmlFor="snapshot-file" className="font-medium">{texts.file}</label>
            <input
              id="snapshot-file"
              type="file"
              accept="application/json,.json"
              className="file:mr-3 file:h-7.5 file:rounded-base file:border file:border-solid file:border-line file:bg-paper file:px-3 file:font-medium"
              onChange={({ target }) => void target.files?.[0]?.text().then(change)}
            />
          </div>
          <TextAreaField
            label={texts.text}
            hint={texts.textHint}
            rows={10}
            value={text}
            problem={text.trim() !== "" && snapshot === null ? texts.invalid : null}
            onChange={({ target }) => change(target.value)}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <SelectField
              label={texts.mode}
              hint={texts.modeHints[mode]}
              choices={texts.modes}
              value={mode}
              onChoose={(chosen) => {
                setMode(chosen)
                diff.reset()
              }}
            />
            <TextField
              label={texts.source}
              hint={texts.sourceHint}
              value={source}
              required={mode === "replace"}
              onChange={({ target }) => {
                setSource(target.value)
                diff.reset()
              }}
            />
          </div>
          <div className="flex gap-2">
            <Button type="submit" variant={diff.data === undefined ? "primary" : "plain"} disabled={snapshot === null}>
              {texts.compare}
            </Button>
            {diff.data !== undefined && (
              <Button
                variant="primary"
                disabled={!isChanging}
                onClick={() => setAsking(true)}
              >
                {texts.submit}
              </Button>
            )}
          </div>
          {diff.isError && <ErrorNotice error={diff.error} title={texts.refused} />}
          {diff.data !== undefined && <ImportDiff diff={diff.data} />}
        </form>
      )}
      {isAsking && (
        <FormDialog
          title={texts.question}
          submit={texts.submit}
          variant={summary !== undefined && summary.deleted > 0 ? "danger" : "primary"}
          {...(summary !== undefined && summary.deleted > 0 && { phrase: source.trim() })}
          onSubmit={async () => {
            const done = await unwrap(api.POST("/api/v1/projects/{slug}/schedules:import", options))
            toast.show({
              title: texts.done,
              text: texts.counts(
                format.number(done.inserted),
                format.number(done.updated),
                format.number(done.deleted)
              ),
              tone: "good"
            })
            await queries.invalidateQueries({ queryKey: schedulesKey(slug) })
            await navigate({ to: "/projects/$slug/schedules", params: { slug } })
          }}
          onClose={() => setAsking(false)}
        >
          <p>{counts}</p>
          <p className="text-soft">{texts.questionHint}</p>
        </FormDialog>
      )}
    </>
  )
}
