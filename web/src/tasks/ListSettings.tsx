import { useTexts } from "../i18n/Language.tsx"
import { CheckField } from "../ui/Fields.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"
import { optionalColumns, type usePreferences } from "./preferences.ts"

type Preferences = ReturnType<typeof usePreferences>

/** Columns, row height and counts of the list, which this browser keeps. */
export const ListSettings = ({ change, preferences }: {
  readonly preferences: Preferences[0]
  readonly change: Preferences[1]
}) => {
  const { tasks: texts } = useTexts()
  const { columns, density, hasFacets } = preferences
  return (
    <Menu label={texts.listSettings} button={<Icon name="columns" />}>
      <div className="grid w-56 gap-3 p-1">
        <fieldset className="grid gap-1">
          <legend className="pb-1 text-small text-soft">{texts.shownColumns}</legend>
          {optionalColumns.map((column) => (
            <CheckField
              key={column}
              label={texts.columns[column]}
              checked={columns.includes(column)}
              onChange={({ target }) =>
                change({
                  columns: optionalColumns.filter((one) => one === column ? target.checked : columns.includes(one))
                })}
            />
          ))}
        </fieldset>
        <fieldset className="grid gap-1 border-t border-line pt-3">
          <legend className="sr-only">{texts.density}</legend>
          <CheckField
            label={texts.roomy}
            checked={density === "comfortable"}
            onChange={({ target }) => change({ density: target.checked ? "comfortable" : "compact" })}
          />
          <CheckField
            label={texts.facets}
            checked={hasFacets}
            onChange={({ target }) => change({ hasFacets: target.checked })}
          />
        </fieldset>
      </div>
    </Menu>
  )
}
