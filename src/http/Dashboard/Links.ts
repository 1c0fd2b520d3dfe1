import { Schema } from "effect"
import { languageOf } from "../../domain/kernel/Language.ts"

/** Vite's manifest: by source file its chunk, and the source files or chunks that it imports at once. */
export const Manifest = Schema.parseJson(Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    file: Schema.String,
    name: Schema.optionalWith(Schema.String, { default: () => "" }),
    isEntry: Schema.optionalWith(Schema.Boolean, { default: () => false }),
    imports: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] })
  })
}))

export type Manifest = typeof Manifest.Type

/** Parts of pages whose file has another name. */
const otherPages: Readonly<Record<string, string>> = {
  "agents/new": "NewAgentPage",
  "automation/new": "RulePage",
  "automation/*": "RulePage",
  "notifications/*": "AlertPage",
  "bulk-retries/*": "BulkRetryPage",
  "account/*": "OwnNotificationsPage"
}

/** The source file of the page at a path: `/projects/shop/dead-letters` is `DeadLettersPage.tsx`, a part of it `DeadLetterPage.tsx`. */
const pageFileOf = (path: string): string => {
  const parts = path.split("/").filter((part) => part !== "")
  const [name = parts.length > 0 ? "overview" : "home", part] = parts[0] === "projects" ? parts.slice(2) : parts
  const other = otherPages[`${name}/${part === undefined || part === "new" ? part : "*"}`]
  if (other !== undefined) return `/${other}.tsx`
  const words = (part === undefined ? name : name.replace(/s$/, "")).split("-")
  return `/${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Page.tsx`
}

export interface Visit {
  /** The path below the dashboard's own address. */
  readonly path: string
  readonly acceptLanguage: string
  readonly hasSession: boolean
}

/**
 * The `Link` header of the dashboard's page (RFC 8288): what the page needs for its first paint beside the files that its
 * HTML names, so that a browser asks for all of it at once. Without it each of these would wait for the one before: the
 * script, who is signed in, the page's code, the texts. A browser that knows no such links asks later.
 */
export const makeLinks = (manifest: Manifest, base: string) => {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry)?.file
  const sources = Object.keys(manifest)
  const filesOf = (source: string, known = new Set<string>()): ReadonlySet<string> => {
    const chunk = manifest[source]
    if (chunk === undefined || known.has(chunk.file) || chunk.file === entry) return known
    known.add(chunk.file)
    for (const imported of chunk.imports) filesOf(imported, known)
    return known
  }
  // the manifest has it under no source: it is a file of many modules (web/vite.config.ts)
  const frame = sources.find((source) => manifest[source]?.name === "Shell") ?? ""
  const sourceEndingWith = (end: string) => sources.find((source) => source.endsWith(end)) ?? ""
  return ({ acceptLanguage, hasSession, path }: Visit): string => {
    const page = hasSession ? pageFileOf(path) : "/SignInPage.tsx"
    const parts = [`src/i18n/${languageOf(acceptLanguage)}.ts`, hasSession ? frame : "", sourceEndingWith(page)]
    const files = new Set(parts.flatMap((source) => [...filesOf(source)]))
    const calls = hasSession ? ["api/v1/auth/me", "api/v1/projects"] : []
    return [
      ...[...files].map((file) => `<${base}${file}>; rel="modulepreload"`),
      ...calls.map((call) => `<${base}${call}>; rel="preload"; as="fetch"; crossorigin`)
    ].join(", ")
  }
}
