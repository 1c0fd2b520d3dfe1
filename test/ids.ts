/** An id of this kind with any text, also one that is no UUID. */
export const idOf = <Id extends string>(
  kind: { readonly make: (text: string, options: { readonly disableValidation: true }) => Id },
  text: string
): Id => kind.make(text, { disableValidation: true })
