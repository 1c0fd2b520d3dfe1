import type { pageGroups } from "../shell/Navigation.tsx"

/** Where a key works. */
export type KeyPlace = "everywhere" | "tasks" | "task"

interface Key {
  readonly place: KeyPlace
  /** As `KeyboardEvent.key` has them; any of them. */
  readonly strokes: ReadonlyArray<string>
}

/**
 * Every key of the dashboard: the handlers, the help and the table of docs/dashboard.md come from here. `Mod` is Ctrl, and
 * ⌘ on Apple's keyboards. None of them fires while a person types (`ui/isTyping.ts`), but for `palette`.
 */
export const keys = {
  palette: { place: "everywhere", strokes: ["Mod+k"] },
  search: { place: "everywhere", strokes: ["/"] },
  help: { place: "everywhere", strokes: ["?"] },
  next: { place: "tasks", strokes: ["j"] },
  previous: { place: "tasks", strokes: ["k"] },
  open: { place: "tasks", strokes: ["Enter", "o"] },
  select: { place: "tasks", strokes: ["x"] },
  retry: { place: "task", strokes: ["r"] },
  cancel: { place: "task", strokes: ["c"] }
} as const satisfies Readonly<Record<string, Key>>

export type KeyName = keyof typeof keys
export type PageName = (typeof pageGroups)[number][number]["name"]

/** After `g`: the letter of each page. A page of the navigation without one does not compile. */
export const goLetters: Readonly<Record<PageName, string>> = {
  overview: "o",
  tasks: "t",
  failures: "f",
  schedules: "s",
  queues: "q",
  workers: "w",
  agents: "a",
  commands: "c",
  automation: "u",
  approvals: "p",
  notifications: "n",
  activity: "v",
  audit: "l",
  people: "m",
  settings: "e"
}

/** The key that begins a journey to a page. */
export const goStroke = "g"

const strokeNames = new Map(
  (Object.entries(keys) as ReadonlyArray<[KeyName, Key]>) // its keys are the names
    .flatMap(([name, { strokes }]) => strokes.map((stroke) => [stroke, name] as const))
)
const letterPages = new Map(
  (Object.entries(goLetters) as ReadonlyArray<[PageName, string]>).map(([page, letter]) => [letter, page] as const)
)

export type Pressed =
  | { readonly kind: "key"; readonly name: KeyName }
  | { readonly kind: "begin" }
  | { readonly kind: "go"; readonly page: PageName }

/** What a stroke means; after `g` it is a letter of a page, or nothing. */
export const readStroke = (stroke: string, isAfterGo: boolean): Pressed | null => {
  if (isAfterGo) {
    const page = letterPages.get(stroke)
    return page === undefined ? null : { kind: "go", page }
  }
  if (stroke === goStroke) return { kind: "begin" }
  const name = strokeNames.get(stroke)
  return name === undefined ? null : { kind: "key", name }
}
