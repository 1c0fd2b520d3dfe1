import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { linkClass } from "../ui/TextLink.tsx"

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
      <FilterSelect
        label={texts.actions}
        any={texts.allActions}
        choices={{
          ...(prefix !== undefined && !(prefix in texts.areas) && { [prefix]: texts.otherActions(prefix) }),
          ...texts.areas
        }}
        value={prefix}
        onChoose={onPrefix}
      />
      <FilterSelect
        label={texts.person}
        any={texts.everyone}
        choices={{
          ...(person !== undefined && { [person]: nameOf(person) }),
          ...Object.fromEntries(people.map(({ id, name }) => [id, name]))
        }}
        value={person}
        onChoose={onPerson}
      />
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
      className={`${linkClass.name} max-w-full truncate text-left`}
      onClick={() => onChoose(id)}
    >
      {name}
    </button>
  )
}
