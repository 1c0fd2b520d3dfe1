import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"

const selectClass = "h-7.5 max-w-full rounded-base border border-line bg-paper px-2"

interface Props {
  readonly slug: string | undefined
  readonly prefix: string | undefined
  readonly person: string | undefined
  readonly onPrefix: (prefix: string | undefined) => void
  readonly onPerson: (person: string | undefined) => void
}

/** Whose actions are shown, and which. A beginning from a link that is no area stays a choice. */
export const ActivityFilters = ({ onPerson, onPrefix, person, prefix, slug }: Props) => {
  const { activity: texts } = useTexts()
  const { nameOf, people } = usePeople(slug)
  return (
    <>
      <select
        aria-label={texts.actions}
        value={prefix ?? ""}
        onChange={({ target }) => onPrefix(target.value === "" ? undefined : target.value)}
        className={selectClass}
      >
        <option value="">{texts.allActions}</option>
        {prefix !== undefined && !(prefix in texts.areas) && (
          <option value={prefix}>{texts.otherActions(prefix)}</option>
        )}
        {Object.entries(texts.areas).map(([beginning, name]) => (
          <option key={beginning} value={beginning}>{name}</option>
        ))}
      </select>
      <select
        aria-label={texts.person}
        value={person ?? ""}
        onChange={({ target }) => onPerson(target.value === "" ? undefined : target.value)}
        className={selectClass}
      >
        <option value="">{texts.everyone}</option>
        {person !== undefined && people.every(({ id }) => id !== person) && (
          <option value={person}>{nameOf(person)}</option>
        )}
        {people.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
    </>
  )
}

/** Who did it: a button that shows only what this person did. */
export const PersonButton = ({ id, name, onChoose }: {
  readonly id: string | null
  readonly name: string
  readonly onChoose: (id: string) => void
}) => {
  const { activity: texts } = useTexts()
  if (id === null) return <span className="whitespace-nowrap text-soft">{name}</span>
  return (
    <button
      type="button"
      title={texts.onlyPerson(name)}
      className="max-w-full truncate text-left font-medium hover:underline hover:underline-offset-2"
      onClick={() => onChoose(id)}
    >
      {name}
    </button>
  )
}
