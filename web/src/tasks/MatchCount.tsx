import { useFormat } from "../format/useFormat.ts"
import type { Count } from "../i18n/plural.ts"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import type { useFacets } from "./Facets.tsx"

type Facets = ReturnType<typeof useFacets>

/** Whether the tasks were counted and there is none, so that there is nothing to begin. */
export const hasNoMatch = ({ data }: Facets): boolean => data !== undefined && data.counted === 0 && data.is_complete

/** How many tasks a dialog is about to concern, in the dialog's words. */
export const MatchCount = ({ all, facets, more, none }: {
  readonly facets: Facets
  readonly none: string
  readonly all: (count: Count) => string
  /** For more tasks than the brain counts. */
  readonly more: (count: Count) => string
}) => {
  const format = useFormat()
  if (facets.data === undefined) {
    return facets.isError
      ? <ErrorNotice error={facets.error} onRetry={() => void facets.refetch()} />
      : <Loading />
  }
  const { counted, is_complete } = facets.data
  const shown = format.count(counted)
  return (
    <p className="text-large font-medium">
      {hasNoMatch(facets) ? none : is_complete ? all(shown) : more(shown)}
    </p>
  )
}
