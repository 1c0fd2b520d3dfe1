import { useId } from "react"

/** A choice of one of few, each with a sentence about what it means. The form's data has it under `name`. */
export const RadioField = <A extends string>({ choices, hints, initial, label, name }: {
  readonly label: string
  readonly name: string
  readonly choices: Readonly<Record<A, string>>
  readonly hints: Readonly<Record<A, string>>
  readonly initial: A
}) => {
  const id = useId()
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{label}</legend>
      {(Object.entries(choices) as Array<[A, string]>).map(([value, text]) => ( // its keys are the choices
        <label key={value} className="grid grid-cols-[auto_1fr] items-start gap-x-2">
          <input
            type="radio"
            name={name}
            value={value}
            defaultChecked={value === initial}
            aria-describedby={`${id}-${value}`}
            className="mt-0.5"
          />
          <span>{text}</span>
          <span id={`${id}-${value}`} className="col-start-2 text-small text-soft">{hints[value]}</span>
        </label>
      ))}
    </fieldset>
  )
}
