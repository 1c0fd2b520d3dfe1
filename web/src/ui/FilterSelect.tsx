/**
 * A choice beside a list, a chart or a title that acts at once; in a form it is a `SelectField`. A value from an address
 * that is none of the choices stays chosen. `V` is the type of what is chosen, with undefined where there is a choice `any`.
 */
export const FilterSelect = <V extends string | undefined>({ any, choices, className = "", label, onChoose, value }: {
  readonly label: string
  readonly value: V
  /** Texts by what they choose, in the order of the list. */
  readonly choices: Readonly<Partial<Record<V & string, string>>>
  /** What the choice says that filters nothing, the first one. */
  readonly any?: string | undefined
  readonly className?: string
  readonly onChoose: (value: V) => void
}) => (
  <select
    aria-label={label}
    value={value ?? ""}
    // its options are the choices, and the empty one is there where `V` has undefined
    onChange={({ target }) => onChoose((target.value === "" ? undefined : target.value) as V)}
    className={`h-7.5 max-w-full rounded-base border border-line bg-paper px-2 ${className}`}
  >
    {any !== undefined && <option value="">{any}</option>}
    {Object.entries<string | undefined>(choices).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    {value !== undefined && value !== "" && !(value in choices) && <option value={value}>{value}</option>}
  </select>
)
