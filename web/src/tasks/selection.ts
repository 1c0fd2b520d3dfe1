/** The tasks of a query, or those whose rows a person selected. */
export type TaskSelection =
  | { readonly kind: "ids"; readonly ids: ReadonlyArray<string> }
  | { readonly kind: "query"; readonly query: string }

/** Rows that one request may name (docs/bulk-jobs.md). */
export const maxSelectedIds = 1000

/** The terms of a bulk job or an export. */
export const termsOfSelection = (selection: TaskSelection) =>
  selection.kind === "ids"
    ? { task_ids: [...selection.ids] }
    : selection.query === ""
    ? {}
    : { filter_query: selection.query }
