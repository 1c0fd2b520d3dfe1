type NamesOf<D, A> = { [K in keyof D]-?: D[K] extends A ? K : never }[keyof D]

/**
 * What ties the fields of a form to the state that it has, its draft. A field takes only a name that the draft has with a
 * value of the field's type.
 */
export const draftFields = <D extends object>(draft: D, onChange: (change: Partial<D>) => void) => {
  const change = <K extends keyof D>(name: K, value: D[K]) => {
    const changes: Partial<D> = {}
    changes[name] = value
    onChange(changes)
  }
  return {
    /** Of a `TextField` or `TextAreaField`. */
    text: <K extends NamesOf<D, string>>(name: K) => ({
      value: draft[name] as string, // so its name says
      onChange: ({ target }: { readonly target: { readonly value: string } }) => change(name, target.value as D[K]) // text
    }),
    /** Of a `CheckField`. */
    check: <K extends NamesOf<D, boolean>>(name: K) => ({
      checked: draft[name] as boolean, // so its name says
      onChange: ({ target }: { readonly target: { readonly checked: boolean } }) => change(name, target.checked as D[K]) // a boolean
    }),
    /** Of a `SelectField`. */
    choice: <K extends NamesOf<D, string>>(name: K) => ({
      value: draft[name],
      onChoose: (value: D[K]) => change(name, value)
    }),
    /** Of a `DurationField`. */
    duration: <K extends NamesOf<D, string>>(name: K) => ({
      initial: draft[name] as string, // so its name says
      onValue: (value: string) => change(name, value as D[K]) // text
    })
  }
}
