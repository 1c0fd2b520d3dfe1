import { useQuery } from "@tanstack/react-query"
import { Fragment, useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { hasValue, toggleValue } from "./queryTokens.ts"
import { taskStates } from "./states.ts"

const facetNames = ["state", "queue", "name", "worker", "engine"] as const
const refetchMillis = 10_000
/** Values of one facet beside the list. */
const shownValues = 8

/** How often each value occurs among the tasks of a query. */
export const useFacets = (slug: string, query: string, isNeeded = true) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({
    queryKey: ["task-facets", slug, query],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/projects/{slug}/task-facets", { signal, params: { path: { slug }, query: { query } } })),
    enabled: isNeeded,
    placeholderData: (known) => known,
    refetchInterval
  })
}

interface FacetsProps {
  readonly slug: string
  /** What the list shows. */
  readonly query: string
  /** What the person has typed. */
  readonly line: string
  readonly onChange: (line: string) => void
}

/** Counts of states, queues, names, workers and engines; a click adds the value to the query or removes it. */
const FacetCounts = ({ line, onChange, query, slug }: FacetsProps) => {
  const { states, tasks: texts } = useTexts()
  const format = useFormat()
  const facets = useFacets(slug, query)
  if (facets.data === undefined) return null
  const { is_complete, is_state_complete } = facets.data
  /** The first of those that are not of all tasks. */
  const firstPartial = is_complete ? null : is_state_complete ? "queue" : "state"
  return facetNames.map((name) => {
    const values = facets.data[name].slice(0, shownValues)
    const title = texts.columns[name]
    return (
      <Fragment key={name}>
        {name === firstPartial && <p className="px-2 pb-2 text-small text-soft">{texts.facetsPartial}</p>}
        {values.length > 0 && (
          <section aria-label={title} className="px-1 pb-3">
            <h2 className="px-1 pb-0.5 text-small text-soft">{title}</h2>
            <ul>
              {values.map(({ count, value }) => {
                const state = name === "state" ? taskStates.find((one) => one === value) : undefined
                return (
                  <li key={value}>
                    <button
                      type="button"
                      aria-pressed={hasValue(line, name, value)}
                      title={value}
                      className="flex h-6.5 w-full items-center gap-2 rounded-small px-1 text-left hover:bg-hover chosen:bg-press chosen:font-medium"
                      onClick={() => onChange(toggleValue(line, name, value))}
                    >
                      {state !== undefined && <StateShape state={state} />}
                      <span className="min-w-0 flex-1 truncate">{state === undefined ? value : states[state]}</span>
                      <span className="figures text-soft">{format.number(count)}</span>
                    </button>
                  </li>
                )
              })}
            </ul>
          </section>
        )}
      </Fragment>
    )
  })
}

/** The counts beside the list. */
export const Facets = (props: FacetsProps) => {
  const { tasks: texts } = useTexts()
  return (
    <aside
      aria-label={texts.facets}
      className="w-54 shrink-0 overflow-y-auto border-l border-line py-2 max-lg:hidden"
    >
      <FacetCounts {...props} />
    </aside>
  )
}

/** The counts where the window has no place beside the list. */
export const FacetsButton = (props: FacetsProps) => {
  const { close: closeText, tasks: texts } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="quiet" onClick={() => setOpen(true)}>{texts.filterByCount}</Button>
      {isOpen && (
        <Dialog title={texts.filterByCount} onClose={() => setOpen(false)}>
          {(close) => (
            <>
              <div className="mt-3 max-h-[60vh] overflow-y-auto">
                <FacetCounts {...props} />
              </div>
              <div className="mt-4 flex justify-end">
                <Button data-autofocus onClick={close}>{closeText}</Button>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  )
}
