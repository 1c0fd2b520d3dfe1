import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from "react"

const control = "rounded-base border border-line-strong bg-paper px-3 aria-invalid:border-failure"

interface FieldProps {
  readonly label: string
  /** One sentence below the control. */
  readonly hint?: ReactNode
  /** What is wrong with the value. */
  readonly problem?: string | null
}

const Field = ({ children, hint, id, label, problem }: FieldProps & {
  readonly id: string
  readonly children: ReactNode
}) => (
  <div className="grid min-w-0 content-start gap-1">
    <label htmlFor={id} className="font-medium">{label}</label>
    {children}
    {hint !== undefined && <p id={`${id}-hint`} className="text-small text-soft">{hint}</p>}
    {problem && <p id={`${id}-problem`} className="text-failure">{problem}</p>}
  </div>
)

const description = (id: string, { hint, problem }: Omit<FieldProps, "label">) => ({
  "aria-invalid": Boolean(problem),
  "aria-describedby": [hint !== undefined && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ") ||
    undefined
})

/** A labelled line of text; it is required unless `required={false}`. */
export const TextField = (
  { className = "", hint, label, problem, ...input }: FieldProps & InputHTMLAttributes<HTMLInputElement>
) => {
  const id = useId()
  const about = { label, ...(hint !== undefined && { hint }), ...(problem !== undefined && { problem }) }
  return (
    <Field id={id} {...about}>
      <input
        id={id}
        required
        {...description(id, about)}
        className={`h-9 ${control} ${className}`}
        {...input}
      />
    </Field>
  )
}

/** Labelled text of several lines, such as JSON. */
export const TextAreaField = (
  { className = "", hint, label, problem, ...area }: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>
) => {
  const id = useId()
  const about = { label, ...(hint !== undefined && { hint }), ...(problem !== undefined && { problem }) }
  return (
    <Field id={id} {...about}>
      <textarea
        id={id}
        rows={4}
        spellCheck={false}
        {...description(id, about)}
        className={`resize-y py-2 font-mono ${control} ${className}`}
        {...area}
      />
    </Field>
  )
}

/** A labelled choice of one. Without `onChoose` the form's own data has the value under `name`. */
export const SelectField = <A extends string>({ choices, hint, initial, label, name, onChoose, value }: {
  readonly label: string
  readonly hint?: ReactNode
  readonly choices: Readonly<Partial<Record<A, string>>>
  readonly name?: string
  readonly value?: A
  /** The choice at first, of a form that reads its data when it is sent. */
  readonly initial?: A
  readonly onChoose?: (value: A) => void
}) => {
  const id = useId()
  const about = { label, ...(hint !== undefined && { hint }) }
  return (
    <Field id={id} {...about}>
      <select
        id={id}
        name={name}
        {...(onChoose === undefined ? { defaultValue: initial } : {
          value,
          onChange: ({ target }) => onChoose(target.value as A) // its options are the choices
        })}
        {...description(id, about)}
        className={`h-9 w-full ${control}`}
      >
        {(Object.entries(choices) as Array<[A, string]>).map(([key, text]) => (
          <option key={key} value={key}>{text}</option>
        ))}
      </select>
    </Field>
  )
}

/** A box to tick, with its label beside it. */
export const CheckField = (
  { hint, label, ...input }: { readonly label: string; readonly hint?: string } & InputHTMLAttributes<HTMLInputElement>
) => {
  const id = useId()
  return (
    <div className="grid gap-0.5">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          aria-describedby={hint === undefined ? undefined : id}
          {...input}
        />
        {label}
      </label>
      {hint !== undefined && <p id={id} className="pl-5 text-small text-soft">{hint}</p>}
    </div>
  )
}

/** The text of a field of a sent form; empty when it has none. */
export const fieldText = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value.trim() : ""
}
