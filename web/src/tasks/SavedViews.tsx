import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { CheckField, fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"
import { formatQuery, groupQuery } from "./query.ts"

type SavedView = Schemas["SavedView"]

/** The view as a line of the list; older ones have terms of their own. */
const lineOf = ({ query = "", priority = [], search = "", state }: SavedView["filters"]): string => {
  const terms = formatQuery({
    ...(state !== null && state !== undefined && { state }),
    ...(priority.length > 0 && { priority: priority.join(",") }),
    ...(search !== "" && { search })
  })
  return terms === "" || query === "" ? `${terms}${query}` : `${terms} ${groupQuery(query)}`
}

type Question = { readonly kind: "save" } | { readonly kind: "delete"; readonly view: SavedView }

/** The named filters of a project: applies one, saves the line as one, and deletes them. */
export const SavedViews = ({ line, onApply, slug }: {
  readonly slug: string
  readonly line: string
  readonly onApply: (line: string) => void
}) => {
  const { forms: { delete: verb, save }, tasks: { views: texts } } = useTexts()
  const queries = useQueryClient()
  const canShare = useCan(slug, "operator")
  const isAdmin = useCan(slug, "admin")
  const [question, setQuestion] = useState<Question | null>(null)
  const key = ["saved-views", slug]
  const { data: views = [] } = useQuery({
    queryKey: key,
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/saved-views", { params: { path: { slug } } }))
  })
  const create = async (form: FormData) => {
    await unwrap(
      api.POST("/api/v1/projects/{slug}/saved-views", {
        params: { path: { slug } },
        body: {
          name: fieldText(form, "name"),
          filters: { query: line },
          is_shared: form.get("shared") !== null
        }
      })
    )
    await queries.invalidateQueries({ queryKey: key })
  }
  const remove = async (view: SavedView) => {
    await unwrap(
      api.DELETE("/api/v1/projects/{slug}/saved-views/{view_id}", { params: { path: { slug, view_id: view.id } } })
    )
    await queries.invalidateQueries({ queryKey: key })
  }
  return (
    <>
      <Menu label={texts.title} align="right" button={<Icon name="bookmark" />}>
        <div className="grid w-72 gap-2">
          <p className="px-1 text-small text-soft">{texts.title}</p>
          {views.length === 0 && <p className="px-1 text-soft">{texts.none}</p>}
          <ul className="max-h-[50vh] overflow-y-auto">
            {views.map((view) => (
              <li key={view.id} className="flex items-center gap-1">
                <button
                  type="button"
                  aria-pressed={lineOf(view.filters) === line}
                  title={lineOf(view.filters)}
                  className="flex h-7.5 min-w-0 flex-1 items-center gap-2 rounded-small px-1 text-left hover:bg-hover chosen:bg-press"
                  onClick={() => onApply(lineOf(view.filters))}
                >
                  <span className="truncate">{view.name}</span>
                  {view.is_shared && <span className="ml-auto shrink-0 text-small text-soft">{texts.shared}</span>}
                </button>
                {(view.is_own || (view.is_shared && isAdmin)) && (
                  <button
                    type="button"
                    aria-label={texts.remove(view.name)}
                    className="rounded-small p-1 text-soft hover:bg-hover hover:text-ink"
                    onClick={() => setQuestion({ kind: "delete", view })}
                  >
                    <Icon name="delete" />
                  </button>
                )}
              </li>
            ))}
          </ul>
          <Button disabled={line === ""} onClick={() => setQuestion({ kind: "save" })}>{texts.save}</Button>
        </div>
      </Menu>
      {question?.kind === "save" && (
        <FormDialog
          title={texts.save}
          submit={save}
          onClose={() => setQuestion(null)}
          onSubmit={create}
        >
          <p className="font-mono break-words text-soft">{line}</p>
          <TextField label={texts.name} name="name" maxLength={80} autoComplete="off" data-autofocus />
          {canShare && <CheckField label={texts.share} hint={texts.shareHint} name="shared" />}
        </FormDialog>
      )}
      {question?.kind === "delete" && (
        <FormDialog
          title={texts.removeQuestion(question.view.name)}
          submit={verb}
          variant="danger"
          onClose={() => setQuestion(null)}
          onSubmit={() => remove(question.view)}
        />
      )}
    </>
  )
}
