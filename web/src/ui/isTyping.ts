/** Whether a key belongs to a field, to the browser, or to a dialog, and so is no shortcut of the page. */
export const isTyping = (event: KeyboardEvent): boolean => {
  const { target } = event
  return event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null ||
    target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type !== "checkbox")
}
