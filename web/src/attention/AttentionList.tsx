import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { Count } from "../i18n/plural.ts"

export type AttentionItem = Schemas["AttentionItem"]

/** Where a person looks after an item. */
const places: Readonly<Record<AttentionItem["kind"], string>> = {
  agents_offline: "/projects/$slug/agents",
  agents_refused: "/projects/$slug/agents",
  failure_rate: "/projects/$slug/failures",
  queue_depth: "/projects/$slug/queues",
  queue_growth: "/projects/$slug/queues",
  stuck_commands: "/projects/$slug/commands",
  schedule_misfires: "/projects/$slug/schedules",
  schedules_tripped: "/projects/$slug/schedules",
  channels_disabled: "/projects/$slug/notifications",
  breakers_tripped: "/projects/$slug/automation"
}

/** A filled triangle for what is critical, an outlined one for a warning: the colour is not needed to distinguish them. */
const SeverityMark = ({ severity }: { readonly severity: AttentionItem["severity"] }) => {
  const { attention: texts } = useTexts()
  const isCritical = severity === "critical"
  return (
    <span
      className={`inline-flex w-[84px] shrink-0 items-center gap-3 font-medium ${
        isCritical ? "text-failure" : "text-retry"
      }`}
    >
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" className="shrink-0">
        <path
          d="M7 1.5 13 12H1Z"
          fill={isCritical ? "currentColor" : "none"}
          stroke="currentColor"
          strokeWidth="1.6"
          strokeLinejoin="round"
        />
      </svg>
      {texts.severities[severity]}
    </span>
  )
}

/** What needs attention now, the worst first; each item leads to its place. */
export const AttentionList = ({ detailOf, items, showProject = false }: {
  readonly items: ReadonlyArray<AttentionItem>
  readonly showProject?: boolean
  /** What the page knows beyond the item's sentence, such as why an agent was refused. */
  readonly detailOf?: (item: AttentionItem) => ReadonlyArray<string>
}) => {
  const { attention: texts } = useTexts()
  const format = useFormat()
  const kinds: Readonly<Partial<Record<string, (count: Count) => string>>> = texts.kinds
  /** In the words of the brain, in English, where only a newer brain knows the kind. */
  const sentenceOf = ({ count, kind, message }: AttentionItem) =>
    count === null ? message : kinds[kind]?.(format.count(count)) ?? message
  return (
    <section aria-labelledby="attention" className="mx-5 rounded-base border border-line bg-paper">
      <h2 id="attention" className="border-b border-line px-5 py-3 font-semibold">{texts.title}</h2>
      {items.length === 0 ? <p className="px-5 py-4 text-soft">{texts.calm}</p> : (
        <ul>
          {items.map((item) => (
            <li key={`${item.project_id} ${item.kind}`} className="border-b border-line last:border-0">
              <Link
                to={places[item.kind]}
                params={{ slug: item.project_slug }}
                className="flex gap-4 px-5 py-3 hover:bg-hover max-md:flex-wrap"
              >
                <SeverityMark severity={item.severity} />
                {showProject && <span className="w-[120px] shrink-0 truncate font-medium">{item.project_name}</span>}
                <span className="min-w-0">
                  {sentenceOf(item)}
                  {detailOf?.(item).map((line) => <span key={line} className="block text-soft">{line}</span>)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
