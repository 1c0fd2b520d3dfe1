/** Saves a text as a file; a `blob:` address is made by the page itself, so that the policy needs no exception. */
export const saveText = (name: string, text: string) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
