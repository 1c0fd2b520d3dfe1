/**
 * The list of a page marks the element around its rows with `data-rows`, and the field that filters the list is in a
 * landmark of the role `search`. So the keyboard goes from one to the other on every page.
 */

export const findFilter = (): HTMLInputElement | null =>
  document.querySelector<HTMLInputElement>("#content [role=search] input")

/** Focuses the first row, where the page shows one: its link or button, otherwise the row itself. */
export const focusFirstRow = (): void => {
  const row = document.querySelector<HTMLElement>("#content [data-rows] > *")
  if (row === null) return
  const target = row.querySelector<HTMLElement>("a[href]") ?? row.querySelector<HTMLElement>("button:enabled") ?? row
  if (target === row) row.tabIndex = -1
  target.focus()
}

/** Goes on from the filter to the first row, unless the person has gone elsewhere since. */
export const leaveFilter = (filter: HTMLElement | null): void => {
  const { activeElement, body } = document
  if (activeElement === filter || activeElement === body) focusFirstRow()
}
