import { useQuery } from "@tanstack/react-query"
import { useTexts } from "../i18n/Language.tsx"
import { present } from "../searchParams.ts"
import { FilterField } from "../ui/FilterField.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { enginesQuery } from "./queries.ts"
import type { FailuresSearch } from "./search.ts"
import { WindowSelect } from "./WindowSelect.tsx"

/** Which groups the list shows, and in which order. */
export const GroupFilters = ({ onChange, search, slug }: {
  readonly slug: string
  readonly search: FailuresSearch
  readonly onChange: (search: FailuresSearch, replace?: boolean) => void
}) => {
  const { failures: texts } = useTexts()
  const { data: engines } = useQuery(enginesQuery(slug))
  const { assignee, engine, hours, sort, status } = search
  const { "": newest, ...sorts } = texts.sorts
  const change = <Name extends keyof FailuresSearch>(
    name: Name,
    value: FailuresSearch[Name] | undefined,
    replace?: boolean
  ) => onChange(present({ ...search, [name]: value }), replace)
  return (
    <div className="flex flex-wrap gap-2">
      <FilterField
        label={texts.search}
        value={search.search ?? ""}
        onType={(typed) => change("search", typed === "" ? undefined : typed, true)}
      />
      <FilterSelect
        label={texts.status}
        any={texts.openGroups}
        choices={{ ...texts.statuses, all: texts.allStatuses }}
        value={status}
        onChoose={(chosen) => change("status", chosen)}
      />
      <FilterSelect
        label={texts.assignee}
        any={texts.anyone}
        choices={{ me: texts.assignedToMe, none: texts.nobody }}
        value={assignee}
        onChoose={(chosen) => change("assignee", chosen)}
      />
      <WindowSelect any={texts.anyTime} hours={hours} onChoose={(chosen) => change("hours", chosen)} />
      {(engines === undefined || engines.length > 1 || engine !== undefined) && (
        <FilterSelect
          label={texts.engine}
          any={texts.allEngines}
          choices={Object.fromEntries((engines ?? []).map((one) => [one, one]))}
          value={engine}
          onChoose={(chosen) => change("engine", chosen)}
        />
      )}
      <FilterSelect
        label={texts.sort}
        any={newest}
        choices={sorts}
        value={sort}
        onChoose={(chosen) => change("sort", chosen)}
      />
    </div>
  )
}
